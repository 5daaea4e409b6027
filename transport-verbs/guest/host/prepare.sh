# shellcheck shell=bash
# Part of rxe-guest.sh: fills the cache with a kernel, an initramfs and the packages of the guest.

# Bump when what the cache holds changes: the packages, the modules, inside/init.sh.
CACHE_FORMAT=3

# Loaded by the first stage, in an order that modprobe finds out.
GUEST_MODULES=(virtio_pci virtio_mmio virtio_console 9pnet_virtio 9p overlay
  crc32_generic ib_uverbs rdma_ucm rdma_rxe veth)

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
  local new=$CACHE/new kver
  rm -rf -- "$new" "$CACHE/ready"
  unpack_packages "$new"
  kver=$(cd "$new/kernel/boot" && echo vmlinuz-*)
  kver=${kver#vmlinuz-}
  keep_modules "$new" "$kver"
  keep_kernel "$new" "$kver"
  make_initramfs "$new" "$kver"
  rm -rf -- "$new/debs" "$new/kernel" "$new/init" "$new/mods" "$CACHE/cur"
  printf '%s\n' "$kver" >"$new/kver"
  mv "$new" "$CACHE/cur"
  printf '%s\n' "$want" >"$CACHE/ready"
  flock -s 9
  log "prepared kernel $kver in $CACHE"
}

unpack_packages() { # NEW: kernel/, ext/ below the guest's root, busybox in init/
  local d f
  mkdir -p "$1/debs" "$1/kernel" "$1/ext/usr/lib" "$1/ext/usr/bin" "$1/ext/usr/sbin" \
    "$1/ext/usr/lib64" "$1/init/bin" "$1/init/modules"
  for d in lib bin sbin lib64; do ln -s "usr/$d" "$1/ext/$d"; done
  fetch_debs "$1/debs"
  for f in "$1"/debs/*.deb; do
    case ${f##*/} in
      linux-image-*) unpack_deb "$f" "$1/kernel";;
      busybox-static_*) mkdir "$1/bb"; unpack_deb "$f" "$1/bb"
                        cp "$1/bb/bin/busybox" "$1/init/bin/busybox" ||
                          die "no busybox in ${f##*/}"; rm -rf "$1/bb";;
      *) unpack_deb "$f" "$1/ext";;
    esac
  done
}

keep_modules() { # NEW VERSION
  local m
  mkdir -p "$1/ext/usr/lib/modules"
  mv "$1/kernel/lib/modules/$2" "$1/ext/usr/lib/modules/" || die "no modules for kernel $2"
  # Never of use here, and most of the size.
  (cd "$1/ext/usr/lib/modules/$2/kernel" &&
    rm -rf sound drivers/gpu drivers/media drivers/staging drivers/iio drivers/usb)
  PATH=$PATH:/usr/sbin:/sbin depmod -b "$1/ext" "$2" || die "depmod failed"
  for m in rdma_rxe ib_uverbs 9p 9pnet_virtio overlay virtio_console virtio_pci; do
    [ -n "$(find "$1/ext/usr/lib/modules/$2" -name "$m.ko*" -print -quit)" ] ||
      die "kernel $2 has no module $m"
  done
}

keep_kernel() { # NEW VERSION: an unpacked one too, which starts several seconds sooner under emulation
  local off
  cp "$1/kernel/boot/vmlinuz-$2" "$1/vmlinuz"
  off=$(LC_ALL=C grep -abo $'\xFD7zXZ' "$1/vmlinuz" | head -n 1 | cut -d: -f1 || true)
  [ -n "$off" ] || return 0
  tail -c +$((off + 1)) "$1/vmlinuz" | xz -dc --single-stream >"$1/vmlinux" 2>/dev/null || true
  [ "$(head -c 4 "$1/vmlinux")" = $'\x7fELF' ] || rm -f "$1/vmlinux"
}

make_initramfs() { # NEW VERSION: busybox, the first stage and the modules that it needs, in order
  local m f
  install -m 755 "$HERE/inside/init.sh" "$1/init/init"
  for m in "${GUEST_MODULES[@]}"; do
    PATH=$PATH:/usr/sbin:/sbin modprobe -d "$1/ext" -S "$2" --show-depends "$m" ||
      die "module $m: cannot resolve"
  done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' >"$1/mods"
  while read -r f; do
    cp "$f" "$1/init/modules/" && echo "${f##*/}"
  done <"$1/mods" >"$1/init/modules.order"
  [ -s "$1/init/modules.order" ] || die "no modules for the initramfs"
  (cd "$1/init" && find . | LC_ALL=C sort | cpio --quiet -o -H newc) >"$1/initrd" ||
    die "cannot write the initramfs"
}
