#!/usr/bin/env bash
# Installs what is missing, builds Tenon and runs the demo: Atlas with two Shadow hands, standing on both feet with
# ten fingertips held, for one second at 1 kHz. The plot goes to build/demo/. Options are passed on to the demo
# program; --help lists them.
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

install_for build
step "build (Release)" build_preset release OFF tenon_demo tenon_cli
mkdir -p "$TENON_ROOT/build/demo"
echo
exec "$TENON_ROOT/build/release/bin/tenon_demo" --model "$TENON_ROOT/models/atlas_shadow_hands.urdf" \
  --plot "$TENON_ROOT/build/demo/atlas_shadow_hands.svg" "$@"
