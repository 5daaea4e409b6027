#!/usr/bin/env bash
# Whether host and GPU engine give the same bits in reproducible mode: gpu-bits.sh RANKS, threads of one process on all GPUs in turn.
# CLASSPATH and JAVA as in gpu-pair.sh.
set -u
export CUDA_DEVICE_MAX_CONNECTIONS=32 # ranks of one process on one GPU need a queue for each of their streams
exec "${JAVA:-java}" --enable-native-access=ALL-UNNAMED --add-modules jdk.incubator.vector -Xmx4g -cp "$CLASSPATH" \
  dev.mininccl.bench.gpu.Bits "$1"
