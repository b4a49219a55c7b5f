#!/usr/bin/env bash
# Installs PyTorch, JAX, Crocoddyl and matplotlib beside the other Python packages of the tests and runs the tests of
# tenon.torch, tenon.jax and tenon.crocoddyl. Apart from setup.sh, because PyTorch brings some gigabytes. Crocoddyl 3.2.1 was
# compiled for Pinocchio 4.0.0, and with a later one raises MemoryError, but asks for none in its metadata.
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

install_for test
install_programs
step "fetch Crocoddyl, JAX, matplotlib and PyTorch from PyPI" \
  "$TENON_CLIENTS/programs/bin/pip" install --quiet --disable-pip-version-check crocoddyl==3.2.1 pin==4.0.0 jax matplotlib torch
step "build (Release)" build_preset release ON tenon
exec ctest --test-dir "$TENON_ROOT/build/release" -R '^programs\.learning\.' --output-on-failure
