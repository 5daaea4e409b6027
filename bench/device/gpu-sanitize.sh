#!/usr/bin/env bash
# The small cases under compute-sanitizer: gpu-sanitize.sh [TOOL...] (memcheck, racecheck, synccheck). CLASSPATH and JAVA as in gpu-pair.sh.
# Prints each tool's own summary, one a rank, and what the checks say.
set -u
cd "$(dirname "$0")"
for tool in "${@:-memcheck}"; do
  for lane in PEER HOST; do
    for step in check:9 resident; do
      # Racecheck watches shared memory, which only the kernel that stays uses.
      [ "$tool" = racecheck ] && [ "$step" != resident ] && continue
      echo "$tool, $lane, $step"
      BRIEF=1 UNDER="compute-sanitizer --tool $tool --print-limit 3" timeout 100 ./gpu-pair.sh $lane $step 2>&1 |
        grep --line-buffered -v -e '^$' -e 'COMPUTE-SANITIZER'
    done
  done
done
