#!/usr/bin/env bash
# Derivatives by Tenon and its peers, errors against the complex step and times, as a table:
# bench/results/<cpu>_<isa>/derivatives.md and derivatives.json, which the site shows.
#
#     bench/derivatives.sh [--quick] [--out FOLDER]
#
# It installs the peers (packaging/bench_setup.sh --derivatives: Pinocchio, MuJoCo, CasADi and JAX from PyPI at the versions
# there), builds the library and Pinocchio's templates (minutes and 4.5 GB of memory a file, the first time), measures and
# writes. bench/derivatives/README.md says what the columns are.
#   --quick        one robot and few repetitions, into build/derivatives_quick: a smoke run, whose times mean nothing
#   --out FOLDER   where the table goes instead
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../packaging/setup.sh"
cd "$TENON_ROOT"

quick=() out='' arguments=("$@")
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=(--quick) ;;
    --out)
      [ $# -gt 1 ] || die "--out needs a folder."
      out=$2
      shift
      ;;
    *) die "derivatives.sh knows --quick and --out FOLDER, not '$1'." ;;
  esac
  shift
done
[ ${#quick[@]} -eq 0 ] || : "${out:=build/derivatives_quick}"

printf 'Derivatives beside the peers\n'
packaging/bench_setup.sh --derivatives
install_parser
write_declarations
build=$TENON_ROOT/build/release
step "configure" configure_preset release -DTENON_BUILD_BENCH=ON -DTENON_BENCH_PEERS=ON
step "build the library, the benchmark and the peers" \
  cmake --build --preset release --parallel "${TENON_BUILD_JOBS:-$(nproc)}" --target dynamics_bench

raw=$TENON_ROOT/build/derivatives_raw
rm -rf "$raw"
mkdir -p "$raw"
compiler=$(command -v clang-19 || command -v cc)
load=$(cut -d' ' -f1-3 /proc/loadavg)
peers=$TENON_ROOT/build/peers/bin/python3
version() { "$peers" -c "import importlib.metadata as m; print(m.version('$1'))"; }
{
  echo "command: bench/derivatives.sh${arguments[*]:+ ${arguments[*]}}"
  echo "cpu: $(processor_name)"
  echo "cores: $(nproc)"
  echo "load when it began: $load"
  awk '$1 > 0.5 {print "others: the cores were shared with other work"}' <<<"$load"
  echo "Pinocchio from Python: pin $(version pin)"
  echo "CasADi: $(version casadi)"
  echo "C of CasADi: $("$compiler" --version | head -n 1), -O2 -march=native"
  echo "JAX: $(version jax), jaxlib $(version jaxlib), XLA on one thread"
  echo "Python: $("$peers" -c 'import platform, numpy; print(platform.python_version() + ", numpy " + numpy.__version__)')"
} >"$raw/run.txt"

repetitions=7 min_time=0.02
[ ${#quick[@]} -eq 0 ] || repetitions=2 min_time=0.001
step "time Tenon and Pinocchio in C and C++" "$build/bin/dynamics_bench" --robot=iiwa14 --robot=solo12 --robot=go1 \
  --robot=atlas --benchmark_filter='/(rnea|aba|constrained|solution)_derivatives/' \
  --benchmark_enable_random_interleaving=true --benchmark_repetitions="$repetitions" \
  --benchmark_min_time="$min_time" --benchmark_out="$raw/dynamics.json" --benchmark_out_format=json

export PYTHONPATH=$TENON_ROOT/capi/clients/python TENON_LIBRARY=$build/lib/libtenon.so PYTHONDONTWRITEBYTECODE=1
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
"$peers" bench/derivatives/table.py "$raw" --compiler "$compiler" "${quick[@]}" ${out:+--out "$out"}
