#!/usr/bin/env bash
# Builds generalized_rbda, which no registry has, and loops_peer.cpp by each compiler, for loop_study --peer:
#
#     bench/peer/generalized_rbda/build.sh FOLDER
#
# FOLDER holds its source and that of its authors' fork of urdfdom: generalized_rbda-*.tar.gz, urdfdom-*.tar.gz and
# urdfdom_headers-*.tar.gz. CasADi comes from PyPI, tinyxml2 and console_bridge from Debian; Pinocchio's headers, of
# which it includes one, with Boost are in build/peers (packaging/bench_setup.sh). Everything is made in
# build/generalized_rbda; the libraries are build/generalized_rbda/build_*/libtenon_bench_loops_peer.so. Three minutes
# a compiler on one core, once.
#
# Before it is built, explicit instances for float, and for CasADi's symbols where no double needs them, are taken out
# of the sources: they make the build long, and no number in doubles is computed by them.
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../../packaging/setup.sh"

CASADI_VERSION=3.8.2
[ $# -eq 1 ] || die "build.sh needs the folder of the sources."
archives=$(cd "$1" && pwd) || die "there is no folder $1."
folder=$TENON_ROOT/build/generalized_rbda

unpack() {
  local name archive
  mkdir -p "$folder/src.part"
  for name in generalized_rbda urdfdom urdfdom_headers; do
    archive=$(find "$archives" -name "$name-*.tar.gz" | head -n 1)
    [ -n "$archive" ] || { echo "no $name-*.tar.gz in $archives"; return 1; }
    mkdir "$folder/src.part/$name"
    tar xzf "$archive" -C "$folder/src.part/$name" --strip-components=1 || return 1
  done
  local sources=$folder/src.part/generalized_rbda/src
  find "$sources" -name '*.cpp' -exec sed -i -E '/^ *template (class|struct) .*<float[,>]/d' {} +
  find "$sources/Robots" "$sources"/Dynamics/{ClusterTree*,TreeModel}.cpp -name '*.cpp' -exec \
    sed -i -E '/^ *template class .*casadi::SX/d' {} +
  mv "$folder/src.part" "$folder/src"
}

build() {
  local compiler=$1
  cmake -S "$TENON_ROOT/bench/peer/generalized_rbda" -B "$folder/build_$compiler" -G Ninja -DCMAKE_BUILD_TYPE=None \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache || true)" \
    -DTENON_LOOPS_COMPILER="$compiler" -DTENON_LOOPS_SOURCES="$folder/src" \
    -DTENON_LOOPS_CASADI="$(echo "$folder"/casadi/lib/python3*/site-packages/casadi)" \
    -DTENON_PEERS_PREFIX="$(echo "$TENON_ROOT"/build/peers/lib/python3*/site-packages/cmeel.prefix)" &&
    cmake --build "$folder/build_$compiler" --parallel "${TENON_LOOPS_JOBS:-1}"
}

install_packages libconsole-bridge-dev libtinyxml2-dev
mkdir -p "$folder"
python_environment "$folder/casadi" casadi "generalized_rbda" "casadi==$CASADI_VERSION"
if [ ! -d "$folder/src" ]; then
  rm -rf "$folder/src.part"
  step "unpack generalized_rbda" unpack
fi
for compiler in g++ clang++-14; do
  command -v "$compiler" >/dev/null || continue
  step "build generalized_rbda by $compiler" build "$compiler"
done
