#!/usr/bin/env bash
# Writes src/generated/java anew from the C headers of this machine. See README.md for what it needs.
#   regenerate.sh [--check] [CUDA_INCLUDE_FOLDER]      --check: compare with what is committed and change nothing
set -euo pipefail
cd "$(dirname "$0")"

check=false
if [[ ${1:-} == --check ]]; then
    check=true
    shift
fi
cuda=${1:-/usr/local/cuda/include}

fail() {
    echo "regenerate: $*" >&2
    exit 2
}
command -v jextract >/dev/null || fail "no jextract on the PATH; README.md says where to get it"
version=$(jextract --version 2>&1)
libclang=$(sed -nE 's/.*LibClang version.* ([0-9]+)\.[0-9]+.*/\1/p' <<<"$version" | head -n 1)
[[ -n $libclang ]] || fail "cannot read libclang's version from: $version"
((libclang < 16)) || fail "libclang $libclang: from 16 on the output does not compile; use 13, 14 or 15"
[[ -f $cuda/cuda.h ]] || fail "no cuda.h in $cuda; give CUDA's include folder as the argument"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
package=dev.mininccl.bindings

# Functions go into one class, constants and structures into another, so that the latter load without the library.
# Each pair keeps this order: both runs write the two IPC handle structures, and the second copy stays.
generate() { # name, class prefix, library, header, include folder or ""
    local include=()
    [[ -z $5 ]] || include=(-I "$5")
    local common=(--symbols-class-name "$2Layouts" -t "$package.$1.gen" --output "$work/java" "${include[@]}")
    jextract "@$work/$1.functions" "${common[@]}" --header-class-name "$2" -l ":$3" "$4"
    jextract "@$work/$1.types" "${common[@]}" --header-class-name "$2Constants" "$4"
}
grep '^--include-function' ibverbs.includes >"$work/ibverbs.functions"
grep -E '^--include-(function .*|struct CUipc(Mem|Event)Handle_st)$' cuda.includes >"$work/cuda.functions"
for name in ibverbs cuda; do
    grep '^--include-' "$name.includes" | grep -v '^--include-function' >"$work/$name.types"
done
generate ibverbs Ibv libibverbs.so.1 '<infiniband/verbs.h>' ""
generate cuda Cuda libcuda.so.1 '<cuda.h>' "$cuda"

if $check; then
    diff -r ../src/generated/java "$work/java"
    echo "regenerate: the committed sources are what jextract writes"
else
    rm -rf ../src/generated/java
    cp -r "$work/java" ../src/generated/java
fi
