#!/usr/bin/env bash
# rxe-guest.sh: run one command inside a throw-away virtual machine that has a
# Soft-RoCE (rdma_rxe) RDMA device.
set -euo pipefail

PROG=${0##*/}

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

# ------------------------------------------------------------------ prepare
# Unpacked for the guest below this machine's own file system: what is already
# installed here wins, so the list may name packages that are installed.
GUEST_DEBS=(
  libibverbs1 ibverbs-providers librdmacm1 libibumad3 libnl-3-200 libnl-route-3-200
  ibverbs-utils rdmacm-utils rdma-core perftest libpci3
  iproute2 libbpf1 libelf1 libmnl0 libxtables12 libtirpc3 libcap2 libcap2-bin
  libbsd0 libmd0 kmod libkmod2 liblzma5 libzstd1
)

apt_updated=0
apt_update_once() {
  [ "$apt_updated" = 0 ] || return 0
  apt_updated=1
  if [ "$(id -u)" = 0 ]; then
    log "updating the package lists"
    apt-get -qq update >/dev/null 2>&1 || log "warning: 'apt-get update' reported errors"
  fi
}

install_host_tools() {
  local want=()
  command -v qemu-system-x86_64 >/dev/null || want+=(qemu-system-x86)
  command -v cpio >/dev/null || want+=(cpio)
  command -v xz >/dev/null || want+=(xz-utils)
  PATH=$PATH:/usr/sbin:/sbin command -v depmod >/dev/null || want+=(kmod)
  [ ${#want[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null || die "missing ${want[*]}, and there is no apt-get"
  [ "$(id -u)" = 0 ] || die "missing packages; as root: apt-get install ${want[*]}"
  apt_update_once
  log "installing ${want[*]}"
  local out
  out=$(DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        "${want[@]}" 2>&1) || { printf '%s\n' "$out" | tail -n 20 >&2
        die "apt-get could not install ${want[*]}"; }
}

kernel_package() {
  [ -z "${RXE_GUEST_KERNEL:-}" ] || { printf '%s\n' "$RXE_GUEST_KERNEL"; return; }
  apt-cache depends linux-image-amd64 2>/dev/null |
    sed -n 's/^ *|\{0,1\}Depends: \(linux-image-[0-9].*\)$/\1/p' | head -n 1
}

fetch_debs() { # FOLDER: the kernel and everything else, as .deb files
  local opt=() out='' try kpkg
  [ "$(id -u)" != 0 ] || opt=(-o APT::Sandbox::User=root)
  for try in 1 2; do
    kpkg=$(kernel_package)
    if [ -n "$kpkg" ]; then
      log "fetching $kpkg and $((${#GUEST_DEBS[@]} + 1)) packages for the guest"
      # shellcheck disable=SC2086
      out=$(cd "$1" && apt-get "${opt[@]}" download "$kpkg" busybox-static \
            "${GUEST_DEBS[@]}" ${RXE_GUEST_EXTRA_DEBS:-} 2>&1) && return 0
    else
      out="no package linux-image-amd64 is known (RXE_GUEST_KERNEL names another)"
    fi
    [ "$try" = 2 ] || apt_update_once
  done
  printf '%s\n' "$out" | tail -n 20 >&2
  die "apt-get could not download the packages for the guest"
}

unpack_deb() { # DEB FOLDER: keeps links such as lib -> usr/lib
  dpkg-deb --fsys-tarfile "$1" |
    tar -x --keep-directory-symlink --no-same-owner -C "$2" || die "cannot unpack $1"
}

write_init() { # PATH
  cat >"$1" <<'INIT'
#!/bin/busybox sh
# First program of the guest: mounts the shares and starts the second stage.
B=/bin/busybox
fail() { echo "rxe-guest-init: $*" >/dev/console; $B poweroff -f; $B sleep 10; }
$B mkdir -p /proc /sys /dev /l/host /l/ext /rw /n
$B mount -t proc proc /proc
$B mount -t sysfs sysfs /sys
$B mount -t devtmpfs dev /dev
while read -r m; do $B insmod "/modules/$m" || fail "cannot load $m"; done </modules.order
O=trans=virtio,version=9p2000.L,msize=512000
$B mount -t 9p -o ro,cache=loose,$O rxehost /l/host || fail "no root share"
$B mount -t 9p -o ro,cache=loose,$O rxeext /l/ext || fail "no package share"
$B mount -t tmpfs -o size=75%,mode=755 rw /rw
$B mkdir /rw/u /rw/w
$B mount -t overlay -o lowerdir=/l/host:/l/ext,upperdir=/rw/u,workdir=/rw/w root /n ||
  fail "no overlay"
$B mkdir -p /n/proc /n/sys /n/dev /n/run /n/tmp
$B mount -t proc proc /n/proc
$B mount -t sysfs sysfs /n/sys
$B mount -t devtmpfs dev /n/dev
$B mount -t tmpfs -o mode=755 run /n/run
$B mkdir -p /n/run/rxe-guest /n/dev/pts /n/dev/shm
$B mount -t devpts devpts /n/dev/pts
$B mount -t tmpfs -o mode=1777 shm /n/dev/shm
$B mount -t 9p -o cache=none,$O rxectl /n/run/rxe-guest || fail "no control share"
$B cp $B /n/run/busybox
# Process 1 itself changes root, so that the kernel finds modprobe there.
exec $B chroot /n /run/busybox sh -c '/bin/bash /run/rxe-guest/stage2 </dev/null >/dev/console 2>&1
/run/busybox poweroff -f; /run/busybox sleep 10'
INIT
  chmod 755 "$1"
}

# Bump when what the cache holds changes.
CACHE_FORMAT=3

prepare() {
  install_host_tools
  mkdir -p "$CACHE" || die "cannot make $CACHE"
  : >"$CACHE/.rxe-guest-cache"
  # Guests hold the lock shared for as long as they run; filling needs it alone.
  exec 9>"$CACHE/lock"
  flock -s 9
  local want="$CACHE_FORMAT ${RXE_GUEST_KERNEL:-default} ${RXE_GUEST_EXTRA_DEBS:-}"
  is_ready() { [ -e "$CACHE/ready" ] && [ "$(cat "$CACHE/ready")" = "$want" ]; }
  ! is_ready || return 0
  flock -n 9 || { log "waiting for other guests that use $CACHE"; flock 9; }
  ! is_ready || { flock -s 9; return 0; }
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null ||
    die "apt-get and dpkg-deb are needed to fill $CACHE"
  local t=$CACHE/new kver d
  rm -rf -- "$t" "$CACHE/ready"
  mkdir -p "$t/debs" "$t/kernel" "$t/ext/usr/lib" "$t/ext/usr/bin" "$t/ext/usr/sbin" \
    "$t/ext/usr/lib64" "$t/init/bin" "$t/init/modules"
  for d in lib bin sbin lib64; do ln -s "usr/$d" "$t/ext/$d"; done

  fetch_debs "$t/debs"
  local f
  for f in "$t"/debs/*.deb; do
    case ${f##*/} in
      linux-image-*) unpack_deb "$f" "$t/kernel";;
      busybox-static_*) mkdir "$t/bb"; unpack_deb "$f" "$t/bb"
                        cp "$t/bb/bin/busybox" "$t/init/bin/busybox" ||
                          die "no busybox in ${f##*/}"; rm -rf "$t/bb";;
      *) unpack_deb "$f" "$t/ext";;
    esac
  done
  kver=$(cd "$t/kernel/boot" && echo vmlinuz-*)
  kver=${kver#vmlinuz-}
  mkdir -p "$t/ext/usr/lib/modules"
  mv "$t/kernel/lib/modules/$kver" "$t/ext/usr/lib/modules/" || die "no modules for kernel $kver"
  # Never of use here, and most of the size.
  (cd "$t/ext/usr/lib/modules/$kver/kernel" &&
    rm -rf sound drivers/gpu drivers/media drivers/staging drivers/iio drivers/usb)
  PATH=$PATH:/usr/sbin:/sbin depmod -b "$t/ext" "$kver" || die "depmod failed"
  local m
  for m in rdma_rxe ib_uverbs 9p 9pnet_virtio overlay virtio_console virtio_pci; do
    [ -n "$(find "$t/ext/usr/lib/modules/$kver" -name "$m.ko*" -print -quit)" ] ||
      die "kernel $kver has no module $m"
  done

  # An unpacked kernel starts several seconds sooner under emulation.
  local off
  cp "$t/kernel/boot/vmlinuz-$kver" "$t/vmlinuz"
  off=$(LC_ALL=C grep -abo $'\xFD7zXZ' "$t/vmlinuz" | head -n 1 | cut -d: -f1 || true)
  if [ -n "$off" ]; then
    tail -c +$((off + 1)) "$t/vmlinuz" | xz -dc --single-stream >"$t/vmlinux" 2>/dev/null || true
    [ "$(head -c 4 "$t/vmlinux")" = $'\x7fELF' ] || rm -f "$t/vmlinux"
  fi

  # initramfs: busybox, the first stage and the modules that it needs, in order
  write_init "$t/init/init"
  local mods=(virtio_pci virtio_mmio virtio_console 9pnet_virtio 9p overlay
              crc32_generic ib_uverbs rdma_ucm rdma_rxe veth)
  for m in "${mods[@]}"; do
    PATH=$PATH:/usr/sbin:/sbin modprobe -d "$t/ext" -S "$kver" --show-depends "$m" ||
      die "module $m: cannot resolve"
  done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' >"$t/mods"
  while read -r f; do
    cp "$f" "$t/init/modules/" && echo "${f##*/}"
  done <"$t/mods" >"$t/init/modules.order"
  [ -s "$t/init/modules.order" ] || die "no modules for the initramfs"
  (cd "$t/init" && find . | LC_ALL=C sort | cpio --quiet -o -H newc) >"$t/initrd" ||
    die "cannot write the initramfs"

  rm -rf -- "$t/debs" "$t/kernel" "$t/init" "$t/mods" "$CACHE/cur"
  printf '%s\n' "$kver" >"$t/kver"
  mv "$t" "$CACHE/cur"
  printf '%s\n' "$want" >"$CACHE/ready"
  flock -s 9
  log "prepared kernel $kver in $CACHE"
}

