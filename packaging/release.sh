#!/usr/bin/env bash
# Builds Tenon for every system on this one and packs it into build/dist: archives, also of the sources, wheels, packages of
# registries, checksums.
#
#     packaging/release.sh [SYSTEM]...
#
# SYSTEM: linux-x86_64 linux-aarch64 (glibc 2.17 and up), windows-x86_64, macos-arm64, macos-x86_64 (11 and up); all of them
# by default. The compiler is zig's (PyPI ziglang), which brings the C libraries and headers of these systems. Exports of every
# library are checked; packaging/test_release.sh runs those for Linux and Windows, and nothing here can run macOS. The same
# sources give the same bytes. On Debian 12 it installs what is missing.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=packaging/setup.sh
source "$here/setup.sh"
# shellcheck source=packaging/zig.sh
source "$here/zig.sh"
cd "$TENON_ROOT"

known=()
for entry in "${ZIG_SYSTEMS[@]}"; do known+=("${entry%% *}"); done
systems=("$@")
[ $# -gt 0 ] || systems=("${known[@]}")
for system in "${systems[@]}"; do
  [[ " ${known[*]} " == *" $system "* ]] || die "release.sh knows ${known[*]}, not '$system'."
done

version=$(sed -n 's/^project(tenon VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
dist=$TENON_ROOT/build/dist
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-315532800}  # the beginning of 1980, as in the wheels

# zig writes what debuggers read unless it is told not to: a fifth of its time, for what the linker takes out.
build_system() {
  local system=$1 build=build/zig/build-$1 flags="-O3 -DNDEBUG -g0 -ffile-prefix-map=$TENON_ROOT/=" launcher=() strip=-s
  [[ $system == macos-* ]] && strip=-Wl,-x,-S
  if command -v ccache >/dev/null; then
    export CCACHE_COMPILERTYPE=clang
    launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  cmake -S . -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$TENON_ROOT/packaging/cmake/zig.cmake" \
    -DTENON_SYSTEM="$system" -DCMAKE_BUILD_TYPE=Release -DTENON_BUILD_TESTS=OFF -DTENON_WARNINGS_AS_ERRORS=ON \
    -DCMAKE_C_FLAGS_RELEASE="$flags" -DCMAKE_CXX_FLAGS_RELEASE="$flags" \
    -DCMAKE_SHARED_LINKER_FLAGS_RELEASE=$strip -DCMAKE_MODULE_LINKER_FLAGS_RELEASE=$strip -DCMAKE_EXE_LINKER_FLAGS_RELEASE=$strip \
    -DCMAKE_INSTALL_LIBDIR=lib "${launcher[@]}" &&
    cmake --build "$build" --parallel "$(nproc)"
}

# archive.md for one system; what its table names has to be in the archive.
write_readme() {
  local system=$1 stage=$2 path missing=''
  sed -E -e "s/^@${system%%-*}: //" -e '/^@[a-z]+: /d' -e "s/@version@/$version/; s/@system@/$system/" packaging/archive.md \
    >"$stage/README.md" || return 1
  while read -r path; do
    [ -e "$stage/$path" ] || missing+=" $path"
  done < <(sed -n '/^| `/{s/ |[^|]*|$//; p}' "$stage/README.md" | grep -oE '`[^`]+`' | tr -d '`')
  [ -z "$missing" ] || { echo "packaging/archive.md tells of what is not in the archive:$missing"; return 1; }
}

# The tree of an archive: what CMake installs, with two texts on top.
stage_system() {
  local system=$1 name=tenon-$version-$1 stage
  stage=$dist/stage/$name
  rm -rf "$stage"
  cmake --install "build/zig/build-$system" --prefix "$stage" || return 1
  find "$stage" -name '*.pdb' -delete
  cp CHANGELOG.md "$stage" && write_readme "$system" "$stage" || return 1
  find "$stage" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}

pack_system() {
  local system=$1 name=tenon-$version-$1
  cd "$dist/stage" || return 1
  if [[ $system == windows-* ]]; then
    rm -f "$dist/$name.zip"
    find "$name" | LC_ALL=C sort | TZ=UTC zip -q -X -@ "$dist/$name.zip"
  else
    tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=gnu -cf - "$name" |
      gzip -9n >"$dist/$name.tar.gz"
  fi
  cd "$TENON_ROOT" && python3 packaging/wheel/wheel.py "$dist/stage/$name" --out "$dist" --no-extension || return 1
  # Only this machine's Python.h is here; elsewhere calls from Python go through ctypes.
  if [ "$system" = linux-x86_64 ]; then
    python3 packaging/wheel/wheel.py "$dist/stage/$name" --out "$dist" --cc "build/zig/$system/cc -idirafter /usr/include"
  fi
}

# What git has, and the declarations that packaging/api makes: from this archive clients in all languages are used, and
# packages made, without libclang and without a network.
pack_sources() {
  local name=tenon-$version
  { git ls-files && sed -nE 's/^[0-9a-f]+  //p' packaging/api/generated.sha256 && echo packaging/api/generated.sha256; } |
    LC_ALL=C sort -u | tar --transform="s|^|$name/|" --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
    --format=gnu -T - -cf - | gzip -9n >"$dist/$name.tar.gz"
}

printf 'Tenon %s for %s\n' "$version" "${systems[*]}"
install_for build
install_packages zip git python3 python3-dev python3-venv
case " ${systems[*]} " in *\ macos-*) install_packages lld-19 ;; esac
step "fetch zig $ZIG_VERSION from PyPI" install_zig
write_zig_wrappers
write_declarations
mkdir -p "$dist"
if [ -e .git ]; then step "pack the sources" pack_sources; fi
for system in "${systems[@]}"; do
  step "build ($system)" build_system "$system"
  step "stage ($system)" stage_system "$system"
  step "check exports ($system)" python3 packaging/exports.py "$dist/stage/tenon-$version-$system"
  step "pack ($system)" pack_system "$system"
done
"$here/packages.sh"
