#!/bin/bash
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
