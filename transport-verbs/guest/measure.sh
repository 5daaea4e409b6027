#!/usr/bin/env bash
# Measures lanes and all-reduces over Soft-RoCE beside perftest, in one guest and in turns. Times say nothing about hardware.
# Build first: mvn -DskipTests package
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
cd "$here/../.."

if [[ ${1:-} != --inside ]]; then
    exec "$here/rxe-guest.sh" --accel multi --timeout 900 -- "$0" --inside
fi

jdk=$(compgen -G '/usr/lib/jvm/*-25-*' | head -n 1)
target=transport-verbs/target
lane() {
    "$jdk/bin/java" -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED \
        -cp "$target/classes:$target/test-classes:$target/guest/*" dev.mininccl.transport.verbs.LaneMeasure "$1"
}
# A server and, once it listens, its client; the last line of numbers.
perftest() {
    "$@" -d rxe0 -x 1 -F >/tmp/server 2>&1 &
    local server=$!
    until grep -q ':4853 [0-9A-F]*:0000 0A' /proc/net/tcp /proc/net/tcp6; do sleep 0.2; done # port 18515
    echo "$* :$("$@" -d rxe0 -x 1 -F 127.0.0.1 | grep -E '^ *[0-9]+ ' | tail -n 1)"
    wait "$server"
}
for _ in 1 2; do
    perftest ib_write_lat -s 64 -n 1000
    perftest ib_write_bw -s 131072 -n 1500 --report_gbits
    perftest ib_write_bw -b -s 131072 -n 1500 --report_gbits
    lane 3
done
# Ranks bound to both emulated CPUs would leave none to the kernel's receiving thread.
export MINI_NCCL_BUILD=never MINI_NCCL_CHANNELS=1 MINI_NCCL_CONNECT_TIMEOUT=120000 MINI_NCCL_PIN_THREADS=off
export JAVA_TOOL_OPTIONS="-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
./mini-nccl perf all_reduce --transport verbs --ranks 2 -b 64 -e 64 -n 300 -w 100
perftest ib_write_bw -b -s 131072 -n 1500 --report_gbits
./mini-nccl perf all_reduce --transport verbs --ranks 2 -b 1M -e 4M -f 4 -n 10 -w 3
./mini-nccl perf all_reduce --transport tcp --ranks 2 -b 64 -e 4M -f 16 -n 10 -w 10
