#!/usr/bin/env bash
# Several ranks in one process, on all GPUs in turn: gpu-ranks.sh LANE RANKS. CLASSPATH and JAVA as in gpu-pair.sh.
set -u
file=$(mktemp /dev/shm/mininccl-bench-XXXXXX)
"${JAVA:-java}" --enable-native-access=ALL-UNNAMED -Xmx2g -cp "$CLASSPATH" dev.mininccl.bench.gpu.GpuRanks "$file" "$1" "$2"
status=$?
rm -f "$file"
exit $status
