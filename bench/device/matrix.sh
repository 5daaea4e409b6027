#!/usr/bin/env bash
# The whole matrix on one machine with several GPUs, in less than nine minutes: matrix.sh FOLDER. For 2, 4 and 8 ranks as there are GPUs,
# every collective that perf offers, float and bfloat16, 8 B to 1 GiB in graphs beside NCCL in the same run, results verified up to 16 MiB;
# before that all kernels against a float64 reference. What SECONDS_IN_ALL (520) does not allow is left out, and said. The last lines are
# a table; FOLDER gets the same as matrix.json, one JSON a run, and the log.
#   RANKS="2 4"         other numbers of ranks; where they are more than the GPUs, ranks share them and only correctness is looked at
#   COLLECTIVES, TYPES  fewer of them
# JAVA is a JDK 25's launcher; CLASSPATH has all modules' classes and the jars of cli/target/modules beside them. NCCL is taken from
# PyTorch's packages unless NCCL_LIBRARY names one; it does without NVLink multicast.
set -u
mkdir -p "${1:?a folder for the results}"
out=$(realpath "$1")
cd "$(dirname "$0")" || exit 1
java=${JAVA:-java}
NCCL_LIBRARY=${NCCL_LIBRARY:-$(python3 -c 'import nvidia.nccl,os; print(os.path.join(list(nvidia.nccl.__path__)[0],"lib","libnccl.so.2"))' 2>/dev/null)}
export NCCL_LIBRARY NCCL_NVLS_ENABLE=0
gpus=$(nvidia-smi -L | wc -l)
wanted=${RANKS:-$(for n in 8 4 2; do [ "$n" -le "$gpus" ] && echo $n; done)}
budget=${SECONDS_IN_ALL:-520}
SECONDS=0

# step LIMIT NAME COMMAND...: within its limit and the budget
step() {
  local limit=$1 name=$2 left=$((budget - SECONDS)) start=$SECONDS status
  shift 2
  if [ $left -lt 10 ]; then
    echo "## $name: left out, no time"
    return
  fi
  timeout $((limit < left ? limit : left)) "$@" > "$out/step.txt" 2>&1
  status=$?
  { echo "## $name"; cat "$out/step.txt"; } >> "$out/log.txt"
  grep -hE 'WRONG|FAILED|^mini-nccl:|exception' "$out/step.txt" | cut -c1-220 | head -6
  echo "## $name: status $status, $((SECONDS - start)) s"
}
perf() {
  "$java" --enable-native-access=ALL-UNNAMED --add-modules jdk.incubator.vector -cp "$CLASSPATH" dev.mininccl.cli.Main perf "$@"
}
export -f perf
export java CLASSPATH

offered=
for collective in ${COLLECTIVES:-all_reduce all_gather reduce_scatter}; do
  if timeout 20 bash -c 'perf "$@"' perf "$collective" --threads --ranks 2 --memory host -b 64 -e 64 -n 1 -w 0 > /dev/null 2>&1; then
    offered="$offered $collective"
  fi
done
echo "# $gpus GPUs, ranks ${wanted//$'\n'/ }, collectives$offered"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sort | uniq -c

for n in $wanted; do
  step 60 "$n ranks, kernels against float64" bash gpu-ranks.sh PEER "$n" check:4
done
# ranks, collective, type, first and last size, factor, more options
beside() {
  local name="$1-$2-$3-$4"
  step 45 "$name" bash -c 'perf "$@"' perf "$2" --memory cuda --ranks "$1" --compare nccl --in-place -d "$3" -G 1 \
    -b "$4" -e "$5" -f "$6" --json "$out/$name.json" "${@:7}"
}
for part in float:small float:large bfloat16:small bfloat16:large; do
  type=${part%:*}
  [[ " ${TYPES:-float bfloat16} " == *" $type "* ]] || continue
  for n in $wanted; do
    for collective in $offered; do
      if [ "$n" -gt "$gpus" ]; then
        [ "${part#*:}" = large ] && continue
        step 60 "$n-$collective-$type shared" bash -c 'perf "$@"' perf "$collective" --memory cuda --ranks "$n" -d "$type" -b 8 -e 4M -f 16 -n 2 -w 1
      elif [ "${part#*:}" = small ]; then
        beside "$n" "$collective" "$type" 8 16M 8
      else
        beside "$n" "$collective" "$type" 64M 1G 4 -n 5 -c 0
      fi
    done
  done
done

python3 - "$out" <<'PY'
import glob, json, os, sys
runs = {}
for name in sorted(glob.glob(os.path.join(sys.argv[1], "*-*-*-*.json"))):
    run = json.load(open(name))
    theirs = {r["bytes"]: r for r in run["peers"][0]["results"]} if run["peers"] else {}
    rows = runs.setdefault((run["collective"], run["ranks"], run["type"]), [])
    for r in run["results"]:
        peer = theirs.get(r["bytes"])
        rows.append({"bytes": r["bytes"], "us": r["timeUs"]["median"], "nccl": peer and peer["timeUs"]["median"],
                     "busbw": r["busbwGBs"], "wrong": r["wrong"], "ncclWrong": peer and peer["wrong"]})
table = [{"collective": c, "ranks": n, "type": t, "rows": sorted(rows, key=lambda r: r["bytes"])} for (c, n, t), rows in sorted(runs.items())]
json.dump(table, open(os.path.join(sys.argv[1], "matrix.json"), "w"), indent=1)
for run in table:
    print(f'{run["collective"]}, {run["ranks"]} ranks, {run["type"]}: bytes | ours us | NCCL us | ratio | busbw GB/s | wrong')
    for r in run["rows"]:
        ratio = f'{r["us"] / r["nccl"]:6.3f}' if r["nccl"] else "     -"
        nccl = f'{r["nccl"]:9.2f}' if r["nccl"] else "        -"
        wrong = "-" if r["wrong"] is None else r["wrong"]
        print(f'{r["bytes"]:11d} | {r["us"]:9.2f} | {nccl} | {ratio} | {r["busbw"]:6.1f} | {wrong}')
PY
echo "# $SECONDS s"
