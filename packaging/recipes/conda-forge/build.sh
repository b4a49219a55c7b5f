#!/usr/bin/env bash
set -euo pipefail
# CMAKE_ARGS is what conda-forge's compilers want of CMake. tinyxml2 is conda-forge's, also where somebody put its source
# into build/tinyxml2.
# shellcheck disable=SC2086
cmake -S . -B build/conda -G Ninja ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" \
  -DCMAKE_INSTALL_LIBDIR=lib -DTENON_BUILD_TESTS=OFF -DTENON_TINYXML2_SOURCE=none \
  -DTENON_CXX_RUNTIME_INSIDE=OFF
cmake --build build/conda --parallel "${CPU_COUNT:-1}" --target install
