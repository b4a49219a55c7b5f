#!/usr/bin/env bash
# Times Tenon beside its peers, Pinocchio and MuJoCo, and writes tables, plots and bench/results/<cpu>_<isa>/summary.json.
#
#     bench/peers.sh [--quick] [--out FOLDER] [--loops FOLDER]
#
# It installs what it needs (packaging/bench_setup.sh), builds in build/release (Pinocchio once by each compiler: minutes
# and 4.5 GB of memory a file, the first time), measures, and reports. bench/README.md says what the rows are.
#   --quick        few robots and repetitions, into build/peers_quick: a smoke run, whose times mean nothing
#   --out FOLDER   where the report goes instead
#   --loops FOLDER with the sources of generalized_rbda (bench/peer/generalized_rbda/build.sh), which is then timed beside
#                  the robots with loops; without it they are held against its published times
# Environment: TENON_BENCH_REPETITIONS (default 7) and TENON_BENCH_MIN_TIME (seconds a row and repetition, default 0.01).
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../packaging/setup.sh"
cd "$TENON_ROOT"

quick=no out='' loops_sources=''
arguments=("$@")
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=yes ;;
    --out)
      [ $# -gt 1 ] || die "--out needs a folder."
      out=$2
      shift
      ;;
    --loops)
      [ $# -gt 1 ] || die "--loops needs a folder."
      loops_sources=$(cd "$2" && pwd) || die "there is no folder $2."
      shift
      ;;
    *) die "peers.sh knows --quick, --out FOLDER and --loops FOLDER, not '$1'." ;;
  esac
  shift
done

# The rows of dynamics_bench that the tables need: without methods that are nobody's choice, and batches of some robots.
trees='((aba|rnea|constrained)_(derivatives|vjp)|impact_derivatives|rnea_regressor|aba|rnea|crba)/'
ours='tenon:(automatic|constrained_aba(_1|_3)?|pv_early|prox_(pv|ltl|ltls)_(1|3))$'
matrices='delassus/(tenon:(automatic|efpa|pv_osimr)$|pinocchio)'
damped='damped_inverse/(tenon:(automatic|caba_osimf?|ltl_inverse|ltl_cholesky)$|pinocchio)'
batched='(panda_arm|iiwa14|solo12|go1|atlas|atlas_shadow_hands|talos_full_v2|chain_20|chain_100|binary_tree_93|binary_tree_189)'
filter="/$trees|/constrained/($ours|pinocchio|mujoco)|/$matrices|/$damped|^$batched/batch_(aba|rnea|crba|constrained|delassus|.*_derivatives|.*_vjp)"

# Robots that are timed in one process. Pinocchio's Data holds four arrays of nv^3 numbers, and each method has its own.
groups=(
  "panda_arm iiwa14 iiwa14_point"
  "solo12 solo12_two_feet go1"
  "atlas talos_reduced talos_full_v2 talos_full_v2_hands talos_full_v2_points"
  "atlas_shadow_hands atlas_shadow_hands_feet atlas_shadow_hands_one_hand"
  "chain_10 chain_20 chain_50 chain_100 spherical_chain_7 spherical_chain_14"
  "chain_200"
  "binary_tree_9 binary_tree_21 binary_tree_45 binary_tree_93"
  "binary_tree_189"
)
repetitions=${TENON_BENCH_REPETITIONS:-7} min_time=${TENON_BENCH_MIN_TIME:-0.01} seconds=0.5
if [ "$quick" = yes ]; then
  repetitions=2 min_time=0.001 seconds=0.05
  groups=("panda_arm iiwa14 solo12 atlas" "chain_20 chain_50")
  : "${out:=build/peers_quick}"
fi

printf 'Tenon beside its peers\n'
packaging/bench_setup.sh
build=$TENON_ROOT/build/release
step "configure" configure_preset release -DTENON_BUILD_BENCH=ON -DTENON_BENCH_PEERS=ON
free_gb=$(awk '/MemAvailable/ {print int($2 / 1e6)}' /proc/meminfo)
[ "$free_gb" -ge 5 ] || printf '  only %s GB of memory are free; a file of Pinocchio takes 4.5 to compile\n' "$free_gb"
step "build the library, the benchmarks and the peers" \
  cmake --build --preset release --parallel "${TENON_BUILD_JOBS:-$(nproc)}" --target dynamics_bench derivative_scaling loop_cost loop_study
loop_peers=()
if [ -n "$loops_sources" ]; then
  bench/peer/generalized_rbda/build.sh "$loops_sources"
  for library in "$TENON_ROOT"/build/generalized_rbda/build_*/libtenon_bench_loops_peer.so; do
    loop_peers+=("--peer=$library")
  done
fi

# Threads of Pinocchio's pools sleep between calls, so that they do not take cores from what is timed next.
export OMP_WAIT_POLICY=passive KMP_BLOCKTIME=0 OMP_DYNAMIC=false

raw=$TENON_ROOT/build/peers_raw
rm -rf "$raw"
mkdir -p "$raw"
load=$(cut -d' ' -f1-3 /proc/loadavg)
command="bench/peers.sh${arguments[*]:+ ${arguments[*]}}" # paths of this machine are not in the report
[ -z "$loops_sources" ] || command=$(sed -E 's/--loops [^ ]+/--loops FOLDER/' <<<"$command")
{
  echo "command: $command"
  echo "cpu: $(processor_name)"
  echo "cores: $(nproc)"
  echo "repetitions: $repetitions interleaved, at least $min_time s each"
  echo "load when it began: $load"
  awk '$1 > 0.5 {print "others: the cores were shared with other work, so only ratios count"}' <<<"$load"
} >"$raw/run.txt"

# measure name filter [--robot=NAME...]
part=0
measure() {
  local name=$1 rows=$2
  shift 2
  step "time $name" "$build/bin/dynamics_bench" "$@" --benchmark_filter="$rows" \
    --benchmark_enable_random_interleaving=true --benchmark_repetitions="$repetitions" \
    --benchmark_min_time="$min_time" --benchmark_out="$raw/dynamics_$((++part)).json" --benchmark_out_format=json
}
for group in "${groups[@]}"; do
  read -ra names <<<"$group"
  measure "${names[0]}$([ ${#names[@]} -eq 1 ] || echo " and $((${#names[@]} - 1)) more")" "$filter" "${names[@]/#/--robot=}"
done
measure "workspaces and cassie" "/creation/|/batch_rollout/" --robot=none
loops() {
  "$build/bin/loop_cost" --seconds "$seconds" >"$raw/loop_cost.txt" &&
    "$build/bin/loop_study" --study=speed --out="$raw" "${loop_peers[@]}" | tee "$raw/loop_study.txt"
}
step "time robots with loops" loops
growth() { "$build/bin/derivative_scaling" >"$raw/derivative_scaling.txt"; }
step "time how derivatives grow" growth
echo "load when it ended: $(cut -d' ' -f1-3 /proc/loadavg)" >>"$raw/run.txt"

python3 bench/dynamics/report.py "$raw" ${out:+--out "$out"}
