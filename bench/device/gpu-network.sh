#!/usr/bin/env bash
# Ranks that no lane of GPUs links: gpu-network.sh KINDS STEP... (KINDS is a word such as "gpu,gpu" or "gpu,host"; steps: see
# GpuNetwork.java). CLASSPATH, JAVA and NCCL_LIBRARY as in gpu-pair.sh; MINI_NCCL_TRANSPORT is tcp unless set. NCCL is kept to
# its sockets, so that both sides go the same way. Prints what the ranks print.
set -u
IFS=, read -r -a kinds <<< "$1"; shift
java=${JAVA:-java}
nccl=${NCCL_LIBRARY:-$(python3 -c 'import nvidia.nccl,os; print(os.path.join(list(nvidia.nccl.__path__)[0],"lib","libnccl.so.2"))' 2>/dev/null)}
export NCCL_LIBRARY=$nccl NCCL_NVLS_ENABLE=0 NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1 NCCL_IB_DISABLE=1
export MINI_NCCL_TRANSPORT=${MINI_NCCL_TRANSPORT:-tcp}
file=$(mktemp /dev/shm/mininccl-bench-XXXXXX)
port=$((20000 + RANDOM % 10000))
pids=()
for ((rank = 0; rank < ${#kinds[@]}; rank++)); do
  "$java" --enable-native-access=ALL-UNNAMED --add-modules jdk.incubator.vector --sun-misc-unsafe-memory-access=allow -Xmx2g \
    -XX:+UseSerialGC -Dmaster.port=$port -cp "$CLASSPATH" \
    dev.mininccl.bench.gpu.GpuNetwork $rank ${#kinds[@]} "${kinds[rank]}" "$file" "$@" &
  pids+=($!)
done
status=0
for pid in "${pids[@]}"; do wait "$pid" || status=$?; done
rm -f "$file"
exit $status
