#!/usr/bin/env bash
# Runs the tests that need an RDMA device in a virtual machine with Soft-RoCE: within one device, then between two that a
# (virtual) wire connects. Build first: mvn -DskipTests package
#   transport-verbs/guest/tests.sh [HOSTS]     HOSTS is 1 or 2, default both
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
cd "$here/../.."

jdk=${JAVA_HOME:-}
[[ -r $jdk/release ]] && grep -q '^JAVA_VERSION="25[."]' "$jdk/release" || jdk=$(compgen -G '/usr/lib/jvm/*-25-*' | head -n 1)
target=transport-verbs/target
[[ -d $target/guest && -d $target/test-classes ]] || {
    echo "nothing to test in $target: build first with 'mvn -DskipTests package'" >&2
    exit 1
}
# The guest is emulated: simple code that is there at once beats fast code that is compiled for long.
java=("$jdk/bin/java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto --enable-native-access=ALL-UNNAMED
    --add-modules jdk.incubator.vector,jdk.management -cp "$target/classes:$target/test-classes:core/target/test-classes:$target/guest/*"
    dev.mininccl.transport.verbs.GuestTests)

for hosts in ${1:-1 2}; do
    tests=(VerbsLanesTest)
    if [[ $hosts == 1 ]]; then
        tests+=(VerbsCollectivesTest GpuDirectTest core.StagedOverVerbsTest)
    else
        tests=(LostWireTest "${tests[@]}" VerbsRailsTest VerbsFaultsTest)
    fi
    echo "tests between $hosts device(s) of a guest with Soft-RoCE"
    # Emulated CPUs take turns: slower on a quiet machine, but a JVM has crashed on two that ran in parallel. Afterwards the
    # kernel must have no queue pair, region or domain of the tests left.
    "$here/rxe-guest.sh" --hosts "$hosts" --accel single --timeout 600 --env "RXE_GUEST_WIRE=$((hosts - 1))" -- \
        bash -c '"$@" && rdma resource &&
            ! rdma resource | grep -E "(pd [2-9]|cq [2-9]|qp [2-9]|mr [1-9]|ctx [1-9])"' tests "${java[@]}" "${tests[@]}"
done
