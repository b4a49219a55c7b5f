#!/usr/bin/env bash
# Installs Tenon in each of its forms and links programs with it: shared, static, and both with the tinyxml2 of the system
# instead of one inside. Each is found by CMake and by pkg-config, by g++ and clang, in C and C++, also after its folder was
# moved. With a compiler cache the builds share what they compile. On Debian 12 it installs what is missing.
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

# build_form folder option...
build_form() {
  local folder=build/$1
  shift
  configure_preset release -B "$folder" -DTENON_BUILD_TESTS=OFF "$@" &&
    cmake --build "$folder" --parallel "$(nproc)"
}

test_form() {
  local folder=build/$1 form=$2
  python3 -B tests/capi/install/install_test.py "$folder/install_test" --build "$folder" --form "$form" \
    --compilers gcc:g++ --compilers clang-19:clang++-19
}

install_for build
install_packages python3 gcc libtinyxml2-dev
cd "$TENON_ROOT"
for form in shared static; do
  shared=$([ $form = shared ] && echo ON || echo OFF)
  step "build ($form)" build_form "install-$form" -DBUILD_SHARED_LIBS="$shared"
  step "link programs ($form)" test_form "install-$form" "$form"
  step "build ($form, tinyxml2 of the system)" build_form "install-$form-system" -DBUILD_SHARED_LIBS="$shared" \
    -DTENON_TINYXML2_SOURCE=
  step "link programs ($form, tinyxml2 of the system)" test_form "install-$form-system" "$form"
done
