#!/usr/bin/env bash
# Measures all-reduces of two local ranks beside Open MPI, MPICH and Gloo, interleaved, and prints Markdown tables of medians, of best
# rounds (for machines whose state wanders between rounds), and of ratios (ours / peer's). The peers' programs are not part of this project: PEERS names a folder with mpi_allreduce.c,
# gloo_allreduce.cc and sizes.h, each printing lines "R name bytes med MICROSECONDS ...".
#
#   bench/host/compare.sh PEERS [ROUNDS [LARGEST]]      default 3 rounds up to 134217728 bytes
#
# Needs Debian's openmpi-bin libopenmpi-dev mpich libgloo-dev g++; what is missing is left out. RAISE=-19 runs all competitors at that
# niceness, for machines that cannot be kept idle.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
peers=${1:?the folder of the peers\' programs}
rounds=${2:-3}
largest=${3:-134217728}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Kept where LINES_TO says, so that runs can be added up.
lines=${LINES_TO:-$work/lines}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
raise() { nice -n "${RAISE:-0}" "$@"; }

compile() {
    command -v mpicc.openmpi >/dev/null && mpicc.openmpi -O3 -march=native -o "$work/ompi" "$peers/mpi_allreduce.c"
    command -v mpicc.mpich >/dev/null && mpicc.mpich -O3 -march=native -o "$work/mpich" "$peers/mpi_allreduce.c"
    [ -d /usr/include/gloo ] && g++ -O3 -march=native -o "$work/gloo" "$peers/gloo_allreduce.cc" -lgloo -lpthread
    return 0
}

# name, smallest, largest, iterations, then the options of perf
sizes() {
    local name=$1 from=$2 to=$3 iterations=$4
    shift 4
    raise "$here/mini-nccl" perf --ranks 2 -d float -o sum -b "$from" -e "$to" -f 4 -n "$iterations" -c 0 --csv "$work/csv" "$@" >/dev/null
    awk -F, -v name="$name" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        NR > 1 && $at["inPlace"] == "false" { print name, $at["bytes"], $at["medianUs"] }' "$work/csv"
}

# name, then the options of perf
ours() {
    local name=$1
    shift
    sizes "$name" 8 $((largest < 8388608 ? largest : 8388608)) 40 -w 200 "$@"
    [ "$largest" -le 8388608 ] || sizes "$name" 33554432 "$largest" 10 -w 3 "$@"
}

# name, then the command line
peer() {
    local name=$1
    shift
    raise timeout 600 "$@" 2>/dev/null | awk -v name="$name" '$1 == "R" { print name, $3, $5 }'
}

gloo() {
    rm -rf "$work/store" && mkdir "$work/store"
    raise "$work/gloo" 1 2 "$work/store" gloo ring "$largest" >/dev/null 2>&1 &
    peer gloo "$work/gloo" 0 2 "$work/store" gloo ring "$largest"
    wait
}

round() {
    ours shm --transport shm
    [ -x "$work/ompi" ] && peer ompi mpirun.openmpi -np 2 --mca pml ob1 --mca btl vader,self "$work/ompi" ompi "$largest"
    ours registered --transport shm --register
    [ -x "$work/mpich" ] && peer mpich mpirun.mpich -np 2 -bind-to core "$work/mpich" mpich "$largest"
    [ -x "$work/ompi" ] && peer ompi-tuned mpirun.openmpi -np 2 --mca pml ob1 --mca btl vader,self \
        --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_allreduce_algorithm 5 \
        --mca coll_tuned_allreduce_algorithm_segmentsize 1048576 "$work/ompi" ompi "$largest"
    ours tcp --transport tcp
    [ -x "$work/ompi" ] && peer ompi-tcp mpirun.openmpi -np 2 --mca pml ob1 --mca btl tcp,self \
        --mca btl_tcp_if_include lo "$work/ompi" ompi "$largest"
    [ -x "$work/mpich" ] && peer mpich-tcp env UCX_TLS=tcp,self UCX_NET_DEVICES=lo MPIR_CVAR_NOLOCAL=1 \
        mpirun.mpich -np 2 -bind-to core "$work/mpich" mpich "$largest"
    [ -x "$work/gloo" ] && gloo
    return 0
}

# median or best
table() {
    sort -k1,1 -k2,2n -k3,3g | awk -v best="$([ "$1" = best ] && echo 1 || echo 0)" '
        function flush() { if (n) { median[key] = best ? v[1] : n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2 } n = 0 }
        { if ($1 " " $2 != key) { flush(); key = $1 " " $2; sizes[$2] = 1 } v[++n] = $3 }
        function cell(name, bytes) { if ((name " " bytes) in median) return sprintf("%.3g", median[name " " bytes]); return "-" }
        function ratio(mine, other, bytes) {
            if (((mine " " bytes) in median) && ((other " " bytes) in median)) {
                return sprintf("%.2f", median[mine " " bytes] / median[other " " bytes])
            }
            return "-"
        }
        END {
            flush()
            print "| bytes | shm | Open MPI | MPICH | shm/Open MPI | shm/MPICH | Open MPI tuned | shm/tuned | registered | registered/Open MPI | tcp | Open MPI tcp | MPICH tcp | Gloo | tcp/Open MPI | tcp/MPICH | tcp/Gloo |"
            print "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
            m = 0
            for (b in sizes) order[++m] = b + 0
            for (i = 1; i <= m; i++) for (j = i + 1; j <= m; j++) if (order[j] < order[i]) { t = order[i]; order[i] = order[j]; order[j] = t }
            for (i = 1; i <= m; i++) {
                b = order[i]
                printf "| %d | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", b, cell("shm", b), cell("ompi", b),
                    cell("mpich", b), ratio("shm", "ompi", b), ratio("shm", "mpich", b), cell("ompi-tuned", b),
                    ratio("shm", "ompi-tuned", b), cell("registered", b), ratio("registered", "ompi", b), cell("tcp", b),
                    cell("ompi-tcp", b), cell("mpich-tcp", b), cell("gloo", b), ratio("tcp", "ompi-tcp", b), ratio("tcp", "mpich-tcp", b),
                    ratio("tcp", "gloo", b)
            }
        }'
}

compile
"$here/mini-nccl" --version >/dev/null
for i in $(seq "$rounds"); do
    echo "round $i of $rounds, load $(cut -d' ' -f1 /proc/loadavg)" >&2
    round >>"$lines"
done
echo "$(date -u '+%Y-%m-%d %H:%M UTC'), $(lscpu | sed -n 's/^Model name: *//p'), $(nproc) cores, $rounds rounds, microseconds"
printf '\nMedian of the rounds\n\n'
table median <"$lines"
printf '\nBest round of each\n\n'
table best <"$lines"
