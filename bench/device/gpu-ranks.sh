#!/usr/bin/env bash
# Several ranks in one process, on all GPUs in turn: gpu-ranks.sh LANE RANKS [STEP...] (steps: see GpuRanks.java). CLASSPATH and JAVA as in
# gpu-pair.sh.
set -u
file=$(mktemp /dev/shm/mininccl-bench-XXXXXX)
"${JAVA:-java}" --enable-native-access=ALL-UNNAMED -Xmx2g -cp "$CLASSPATH" dev.mininccl.bench.gpu.GpuRanks "$file" "$@"
status=$?
rm -f "$file" "$file".*
exit $status
