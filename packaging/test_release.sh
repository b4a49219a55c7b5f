#!/usr/bin/env bash
# Runs what packaging/release.sh builds for other systems: Windows under wine64, 64-bit Arm Linux under qemu.
#
#     packaging/test_release.sh [windows-x86_64] [linux-x86_64] [linux-aarch64]
#
# For each: the tests of the C interface (golden data and the contract among them) against the released library, a client in C
# that is linked to it, one that loads it by name, the command-line program, and mock-up units, also compiled from their
# sources; then programs of users on the archive, by CMake and by pkg-config: g++ and clang, MinGW's gcc, and clang with
# lld-link in place of Visual Studio, which is not here. Libraries for macOS are linked and looked at by release.sh; nothing
# here can run them. After packaging/release.sh; on Debian 12 it installs what is missing.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=packaging/setup.sh
source "$here/setup.sh"
# shellcheck source=packaging/zig.sh
source "$here/zig.sh"
cd "$TENON_ROOT"

systems=("$@")
[ $# -gt 0 ] || systems=(linux-x86_64 windows-x86_64 linux-aarch64)
version=$(sed -n 's/^project(tenon VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)

build_googletest() {
  cmake -S /usr/src/googletest -B "build/zig/googletest-$1" -G Ninja -DTENON_SYSTEM="$1" \
    -DCMAKE_TOOLCHAIN_FILE="$TENON_ROOT/packaging/cmake/zig.cmake" -DCMAKE_BUILD_TYPE=Release -DBUILD_GMOCK=OFF \
    -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_INSTALL_PREFIX="$TENON_ROOT/build/zig/prefix-$1" -DCMAKE_CXX_STANDARD=17 &&
    cmake --build "build/zig/googletest-$1" --parallel "$(nproc)" --target install
}

# The tests of the C interface, with the build folder that release.sh left.
build_tests() {
  cmake -B "build/zig/build-$1" -DTENON_BUILD_TESTS=ON -DTENON_WARNINGS_AS_ERRORS=ON \
    -DCMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE=PRE_TEST \
    -DGTest_DIR="$TENON_ROOT/build/zig/prefix-$1/lib/cmake/GTest" &&
    cmake --build "build/zig/build-$1" --parallel "$(nproc)" --target tenon_capi_tests
}

# How a program of the system is run here, with the folder of its library.
runner_of() {
  case $1 in
    windows-*) runner=(env WINEDEBUG=-all WINEPREFIX="$TENON_ROOT/build/wine" "WINEPATH=Z:${2//\//\\}" "$(wine_of_debian)") ;;
    linux-aarch64) runner=(qemu-aarch64-static -L /usr/aarch64-linux-gnu -E "LD_LIBRARY_PATH=$2") ;;
    *) runner=(env "LD_LIBRARY_PATH=$2") ;;
  esac
}
wine_of_debian() { command -v wine64 || echo /usr/lib/wine/wine64; }

run_tests() {
  local stage=build/dist/stage/tenon-$version-$1 folder=lib
  [[ $1 == windows-* ]] && folder=bin
  runner_of "$1" "$TENON_ROOT/$stage/$folder"
  "${runner[@]}" "$(echo build/zig/build-"$1"/bin/tenon_capi_tests*)" --gtest_brief=1 "${@:2}"
}

run_clients() {
  local stage=$TENON_ROOT/build/dist/stage/tenon-$version-$1 folder=lib out=build/zig/clients-$1 ending='' cc=build/zig/$1/cc
  local client=capi/examples/c/atlas.c by_name=tests/capi/release/by_name.c
  [[ $1 == windows-* ]] && folder=bin ending=.exe
  mkdir -p "$out"
  "$cc" -O1 -I"$stage/include" -Icapi/examples/c "$client" -o "$out/linked$ending" -L"$stage/lib" -ltenon -lm || return 1
  "$cc" -O1 -I"$stage/include" "$by_name" -o "$out/by_name$ending" || return 1
  runner_of "$1" "$stage/$folder"
  "${runner[@]}" "$out/linked$ending" models/atlas.urdf | tr -d '\r' >"$out/linked.txt" || return 1
  "${runner[@]}" "$out/by_name$ending" models/atlas.urdf | tr -d '\r' >"$out/by_name.txt" || return 1
  "${runner[@]}" "$stage/bin/tenon$ending" info models/go1.urdf | tr -d '\r' >"$out/info.txt" || return 1
  grep 'go1: ' "$out/info.txt" || return 1
  cp models/go1.urdf "$out/Röboter 日本.urdf"
  "${runner[@]}" "$stage/bin/tenon$ending" info "$out/Röboter 日本.urdf" | tr -d '\r' | diff - "$out/info.txt" || return 1
  if [[ $1 == windows-* ]]; then  # a console, which wine makes of a terminal, shows the name as it is
    TERM=xterm script -qc "$(printf '%q ' "${runner[@]}" "$stage/bin/tenon.exe" info "Röboter.urdf")" /dev/null </dev/null |
      grep 'Röboter.urdf: there is no such file' || return 1
  fi
  local reference=build/zig/clients-linux-x86_64/linked.txt
  for found in "$out/linked.txt" "$out/by_name.txt"; do
    if [ -e "$reference" ]; then python3 tests/capi/release/compare.py "$reference" "$found" || return 1; fi
  done
}

