#!/usr/bin/env bash
# Two ranks, one process a GPU: gpu-pair.sh LANE STEP... (LANE is PEER or HOST; steps: see GpuAllReduce.java).
# CLASSPATH has bindings, core and bench; JAVA is a JDK 25's launcher. NCCL is taken from PyTorch's packages unless
# NCCL_LIBRARY names one; UNDER is a command to run each rank under. Prints what rank 0 prints, and what failed.
set -u
lane=$1; shift
java=${JAVA:-java}
nccl=${NCCL_LIBRARY:-$(python3 -c 'import nvidia.nccl,os; print(os.path.join(list(nvidia.nccl.__path__)[0],"lib","libnccl.so.2"))' 2>/dev/null)}
export NCCL_LIBRARY=$nccl NCCL_NVLS_ENABLE=0
[ "$lane" = HOST ] && export NCCL_P2P_DISABLE=1
file=$(mktemp /dev/shm/mininccl-bench-XXXXXX)
for rank in 1 0; do
  ${UNDER:-} "$java" --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow -Xmx2g -XX:+UseSerialGC \
    -cp "$CLASSPATH" dev.mininccl.bench.gpu.GpuAllReduce $rank "$file" "$lane" "$@" &
  pids[$rank]=$!
done
status=0
wait "${pids[0]}" || status=$?
if [ $status -ne 0 ]; then kill "${pids[1]}" 2>/dev/null; fi
wait "${pids[1]}" || status=$?
rm -f "$file"
exit $status
