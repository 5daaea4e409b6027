#!/usr/bin/env bash
# Compiles the kernels to the PTX that is committed under ../resources/dev/mininccl/core/gpu, one file a family and type.
#   build.sh           writes them
#   build.sh --check   writes them elsewhere, compares, and assembles each for every architecture we promise
# Needs nvcc and ptxas 13.0 (another release writes other PTX). PTX 7.0 for sm_70 is what CUDA 11.0 drivers load; nvcc 13
# emits 9.0 for sm_75 of code that assembles unchanged below that, but for one optimisation hint, which is dropped.
set -euo pipefail
cd "$(dirname "$0")"
committed=../resources/dev/mininccl/core/gpu
architectures="75 80 86 89 90 100 120"
families="ll ll2 ll128 exchange ring twoshot ll_twoshot ll128_twoshot mesh scatter reduce resident"
types="int8=i8 uint8=u8 int32=i32 uint32=ui32 int64=i64 uint64=ui64 float16=f16 float32=f32 float64=f64 bfloat16=bf16
       float8e4m3=f8e4m3 float8e5m2=f8e5m2"

compile() { # source, target, further arguments
  nvcc -ptx -arch=compute_75 -O3 "${@:3}" "$1" -o "$2.raw"
  sed -e 's/^\.version .*/.version 7.0/; s/^\.target .*/.target sm_70/; /used_bytes_mask/d; s@[ \t]*//.*$@@; /^[ \t]*$/d' "$2.raw" > "$2"
  rm "$2.raw"
}

jobs_for() {
  for family in $families; do
    for type in $types; do echo "$family.cu $1/${family}_${type%%=*}.ptx -DELEMENT=${type##*=}"; done
  done
  for family in steps prove relay gather; do echo "$family.cu $1/$family.ptx"; done
}

assemble() {
  for sm in $architectures; do ptxas -arch="sm_$sm" "$1" -o "$1.sm" || exit 255; done
  rm "$1.sm"
}

export -f compile assemble
export architectures
target=$committed
[ "${1:-}" = --check ] && target=$(mktemp -d) && trap 'rm -r "$target"' EXIT
mkdir -p "$target"
jobs_for "$target" | xargs -P "$(nproc)" -L 1 bash -euc 'compile "$@"' compile
if [ "${1:-}" = --check ]; then
  diff -r -q --exclude='*.java' "$committed" "$target"
  find "$target" -name '*.ptx' -print0 | xargs -0 -P "$(nproc)" -n 1 bash -euc 'assemble "$@"' assemble
  echo "kernels: committed PTX is what the sources give; assembles for sm_${architectures// /, sm_}"
fi
