#!/usr/bin/env bash
# Several ranks in one process, on all GPUs in turn: gpu-ranks.sh LANE RANKS [STEP...] (steps: see GpuRanks.java). CLASSPATH and JAVA as in
# gpu-pair.sh.
set -u
export CUDA_DEVICE_MAX_CONNECTIONS=32 # ranks of one process on one GPU need a queue for each of their streams
file=$(mktemp /dev/shm/mininccl-bench-XXXXXX)
"${JAVA:-java}" --enable-native-access=ALL-UNNAMED -Xmx2g -cp "$CLASSPATH" dev.mininccl.bench.gpu.GpuRanks "$file" "$@"
status=$?
rm -f "$file" "$file".*
exit $status
