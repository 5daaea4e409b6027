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
