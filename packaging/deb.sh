#!/usr/bin/env bash
# Makes the Debian packages libtenon0.1, libtenon-dev and tenon for Debian 12 and this machine's processor, in build/dist, and
# passes lintian.
#
#     packaging/deb.sh [--twice]
#
# --twice builds them again in a folder of another name and compares: the same sources give the same bytes. With a compiler
# cache the second build is short. packaging/test_deb.sh installs the packages. It installs what is missing.
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$TENON_ROOT"
[ $# -eq 0 ] || [ "$*" = --twice ] || die "deb.sh knows --twice, not '$*'."

version=$(sed -n 's/^project(tenon VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
revision=0tenon1 # sorts before those of Debian
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
# debhelper takes the home folder away, where the compiler cache and its settings are.
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  CCACHE_DIR=$(ccache --get-config cache_dir)
  export CCACHE_DIR CCACHE_BASEDIR=$TENON_ROOT/build/deb CCACHE_NOHASHDIR=1
fi

# The tracked files, with the folder debian, its changelog and its copyright.
write_source() {
  local folder=$1
  rm -rf "$folder"
  mkdir -p "$folder"
  git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - | tar -xf - -C "$folder" || return 1
  cp -r packaging/debian "$folder/debian"
  printf 'tenon (%s-%s) bookworm; urgency=medium\n\n  * %s\n\n -- %s  %s\n' "$version" "$revision" \
    "See CHANGELOG.md." "$(sed -n 's/^Maintainer: //p' packaging/debian/control)" \
    "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" >"$folder/debian/changelog"
  {
    printf 'Tenon is under this licence:\n\n'
    cat LICENSE
    printf '\nThe models (/usr/share/tenon/models) are written from figures of others.\n'
    printf 'The licence Apache-2.0 is /usr/share/common-licenses/Apache-2.0.\n\n'
    cat models/LICENSES.md
    printf '\nTinyXML-2 and the libraries of GCC and LLVM are not inside these packages.\n\n'
    cat packaging/THIRD_PARTY.md
  } >"$folder/debian/copyright"
}

build_packages() {
  local folder=build/deb/$1/tenon-$version
  rm -rf "build/deb/$1"
  write_source "$folder" && cd "$folder" && dpkg-buildpackage -b -us -uc -j"$(nproc)"
}

check_packages() {
  lintian --fail-on error,warning --display-info --tag-display-limit 0 --allow-root build/deb/first/*.changes
}

compare_packages() {
  local file
  for file in build/deb/first/*.deb; do
    cmp "$file" "build/deb/second/${file##*/}" || return 1
  done
}

install_packages "${TENON_BUILD_PACKAGES[@]}" libtinyxml2-dev debhelper dpkg-dev fakeroot lintian git
step "build the Debian packages" build_packages first
step "check them (lintian)" check_packages
if [ "$*" = --twice ]; then
  step "build them again" build_packages second
  step "compare the two" compare_packages
fi
mkdir -p build/dist
cp build/deb/first/*.deb build/dist
printf '\n%12s  %s\n' bytes build/dist
for file in build/deb/first/*.deb; do printf '%12s  %s\n' "$(stat -c %s "$file")" "${file##*/}"; done