# Emulated CPUs that run in parallel lose a lot when this machine's CPUs are
# busy (one waits for another that is not running), so take turns then.
choose_accel() {
  local busy=0
  case $ACCEL in
    auto)
      if [ -r /proc/pressure/cpu ]; then
        busy=$(sed -n 's/^some avg10=\([0-9]*\).*/\1/p' /proc/pressure/cpu 2>/dev/null || true)
      fi
      if [ "$(nproc)" -lt 2 ] || [ "${busy:-0}" -ge 25 ]; then ACCEL=single; else ACCEL=multi; fi;;
  esac
  case $ACCEL in multi|single) ACCEL=tcg,thread=$ACCEL,tb-size=512;; esac
  [ -z "${RXE_GUEST_VERBOSE:-}" ] || log "accelerator $ACCEL, CPU $CPU"
}

# -------------------------------------------------------------- second stage
write_stage2() { # PATH
  cat >"$1" <<'STAGE2'
# Second stage, in the guest, on the shared root: devices, then the command.
C=/run/rxe-guest
. $C/config
if [ -n "$TRACE" ]; then
  exec 2>$C/trace
  PS4='+$EPOCHREALTIME '
  set -x
fi
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
setup_failed() { echo "$*" >$C/failed; exit 1; }
step() { "$@" || setup_failed "guest set-up failed: $*"; }

for i in "${!GUEST_SHARES[@]}"; do
  d=${GUEST_SHARES[$i]}
  [ -d "$d" ] || mkdir -p "$d" || setup_failed "no folder $d"
  step /run/busybox mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000,cache=mmap "rxeshare$i" "$d"
done

echo rxe-guest >/proc/sys/kernel/hostname
ulimit -l unlimited
ln -s /proc/self/fd /dev/fd
ulimit -n 65536 2>/dev/null

# One 'ip -batch' and one 'rdma': starting a program is slow under emulation.
for f in all default; do
  echo 0 >/proc/sys/net/ipv6/conf/$f/accept_dad
  echo 0 >/proc/sys/net/ipv4/conf/$f/rp_filter
  echo 1 >/proc/sys/net/ipv4/conf/$f/accept_local
done 2>/dev/null
mac() { printf -v MAC '02:00:0a:63:00:%02x' $(($1 + 1)); }
{
  echo "link set lo up"
  if [ "$HOSTS" -gt 2 ]; then
    modprobe bridge
    echo "link add br0 mtu $MTU type bridge forward_delay 0 mcast_snooping 0"
    echo "link set br0 up"
  fi
  for ((i = 0; i < HOSTS; i++)); do
    mac "$i"
    if [ "$HOSTS" != 2 ]; then
      echo "link add rdma$i mtu $MTU address $MAC type veth peer name port$i mtu $MTU"
      if [ "$HOSTS" = 1 ]; then echo "link set port$i up"
      else echo "link set port$i master br0 up"; fi
    elif [ "$i" = 0 ]; then
      M0=$MAC; mac 1
      echo "link add rdma0 mtu $MTU address $M0 type veth peer name rdma1 mtu $MTU address $MAC"
    fi
    echo "link set rdma$i up"
    echo "addr add 10.99.0.$((i + 1))/24 dev rdma$i"
  done
  if [ "$HOSTS" -gt 1 ]; then
    # All addresses are this machine's own. Local delivery is looked up only
    # for packets that came in over an interface, so packets from one interface
    # to another really cross the wire, with whatever netem does to them.
    echo "rule add pref 10 to 127.0.0.0/8 lookup local"
    for ((i = 0; i < HOSTS; i++)); do
      echo "rule add pref 20 iif rdma$i lookup local"
      echo "rule add pref 30 from 10.99.0.$((i + 1)) to 10.99.0.$((i + 1)) lookup local"
      for ((j = 0; j < HOSTS; j++)); do
        mac "$j"
        [ "$i" = "$j" ] || echo "neigh replace 10.99.0.$((j + 1)) lladdr $MAC dev rdma$i nud permanent"
      done
    done
    echo "rule del pref 0"
  fi
} >/run/ip.batch
step ip -batch /run/ip.batch
for ((i = 0; i < HOSTS; i++)); do
  echo "link add rxe$i type rxe netdev rdma$i"
done >/run/rdma.batch
step rdma -b /run/rdma.batch
if [ -n "$NETEM" ]; then
  step modprobe sch_netem
  for ((i = 0; i < HOSTS; i++)); do
    # shellcheck disable=SC2086
    step tc qdisc replace dev "rdma$i" root netem $NETEM
  done
fi
[ -e /dev/infiniband/uverbs0 ] || setup_failed "no /dev/infiniband/uverbs0"

mkfifo /run/out /run/err
cat /run/out >/dev/vport0p1 & p1=$!
cat /run/err >/dev/vport0p2 & p2=$!
read -r up _ </proc/uptime; echo "$up" >$C/uptime
(
  . $C/environment
  cd "$GUEST_CWD" || exit 125
  exec "${GUEST_COMMAND[@]}"
) </dev/null >/run/out 2>/run/err
st=$?
# Let the last output through; do not wait for what the command left running.
for ((i = 0; i < 100; i++)); do
  kill -0 $p1 2>/dev/null || kill -0 $p2 2>/dev/null || break
  sleep 0.02
done
echo "$st" >$C/status
STAGE2
}

