#!/usr/bin/env bash
# Installs what is missing, builds the library and the programs, and passes the tests of the clients in all languages: those
# that .ci/run has too (C, C++, Python, Rust, JavaScript, Go, Java) and C#, Fortran, LuaJIT, Octave, Julia,
# with the functional mock-up units, CasADi, acados, MPI and Ray. packaging/test.sh --all has these tests too.
#   LANGUAGE...   only tests whose names hold one of these: rust, octave, fmu
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

which=$(IFS='|' && echo "$*")

run_clients() {
  cd "$TENON_ROOT" && ctest --preset release --parallel "$(nproc)" --no-tests=error --label-regex client --tests-regex "$which" \
    --output-on-failure
}

install_for test
install_for heavy
step "build (Release: library, programs)" build_preset release ON tenon tenon_cli tenon_demo tenon_fmu
step "test (clients)" run_clients
printf '\n'
grep -A 3 'tests passed' "$STEP_LOG" | grep -v '^$'
if grep 'Skipped' "$STEP_LOG"; then printf 'Skipped tests name what they lack in %s\n' "$STEP_LOG"; fi
