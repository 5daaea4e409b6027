#!/usr/bin/env bash
# Kills one of two processes in the middle of all-reduces and shows when the other heard of it. CLASSPATH and JAVA as in gpu-pair.sh.
set -u
run="${JAVA:-java} --enable-native-access=ALL-UNNAMED --add-modules jdk.incubator.vector -cp $CLASSPATH dev.mininccl.bench.gpu.DeviceLoss"
$run 0 &
survivor=$!
$run 1 &
victim=$!
sleep "${1:-3}"
echo "killed at $(date +%s%3N) ms"
kill -9 $victim
wait $survivor