# ------------------------------------------------------------------- run it
RUN='' QEMU_PID='' CATS=()
cleanup() {
  local st=$?
  trap - EXIT INT TERM HUP
  if [ -n "$QEMU_PID" ] && kill -0 "$QEMU_PID" 2>/dev/null; then
    kill "$QEMU_PID" 2>/dev/null || true
    for _ in $(seq 50); do kill -0 "$QEMU_PID" 2>/dev/null || break; sleep 0.1; done
    kill -9 "$QEMU_PID" 2>/dev/null || true
  fi
  local p
  for p in "${CATS[@]}"; do kill "$p" 2>/dev/null || true; done
  [ -z "$RUN" ] || rm -rf -- "$RUN"
  exit "$st"
}

run_guest() {
  local cur=$CACHE/cur cwd i e
  cwd=$(pwd -P)
  RUN=$(mktemp -d "${TMPDIR:-/tmp}/rxe-guest.XXXXXX")
  trap cleanup EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  mkdir "$RUN/ctl"
  write_stage2 "$RUN/ctl/stage2"

  local shares=() s
  for s in "$cwd" "${SHARES[@]}"; do
    [ -d "$s" ] || die "--share: no folder $s"
    s=$(cd "$s" && pwd -P)
    [ "$s" != / ] || die "the root folder cannot be shared read-write; change to another folder"
    case $s/ in
      /proc/*|/sys/*|/dev/*|/run/*) die "$s cannot be shared: the guest has its own there";;
    esac
    shares+=("$s")
  done
  {
    printf 'TRACE=%q\n' "${RXE_GUEST_TRACE:-}"
    printf 'HOSTS=%q\nMTU=%q\nNETEM=%q\n' "$HOSTS" "$MTU" "$NETEM"
    printf 'GUEST_SHARES=('; printf '%q ' "${shares[@]}"; printf ')\n'
    printf 'GUEST_CWD=%q\n' "$cwd"
    printf 'GUEST_COMMAND=('; printf '%q ' "$@"; printf ')\n'
  } >"$RUN/ctl/config"
  for e in PATH HOME USER LOGNAME LANG LC_ALL TERM TZ JAVA_HOME JAVA_TOOL_OPTIONS CI "${ENVS[@]}"; do
    case $e in
      *=*) printf 'export %s=%q\n' "${e%%=*}" "${e#*=}";;
      *) [ -z "${!e+x}" ] || printf 'export %s=%q\n' "$e" "${!e}";;
    esac
  done >"$RUN/ctl/environment"

  mkfifo "$RUN/out" "$RUN/err"
  cat "$RUN/out" & CATS+=($!)
  cat "$RUN/err" >&2 & CATS+=($!)

  local kernel=$cur/vmlinuz
  [ ! -e "$cur/vmlinux" ] || kernel=$cur/vmlinux
  local q=(qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot
    -machine "$MACHINE" -accel "$ACCEL" -cpu "$CPU" -smp "$CPUS" -m "$MEM"
    -kernel "$kernel" -initrd "$cur/initrd"
    -append "console=ttyS0 quiet loglevel=4 panic=-1 random.trust_cpu=1 mitigations=off nokaslr tsc=reliable audit=0 ${RXE_GUEST_APPEND:-}"
    -serial "file:$RUN/console"
    -device virtio-serial-pci
    -chardev "file,id=out,path=$RUN/out" -device virtserialport,chardev=out,nr=1
    -chardev "file,id=err,path=$RUN/err" -device virtserialport,chardev=err,nr=2
    -fsdev local,id=f0,path=/,security_model=none,readonly=on,multidevs=remap
    -device virtio-9p-pci,fsdev=f0,mount_tag=rxehost
    -fsdev "local,id=f1,path=$cur/ext,security_model=none,readonly=on,multidevs=remap"
    -device virtio-9p-pci,fsdev=f1,mount_tag=rxeext
    -fsdev "local,id=f2,path=$RUN/ctl,security_model=none,multidevs=remap"
    -device virtio-9p-pci,fsdev=f2,mount_tag=rxectl)
  for i in "${!shares[@]}"; do
    # QEMU wants a comma in a path doubled.
    q+=(-fsdev "local,id=s$i,path=${shares[$i]//,/,,},security_model=none,multidevs=remap"
        -device "virtio-9p-pci,fsdev=s$i,mount_tag=rxeshare$i")
  done

  "${q[@]}" </dev/null >"$RUN/qemu.log" 2>&1 &
  QEMU_PID=$!
  local deadline=$((SECONDS + TIMEOUT)) timed_out=0
  while kill -0 "$QEMU_PID" 2>/dev/null; do
    if [ "$SECONDS" -ge "$deadline" ]; then
      timed_out=1
      kill "$QEMU_PID" 2>/dev/null || true
      break
    fi
    sleep 0.1
  done
  wait "$QEMU_PID" 2>/dev/null || true
  QEMU_PID=''
  for _ in $(seq 50); do # the readers end when QEMU has closed its ends
    kill -0 "${CATS[0]}" 2>/dev/null || kill -0 "${CATS[1]}" 2>/dev/null || break
    sleep 0.02
  done
  [ "$KLOG" = 0 ] || cat "$RUN/console" >&2 || true
  [ -z "${RXE_GUEST_TRACE:-}" ] || cat "$RUN/ctl/trace" >&2 || true
  [ ! -e "$RUN/ctl/uptime" ] || [ -z "${RXE_GUEST_VERBOSE:-}" ] ||
    log "guest was ready $(cat "$RUN/ctl/uptime") s after its kernel started"
  if [ "$timed_out" = 1 ]; then
    log "timed out after $TIMEOUT s"
    return 124
  fi
  if [ -s "$RUN/ctl/status" ]; then
    return "$(cat "$RUN/ctl/status")"
  fi
  { echo "--- end of the guest's console:"; tail -n 30 "$RUN/console" 2>/dev/null
    echo "--- QEMU said:"; tail -n 10 "$RUN/qemu.log"; } >&2
  [ ! -s "$RUN/ctl/failed" ] || die "$(cat "$RUN/ctl/failed")"
  die "the guest ended without running the command"
}

prepare
[ "$PREPARE" = 0 ] || exit 0
choose_accel
run_guest "$@"
