# shellcheck shell=bash
# Part of rxe-guest.sh: gets programs for this machine and packages for the guest.

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
