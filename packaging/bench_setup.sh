#!/usr/bin/env bash
# Installs what the benchmarks need: Google Benchmark, and the peers that Tenon is compared with, Pinocchio (with the
# headers it depends on) and MuJoCo from PyPI, into a virtual environment in build/peers, about 1.3 GB; and the second
# compiler that builds Pinocchio, with its OpenMP.
#   --no-peers      Google Benchmark only
#   --derivatives   what bench/derivatives.sh compares beside: Pinocchio's package for Python, CasADi and JAX
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

PINOCCHIO_VERSION=4.1.0
MUJOCO_VERSION=4.0.0
DERIVATIVE_PEERS=("pin==$PINOCCHIO_VERSION" casadi==3.8.2 jax==0.10.2)
peers=yes derivatives=()
for argument in "$@"; do
  case $argument in
    --no-peers) peers=no ;;
    --derivatives) derivatives=("${DERIVATIVE_PEERS[@]}") ;;
    *) die "bench_setup.sh knows --no-peers and --derivatives, not '$argument'." ;;
  esac
done

# The extra "build" brings the headers that its own interface names: Eigen, and the data types of urdfdom.
install_peers() {
  local venv=$TENON_ROOT/build/peers
  [ -x "$venv/bin/pip" ] || python3 -m venv "$venv" || return 1
  "$venv/bin/pip" install --disable-pip-version-check "libpinocchio[build]==$PINOCCHIO_VERSION" example-robot-data \
    "mujoco==$MUJOCO_VERSION" "${derivatives[@]}"
}

install_for build
install_packages libbenchmark-dev
if [ "$peers" = yes ]; then
  python3 -c 'import ensurepip, venv' 2>/dev/null || install_packages python3 python3-venv
  install_packages clang-14 libomp-14-dev
  step "install Pinocchio $PINOCCHIO_VERSION and MuJoCo $MUJOCO_VERSION" install_peers
fi
