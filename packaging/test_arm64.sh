#!/usr/bin/env bash
# Cross-builds Tenon for 64-bit Arm (NEON: packs of two doubles or four floats) and passes its tests under an emulator.
#   --quick   only the tests in which packs and branch lanes take part, golden data, and the contract of the C API
# On Debian 12 it installs what is missing: the cross compiler, qemu, and the source of GoogleTest, which is built too.
# Tests with other programs (clients in Python and Rust, the installed package) are left to packaging/test.sh, as is
# urdfdom, the second URDF reader.
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

which='^[A-Z]'  # names of tests in C++ begin with a capital
for argument in "$@"; do
  case $argument in
    --quick) which='^(BranchLanes|.*Batch|.*Golden|Lanes|Pack|Contract|Rollout)' ;;
    *) die "test_arm64.sh knows --quick, not '$argument'." ;;
  esac
done

build=$TENON_ROOT/build/arm64
toolchain=$TENON_ROOT/packaging/cmake/aarch64-linux-gnu.cmake

build_googletest() {
  cmake -S /usr/src/googletest -B "$build/googletest" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$toolchain" \
    -DCMAKE_BUILD_TYPE=Release -DBUILD_GMOCK=OFF -DCMAKE_INSTALL_PREFIX="$build/prefix" &&
    cmake --build "$build/googletest" --parallel "$(nproc)" --target install
}

build_tests() {
  configure_preset arm64 -DCMAKE_PREFIX_PATH="$build/prefix" &&
    cmake --build --preset arm64 --parallel "$(nproc)" --target tenon_tests tenon_random_tests tenon_capi_tests tenon_allocation_tests
}

run_tests() {
  cd "$TENON_ROOT" && ctest --preset arm64 --parallel "$(nproc)" --no-tests=error --tests-regex "$which"
}

install_for arm64
step "build GoogleTest (arm64)" build_googletest
step "build (arm64, Release)" build_tests
step "test (arm64, emulated)" run_tests
printf '\n'
grep -A 3 'tests passed' "$STEP_LOG" | grep -v '^$'
