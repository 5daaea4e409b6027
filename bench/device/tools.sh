#!/usr/bin/env bash
# What the command line does on two GPUs: topo, perf beside NCCL (graph, stream, blocking; peer memory and host memory; 8-bit floats) and
# tune, about three minutes: tools.sh FOLDER for JSON and tables. JAVA is a JDK 25's launcher; MODS has the jars of cli/target/modules
# and bench/target/benchmarks.jar. NCCL is taken from PyTorch's packages unless NCCL_LIBRARY names one.
set -u
out=${1:?a folder for the results}
java=${JAVA:-java}
NCCL_LIBRARY=${NCCL_LIBRARY:-$(python3 -c 'import nvidia.nccl,os; print(os.path.join(list(nvidia.nccl.__path__)[0],"lib","libnccl.so.2"))' 2>/dev/null)}
export NCCL_LIBRARY NCCL_NVLS_ENABLE=0
# seconds, then the command line
mn() {
  local limit=$1
  shift
  timeout "$limit" "$java" --module-path "$MODS" --enable-native-access=dev.mininccl.bindings --add-modules jdk.incubator.vector \
    --module dev.mininccl.cli/dev.mininccl.cli.Main "$@" 2>&1 | grep -v 'incubator'
}
step() { echo "## $(date -u +%T) $*"; }
beside=(perf --memory cuda --ranks 2 --compare nccl --in-place)

step topo
mn 20 topo | tee "$out/topo.txt"
nvidia-smi topo -m
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
step graph
mn 40 "${beside[@]}" -f 4 -b 8 -e 16M --transport p2p -G 1 --json "$out/graph.json"
mn 40 "${beside[@]}" -f 4 -b 16M -e 1G -n 5 -c 0 --transport p2p -G 1
step stream
mn 40 "${beside[@]}" -f 4 -b 8 -e 16M --transport p2p --json "$out/stream.json"
step blocking
mn 40 "${beside[@]}" -f 4 -b 8 -e 16M --transport p2p -z 1 --json "$out/blocking.json"
step "host memory, graph"
NCCL_P2P_DISABLE=1 mn 40 "${beside[@]}" -f 4 -b 8 -e 8M --transport shm -G 1 --json "$out/host.json"
step "8-bit floats"
mn 40 "${beside[@]}" -d f8e4m3 -o all -b 64K -e 64K --transport p2p -G 1
mn 40 "${beside[@]}" -d f8e5m2 -b 64 -e 16M -f 16 --transport p2p -G 1
step tune
mn 400 tune --memory cuda -e 64M --limit 300 -o "$out/tuning"
step end
