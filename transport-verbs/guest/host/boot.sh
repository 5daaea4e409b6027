# shellcheck shell=bash
# Part of rxe-guest.sh: boots the guest, passes its output on and finds out how the command ended.

RUN='' QEMU_PID='' CATS=()

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

# The folders that are read-write in the guest, the current one first: SHARES as absolute paths.
resolve_shares() {
  local shares=() s
  for s in "$(pwd -P)" "${SHARES[@]}"; do
    [ -d "$s" ] || die "--share: no folder $s"
    s=$(cd "$s" && pwd -P)
    [ "$s" != / ] || die "the root folder cannot be shared read-write; change to another folder"
    case $s/ in
      /proc/*|/sys/*|/dev/*|/run/*) die "$s cannot be shared: the guest has its own there";;
    esac
    shares+=("$s")
  done
  SHARES=("${shares[@]}")
}

# What inside/setup.sh needs to know. COMMAND...
write_control() {
  local e
  mkdir "$RUN/ctl"
  cp "$HERE/inside/setup.sh" "$RUN/ctl/stage2"
  {
    printf 'TRACE=%q\n' "${RXE_GUEST_TRACE:-}"
    printf 'HOSTS=%q\nMTU=%q\nNETEM=%q\n' "$HOSTS" "$MTU" "$NETEM"
    printf 'GUEST_SHARES=('; printf '%q ' "${SHARES[@]}"; printf ')\n'
    printf 'GUEST_CWD=%q\n' "$(pwd -P)"
    printf 'GUEST_COMMAND=('; printf '%q ' "$@"; printf ')\n'
  } >"$RUN/ctl/config"
  for e in PATH HOME USER LOGNAME LANG LC_ALL TERM TZ JAVA_HOME JAVA_TOOL_OPTIONS CI "${ENVS[@]}"; do
    case $e in
      *=*) printf 'export %s=%q\n' "${e%%=*}" "${e#*=}";;
      *) [ -z "${!e+x}" ] || printf 'export %s=%q\n' "$e" "${!e}";;
    esac
  done >"$RUN/ctl/environment"
}

start_qemu() {
  local cur=$CACHE/cur kernel i
  kernel=$cur/vmlinuz
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
  for i in "${!SHARES[@]}"; do
    # QEMU wants a comma in a path doubled.
    q+=(-fsdev "local,id=s$i,path=${SHARES[$i]//,/,,},security_model=none,multidevs=remap"
        -device "virtio-9p-pci,fsdev=s$i,mount_tag=rxeshare$i")
  done
  "${q[@]}" </dev/null >"$RUN/qemu.log" 2>&1 &
  QEMU_PID=$!
}

# Returns once the guest has ended; 1 if it had to be ended.
await_qemu() {
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
  return $timed_out
}

run_guest() { # COMMAND...
  local timed_out=0
  resolve_shares
  RUN=$(mktemp -d "${TMPDIR:-/tmp}/rxe-guest.XXXXXX")
  trap cleanup EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  write_control "$@"
  mkfifo "$RUN/out" "$RUN/err"
  cat "$RUN/out" & CATS+=($!)
  cat "$RUN/err" >&2 & CATS+=($!)
  start_qemu
  await_qemu || timed_out=1
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
