#!/usr/bin/env bash
# Installs PyTorch, JAX and matplotlib beside the other Python packages of the tests and runs the tests of tenon.torch and
# tenon.jax. Apart from setup.sh, because PyTorch brings some gigabytes.
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

install_for test
step "fetch JAX, matplotlib and PyTorch from PyPI" \
  "$TENON_CLIENTS/programs/bin/pip" install --quiet --disable-pip-version-check jax matplotlib torch
step "build (Release)" build_preset release ON tenon
exec ctest --test-dir "$TENON_ROOT/build/release" -R '^programs\.learning\.' --output-on-failure
