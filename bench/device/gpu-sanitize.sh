#!/usr/bin/env bash
# The small cases under compute-sanitizer: gpu-sanitize.sh [TOOL...] (memcheck, initcheck, racecheck, synccheck). CLASSPATH and JAVA as in
# gpu-pair.sh. Prints each tool's own summary, one a rank, and what the checks say. Racecheck watches shared memory, which only the kernel
# that stays uses; the others are left as they are, since set-up's proofs do not get through it before their deadline.
set -u
cd "$(dirname "$0")"
for tool in "${@:-memcheck}"; do
  for lane in PEER HOST; do
    for step in check:45 resident; do
      kernels=
      if [ "$tool" = racecheck ]; then
        [ "$step" = resident ] || continue
        kernels="--kernel-name kns=resident"
      fi
      echo "$tool, $lane, $step"
      BRIEF=1 UNDER="compute-sanitizer --tool $tool $kernels --print-limit 3" timeout -k 5 100 ./gpu-pair.sh $lane $step 2>&1 |
        grep --line-buffered -v -e '^$' -e 'COMPUTE-SANITIZER'
    done
  done
done