# A mock-up unit for all systems that are staged, from a folder of any name, by an importer without Tenon.
run_units() {
  local stage=$TENON_ROOT/build/dist/stage/tenon-$version-$1 out=build/zig/clients-$1 ending='' binary version_of folder
  local others=() facts name where file reference
  for folder in "$TENON_ROOT/build/dist/stage/tenon-$version-"*; do others+=(--binaries "$folder"); done
  case $1 in
    windows-x86_64) ending=.exe binary=(win64 x86_64-windows tenon_fmu.dll) ;;
    linux-aarch64) binary=(aarch64-linux aarch64-linux tenon_fmu.so) ;;
    *) binary=(linux64 x86_64-linux tenon_fmu.so) ;;
  esac
  mkdir -p "$out"
  "build/zig/$1/cc" -std=c99 -O1 -Wall -Wextra tests/capi/release/unit.c -o "$out/unit$ending" -lm || return 1
  runner_of "$1" "$TENON_ROOT/build"  # no library of Tenon is there
  for version_of in 2 3; do
    for name in go1 iiwa14; do
      local arguments=(--version "$version_of")
      [ "$name" = iiwa14 ] && arguments+=(--sources --pose iiwa_link_7)
      [ "$name" = go1 ] && arguments+=(--floating --point FL_foot --point FR_foot --point RL_foot --point RR_foot)
      folder="$out/Unit für $name $version_of"
      rm -rf "$folder"
      "${runner[@]}" "$stage/bin/tenon$ending" export fmu "models/$name.urdf" "${arguments[@]}" "${others[@]}" \
        -o "$out/$name.fmu" || return 1
      mapfile -t facts < <(python3 tests/capi/release/unit.py "$out/$name.fmu" "$folder")
      where=("binaries/${binary[$((version_of - 2))]}/${binary[2]}")
      if [ "$name" = iiwa14 ]; then
        where+=(sources/compiled.bin)
        "build/zig/$1/cc" -std=c99 -O2 -shared -fPIC "$folder"/sources/*.c -o "$folder/sources/compiled.bin" -lm || return 1
      fi
      for file in "${where[@]}"; do
        "${runner[@]}" "$out/unit$ending" "$folder" "$file" "${facts[@]}" | tr -d '\r' >"$out/unit.txt" || return 1
        reference=build/zig/clients-linux-x86_64/unit_${name}_$version_of.txt
        [ -e "$reference" ] || [ "$1" != linux-x86_64 ] || cp "$out/unit.txt" "$reference"
        if [ -e "$reference" ]; then
          python3 tests/capi/release/compare.py "$reference" "$out/unit.txt" || return 1
        else
          echo "not compared: test linux-x86_64 first"
        fi
      done
    done
  done
}

# Programs of users: the archive is unpacked, found by CMake and by pkg-config, moved, and found again.
link_archive() {
  local name=tenon-$version-$1 out=$TENON_ROOT/build/zig/archive-$1 wine
  local test=(python3 -B tests/capi/install/install_test.py "$out/test" --tree "$out/$name" --form shared)
  rm -rf "$out"
  mkdir -p "$out"
  case $1 in
    windows-*) (cd "$out" && cmake -E tar xf "$TENON_ROOT/build/dist/$name.zip") ;;
    *) tar -C "$out" -xzf "build/dist/$name.tar.gz" ;;
  esac || return 1
  case $1 in
    windows-*)
      wine=(env WINEDEBUG=-all WINEPREFIX="$TENON_ROOT/build/wine" "$(wine_of_debian)")
      "${test[@]}" --compilers x86_64-w64-mingw32-gcc --cmake=-DCMAKE_SYSTEM_NAME=Windows --runner "${wine[*]}" &&
        python3 -B tests/capi/release/import_library.py "$out/test/moved/elsewhere" "$out" clang-19 lld-link-19 \
          /usr/x86_64-w64-mingw32/lib/libkernel32.a "${wine[@]}"
      ;;
    linux-aarch64)
      "${test[@]}" --compilers aarch64-linux-gnu-gcc:aarch64-linux-gnu-g++ --cmake=-DCMAKE_SYSTEM_NAME=Linux \
        --cmake=-DCMAKE_SYSTEM_PROCESSOR=aarch64 --runner 'qemu-aarch64-static -L /usr/aarch64-linux-gnu'
      ;;
    *) "${test[@]}" --compilers gcc:g++ --compilers clang-19:clang++-19 ;;
  esac
}

# together SYSTEM FUNCTION...: at the same time, for most of each runs on one processor. What failed ends the log.
together() {
  local system=$1 parts=("${@:2}") jobs=() failed=() part
  for part in "${parts[@]}"; do
    "$part" "$system" >"$TENON_LOGS/$part-$system.log" 2>&1 &
    jobs+=($!)
  done
  for part in "${!parts[@]}"; do
    if wait "${jobs[part]}"; then cat "$TENON_LOGS/${parts[part]}-$system.log"; else failed+=("${parts[part]}"); fi
  done
  for part in "${failed[@]}"; do cat "$TENON_LOGS/$part-$system.log"; done
  [ ${#failed[@]} -eq 0 ]
}

install_for release_tests
case " ${systems[*]} " in *\ windows-*) install_packages wine64 gcc-mingw-w64-x86-64 lld-19 ;; esac
case " ${systems[*]} " in *\ linux-aarch64\ *) install_for arm64 ;; esac
install_zig
write_zig_wrappers
for system in "${systems[@]}"; do
  step "build GoogleTest ($system)" build_googletest "$system"
  step "build the tests ($system)" build_tests "$system"
  step "clients in C and the program ($system)" run_clients "$system"  # wine makes its folder here
  step "test, mock-up units, programs on the archive ($system)" together "$system" run_tests run_units link_archive
done
