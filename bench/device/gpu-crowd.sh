#!/usr/bin/env bash
# Several processes, a rank each, all on GPU 0: gpu-crowd.sh LANE RANKS. They share the GPU by time slices. CLASSPATH and JAVA as in
# gpu-pair.sh.
set -u
file=$(mktemp /dev/shm/mininccl-bench-XXXXXX)
status=0
pids=()
for ((rank = 0; rank < $2; rank++)); do
  "${JAVA:-java}" --enable-native-access=ALL-UNNAMED -Xmx2g -XX:+UseSerialGC -cp "$CLASSPATH" \
    dev.mininccl.bench.gpu.GpuRanks "$file" "$1" "$2" $rank 0 &
  pids+=($!)
done
for pid in "${pids[@]}"; do wait "$pid" || status=$?; done
rm -f "$file"
exit $status
