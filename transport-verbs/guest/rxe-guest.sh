#!/usr/bin/env bash
# rxe-guest.sh: run one command inside a throw-away virtual machine that has a
# Soft-RoCE (rdma_rxe) RDMA device.
set -euo pipefail


PROG=${0##*/}
HERE=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

usage() {
  cat <<USAGE
Usage: $PROG [options] -- COMMAND [ARG...]
       $PROG [options] --prepare        fetch and unpack everything, run nothing
       $PROG --clean                    remove the cache folder

Boots a Debian kernel in QEMU with this machine's file system (read-only, with
writes going to memory), the current folder (read-write) and Soft-RoCE devices
rxe0, rxe1, ...; runs COMMAND there; returns its exit status.

Options:
  --hosts N         N RDMA devices rxe0..rxe(N-1), each on its own network
                    interface and address 10.99.0.1..N (default 1, at most 16)
  --netem 'ARGS'    'tc netem' arguments for every interface, such as
                    'loss 1%' or 'delay 2ms' (works between devices, not
                    inside one)
  --mtu N           interface MTU (default 9000, an RDMA path MTU of 4096;
                    1500 gives 1024)
  --share DIR       one more folder to be read-write in the guest (repeatable)
  --env NAME[=VAL]  pass an environment variable (repeatable)
  --cpus N          virtual CPUs (default 2)
  --mem MIB         memory in MiB (default 4096)
  --timeout SEC     end the guest after SEC seconds, status 124 (default 1800)
  --accel A         QEMU accelerator: auto (default), multi, single, or QEMU's own
                    words
  --cpu MODEL       QEMU CPU model (default max,-erms,-fsrm)
  --kernel-log      copy the guest's kernel log to standard error
  -h, --help        this text

Environment: RXE_GUEST_CACHE        cache folder (default ~/.cache/rxe-guest)
             RXE_GUEST_KERNEL       kernel package (default: what linux-image-amd64
                                 depends on)
             RXE_GUEST_EXTRA_DEBS   more Debian packages to unpack for the guest
             RXE_GUEST_VERBOSE=1    say what is used and how long the boot took
             RXE_GUEST_TRACE=1      trace the set-up inside the guest

Exit status: COMMAND's own; 124 timed out; 125 the guest could not be prepared,
booted or set up.
USAGE
}

log() { printf '%s: %s\n' "$PROG" "$*" >&2; }
die() { log "error: $*"; exit 125; }

# ---------------------------------------------------------------- arguments
HOSTS=1 NETEM='' MTU=9000 CPUS=2 MEM=4096 TIMEOUT=1800 KLOG=0 PREPARE=0
ACCEL=${RXE_GUEST_ACCEL:-auto}
# Emulated 'rep movsb' is slow: without these flags copies take wider moves.
CPU=${RXE_GUEST_CPU:-max,-erms,-fsrm}
MACHINE=${RXE_GUEST_MACHINE:-q35}
SHARES=() ENVS=()
CACHE=${RXE_GUEST_CACHE:-${HOME:-/root}/.cache/rxe-guest}

need_arg() { [ $# -ge 2 ] || die "$1 needs a value"; }
is_num() { case $2 in ''|*[!0-9]*) die "$1: not a number: '$2'";; esac; }

while [ $# -gt 0 ]; do
  case $1 in
    --hosts)   need_arg "$@"; is_num "$1" "$2"; HOSTS=$2; shift 2;;
    --netem)   need_arg "$@"; NETEM=$2; shift 2;;
    --mtu)     need_arg "$@"; is_num "$1" "$2"; MTU=$2; shift 2;;
    --share)   need_arg "$@"; SHARES+=("$2"); shift 2;;
    --env)     need_arg "$@"; ENVS+=("$2"); shift 2;;
    --cpus)    need_arg "$@"; is_num "$1" "$2"; CPUS=$2; shift 2;;
    --mem)     need_arg "$@"; is_num "$1" "$2"; MEM=$2; shift 2;;
    --timeout) need_arg "$@"; is_num "$1" "$2"; TIMEOUT=$2; shift 2;;
    --accel)   need_arg "$@"; ACCEL=$2; shift 2;;
    --cpu)     need_arg "$@"; CPU=$2; shift 2;;
    --kernel-log) KLOG=1; shift;;
    --prepare) PREPARE=1; shift;;
    --clean)   case $CACHE in ''|/) die "refusing to remove '$CACHE'";; esac
               [ ! -e "$CACHE" ] || [ -e "$CACHE/.rxe-guest-cache" ] ||
                 die "$CACHE was not made by $PROG"
               rm -rf -- "$CACHE"; exit 0;;
    -h|--help) usage; exit 0;;
    --)        shift; break;;
    -*)        usage >&2; die "unknown option $1";;
    *)         break;;
  esac
done
[ "$PREPARE" = 1 ] || [ $# -gt 0 ] || { usage >&2; die "no command given"; }
[ "$HOSTS" -ge 1 ] && [ "$HOSTS" -le 16 ] || die "--hosts: 1 to 16"
[ "$MEM" -ge 512 ] || die "--mem: at least 512"
[ "$(uname -m)" = x86_64 ] || die "only x86_64 machines are supported"

. "$HERE/host/fetch.sh"
. "$HERE/host/prepare.sh"
. "$HERE/host/boot.sh"

prepare
[ "$PREPARE" = 0 ] || exit 0
choose_accel
run_guest "$@"
