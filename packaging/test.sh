#!/usr/bin/env bash
# Installs what is missing, builds Tenon, and passes its tests in Release, with the clients in C, Python and Rust against
# an installed copy.
# Tests of random robots take 250 of these, or as many as the environment variable TENON_TEST_ROBOTS says.
#   --all    1,000 random robots, and the tests that take longest (label heavy), as .ci/run has them: the same calls of every
#            function by layers whose compilers are slow, functional mock-up units, Julia, CasADi, acados, MPI, Ray, PyTorch,
#            JAX, Crocoddyl, wheels, generated derivatives, the documentation site
#   --asan   adds a run with the address and undefined-behaviour sanitizers (their build alone takes over ten minutes)
#   --tsan   adds a run with the thread sanitizer, of the tests in which threads share a model
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

all=no
asan=no
tsan=no
for argument in "$@"; do
  case $argument in
    --all) all=yes ;;
    --asan) asan=yes ;;
    --tsan) tsan=yes ;;
    *) die "test.sh knows --all, --asan and --tsan, not '$argument'." ;;
  esac
done

# The log of a failure ends with what the failed tests printed, and their names.
run_ctest() {
  local preset=$1
  shift
  cd "$TENON_ROOT" && ctest --preset "$preset" --parallel "$(nproc)" --no-tests=error "$@" && return
  awk '/^ *(Start +[0-9]+: |[0-9]+\/[0-9]+ Test |[0-9]+% tests passed)/ {failed = /\*\*\*/ && !/Skipped/}
       failed' "$STEP_LOG" | tail -n 30
  sed 's/^[0-9]*:/failed: /' "build/$preset/Testing/Temporary/LastTestsFailed.log" | tail -n 8
  return 1
}

# With all checks, which .ci/run leaves out in part.
build_sanitized() {
  configure_preset asan -DTENON_BUILD_TESTS=ON -DTENON_QUICK_CHECKS=OFF && cmake --build --preset asan --parallel "$(nproc)"
}

# tested "title" preset [ctest argument...]: a step whose closing lines are kept for the end.
closing=""
tested() {
  step "$@"
  closing+="$1: $(grep -A 3 'tests passed' "$STEP_LOG" | grep -v '^$' | sed '1!s/^/  /')"$'\n'
}

install_for test
# Packages for the longest tests come while the compiler works. They need no package of Debian but as root, so no password.
if [ "$all" = yes ]; then
  mkdir -p "$TENON_LOGS"
  install_for heavy >"$TENON_LOGS/install-heavy.log" 2>&1 </dev/null &
  heavy=$!
  trap 'kill "$heavy" 2>/dev/null || true' EXIT
fi
step "build (Release)" build_preset release ON
if [ "$all" = yes ]; then
  wait "$heavy" || { cat "$TENON_LOGS/install-heavy.log" >&2; exit 1; }
  trap - EXIT
  cat "$TENON_LOGS/install-heavy.log"
  tested "test (Release)" run_ctest release
else
  TENON_TEST_ROBOTS=${TENON_TEST_ROBOTS:-250} tested "test (Release)" run_ctest release --label-exclude heavy
fi

if [ "$asan" = yes ]; then
  install_for sanitizers
  export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1
  step "build (address and undefined-behaviour sanitizers)" build_sanitized
  # Clients in other languages load the library into a process that the sanitizer does not own.
  tested "test (address and undefined-behaviour sanitizers)" run_ctest asan --label-exclude client
fi
if [ "$tsan" = yes ]; then
  step "build (thread sanitizer)" build_preset tsan ON tenon_capi_tests
  tested "test (thread sanitizer)" run_ctest tsan --tests-regex '^Contract'
fi

printf '\n%s' "$closing"
if [ "$all" = no ]; then printf 'Left out: the tests that take longest, and most random robots. packaging/test.sh --all runs them too.\n'; fi
