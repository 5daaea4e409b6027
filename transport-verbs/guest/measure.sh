#!/usr/bin/env bash
# Measures and soaks what rides on Soft-RoCE, beside perftest, in an emulated guest. Times say nothing about hardware.
# Build first: mvn -DskipTests package
#   transport-verbs/guest/measure.sh [PART[+PART...]...]     default: all; each argument is a guest; goes on after one that fails
#     MEASURE_THROUGH=COMMAND starts each guest, for machines where heavy work takes turns
#     lanes      latency and streams of a lane, in turns with perftest
#     reduce     all-reduce of 2 ranks, in turns with perftest, and over TCP
#     ranks      2, 3, 4 and 8 ranks
#     shapes     windows of 1, a report a request, tiny queues, odd slices; all types and operations
#     mixed      4 ranks on two "hosts": shared memory inside each, RDMA between
#     rails      2 ranks over two devices each, crosswise
#     cycles     100 communicators set up and torn down, or as many as CYCLES says
#     pair       doctor --with, between two processes
#     down       a wire that stays away under a running all-reduce
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
cd "$here/../.."

if [[ ${1:-} != --inside ]]; then
    [[ $# -gt 0 ]] || set -- lanes reduce ranks+mixed shapes+cycles+pair rails+down
    failed=()
    for parts; do
        hosts=1
        [[ $parts != *rails* && $parts != *down* ]] || hosts=2
        echo "== $parts, $(date -u '+%F %R') UTC, load $(cut -d' ' -f1 /proc/loadavg)"
        # shellcheck disable=SC2086
        ${MEASURE_THROUGH:-} "$here/rxe-guest.sh" --hosts $hosts --accel "${RXE_GUEST_ACCEL:-multi}" --timeout 600 \
            --env "CYCLES=${CYCLES:-100}" -- "$0" --inside "$parts" || failed+=("$parts")
    done
    echo "== ended $(date -u '+%F %R') UTC, load $(cut -d' ' -f1 /proc/loadavg), failed: ${failed[*]:-none}"
    exit $((${#failed[@]} > 0))
fi

jdk=$(compgen -G '/usr/lib/jvm/*-25-*' | head -n 1)
target=transport-verbs/target
export MINI_NCCL_CONNECT_TIMEOUT=120000
# Under emulation compilers take seconds while ranks spin beside them on two processors. One compiler's code, used before
# anything is timed, and no change of code under running threads, of which emulated processors have died.
measured="-XX:+UseSerialGC -XX:-TieredCompilation"
# Where only results count: code that is there at once.
quick="-XX:+UseSerialGC -XX:TieredStopAtLevel=1"

java_main() { # FLAGS CLASS ARGUMENTS...
    # shellcheck disable=SC2086
    "$jdk/bin/java" $1 --enable-native-access=ALL-UNNAMED -cp "$target/classes:$target/test-classes:$target/guest/*" \
        "dev.mininccl.transport.verbs.$2" "${@:3}"
}
# A server and, once it listens, its client; the last line of numbers.
perftest() {
    "$@" -d rxe0 -x 1 -F >/tmp/server 2>&1 &
    local server=$!
    until grep -q ':4853 [0-9A-F]*:0000 0A' /proc/net/tcp /proc/net/tcp6; do sleep 0.2; done # port 18515
    echo "$* :$("$@" -d rxe0 -x 1 -F 127.0.0.1 | grep -E '^ *[0-9]+ ' | tail -n 1)"
    wait "$server"
}
all_reduce() { # FLAGS ARGUMENTS...
    echo "all_reduce ${*:2}"
    MINI_NCCL_BUILD=never JAVA_TOOL_OPTIONS=$1 ./mini-nccl perf all_reduce "${@:2}" 2>/tmp/errors | grep -E ' (sum|prod|min|max|avg) |Wrong|FAIL' ||
        { cat /tmp/errors; return 1; }
}

lanes() {
    for rounds in 4 0; do
        perftest ib_write_lat -s 64 -n 2000
        perftest ib_write_bw -s 131072 -n 1000
        perftest ib_write_bw -b -s 131072 -n 1000
        [[ $rounds == 0 ]] || java_main "$measured" LaneMeasure $rounds
    done
}

reduce() {
    for _ in 1 2; do
        perftest ib_write_lat -s 64 -n 2000
        all_reduce "$measured" --transport verbs --ranks 2 -b 64 -e 64 -n 3000 -w 60000
    done
    for _ in 1 2; do
        perftest ib_write_bw -b -s 131072 -n 1000
        all_reduce "$measured" --transport verbs --ranks 2 -b 1M -e 4M -f 4 -n 30 -w 300
    done
    all_reduce "$measured" --transport tcp --ranks 2 -b 64 -e 4M -f 256 -n 30 -w 100
}

ranks() {
    for ranks in 2 3 4 8; do
        all_reduce "$quick" --transport verbs --ranks $ranks -b 4 -e 256K -f 256 -n 5 -w 1 -c 1
    done
}

shapes() {
    all_reduce "$quick" --transport verbs --ranks 2 -b 1020 -e 1020 -n 1 -w 0 -c 1 -d all -o all | grep Wrong
    for shape in 1,1,2,4099 2,1,3,65537 1,16,64,4096; do
        IFS=, read -r window batch slots slice <<<"$shape"
        echo "window $window, signal batch $batch, $slots slots of $slice B"
        MINI_NCCL_WINDOW_SIZE=$window MINI_NCCL_SIGNAL_BATCH=$batch MINI_NCCL_SLOTS=$slots MINI_NCCL_SLICE_SIZE=$slice \
            all_reduce "$quick" --transport verbs --ranks 2 -b 5204 -e 520400 -f 10 -n 3 -w 1 -c 1
        # Three ranks take turns on two emulated processors: small and few, or it takes longer than the guest may.
        MINI_NCCL_WINDOW_SIZE=$window MINI_NCCL_SIGNAL_BATCH=$batch MINI_NCCL_SLOTS=$slots MINI_NCCL_SLICE_SIZE=$slice \
            all_reduce "$quick" --transport verbs --ranks 3 -b 5204 -e 52040 -f 10 -n 2 -w 1 -c 1
    done
}

# A rank in the background, its output in /tmp/rank.N; ENV... are settings of this rank alone.
rank() { # RANK WORLD "ENV..." ARGUMENTS...
    # shellcheck disable=SC2086
    env MINI_NCCL_BUILD=never JAVA_TOOL_OPTIONS="$quick" $3 ./mini-nccl perf all_reduce --rank "$1" --world "$2" --master 127.0.0.1:9999 \
        "${@:4}" >"/tmp/rank.$1" 2>&1
}

mixed() {
    # A host of its own: a /dev/shm of its own, in which no file of the other's is found.
    export -f rank
    export quick
    for host in 0 1; do
        unshare -m bash -c 'mount -t tmpfs -o size=256m shm /dev/shm
            rank $((2 * $1)) 4 A= --transport shm,verbs -v -b 64 -e 256K -f 64 -n 3 -w 1 -c 1 & first=$!
            rank $((2 * $1 + 1)) 4 A= --transport shm,verbs -v -b 64 -e 256K -f 64 -n 3 -w 1 -c 1 && wait $first' host $host &
    done
    wait
    for number in 0 1 2 3; do grep -E '^ +rank|rank . on|verbs|/dev/shm|Wrong' "/tmp/rank.$number" || cat "/tmp/rank.$number"; done
    grep -q 'Wrong elements : 0' /tmp/rank.0
}

rails() {
    export MINI_NCCL_CHANNELS=2
    rank 0 2 MINI_NCCL_NET_DEVICE=rxe0,rxe1 --transport verbs -v -b 64 -e 1M -f 128 -n 3 -w 1 -c 1 &
    rank 1 2 MINI_NCCL_NET_DEVICE=rxe1,rxe0 --transport verbs -v -b 64 -e 1M -f 128 -n 3 -w 1 -c 1 && wait $!
    for number in 0 1; do grep -E '^ +rank|rank . on|verbs|Wrong' "/tmp/rank.$number" || cat "/tmp/rank.$number"; done
    grep -q 'Wrong elements : 0' /tmp/rank.0
    MINI_NCCL_BUILD=never JAVA_TOOL_OPTIONS=$quick MINI_NCCL_NET_DEVICE=rxe1,rxe0 ./mini-nccl doctor | grep -E 'rxe|rdma'
    MINI_NCCL_BUILD=never JAVA_TOOL_OPTIONS=$quick MINI_NCCL_NET_DEVICE=rxe0,rxe2 ./mini-nccl doctor | grep 'rxe2'
}

cycles() { java_main "$quick --add-modules jdk.incubator.vector" CycleMeasure "$CYCLES"; }

pair() {
    export MINI_NCCL_TRANSPORT=verbs MINI_NCCL_BUILD=never JAVA_TOOL_OPTIONS=$quick
    ./mini-nccl doctor --with 127.0.0.1:9999 2>/dev/null &
    ./mini-nccl doctor --with 127.0.0.1:9999 2>/dev/null
    wait $!
}

# When both ranks' lines come, which follow the close of their communicators. LostWireTest asserts when they are told. The lines are
# stamped by readers that sleep, not by one that looks.
stamped() {
    local line
    while IFS= read -r line; do echo "${EPOCHREALTIME/./} $line"; done
}

down() {
    export MINI_NCCL_TIMEOUT=3000
    local number begin
    for number in 0 1; do
        MINI_NCCL_BUILD=never JAVA_TOOL_OPTIONS=$quick MINI_NCCL_NET_DEVICE=rxe$number ./mini-nccl perf all_reduce \
            --rank $number --world 2 --transport verbs -b 64K -e 64K -n 100000 -w 10 -c 0 2>&1 | stamped >/tmp/rank.$number &
    done
    until grep -q 'iterations' /tmp/rank.0 2>/dev/null; do sleep 0.5; done
    sleep 8
    begin=${EPOCHREALTIME/./}
    printf 'qdisc replace dev rdma%d root netem loss 100%%\n' 0 1 | tc -batch -
    local gone=${EPOCHREALTIME/./} told line
    wait
    while read -r told line; do
        echo "told $(((told - gone) / 1000)) to $(((told - begin) / 1000)) ms after the wire went: $line"
    done < <(grep -h 'mini-nccl: rank' /tmp/rank.0 /tmp/rank.1)
}

for part in ${2//+/ }; do
    SECONDS=0
    "$part"
    echo "-- $part took $SECONDS s"
done
