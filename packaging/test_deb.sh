#!/usr/bin/env bash
# Installs the packages of packaging/deb.sh into a fresh Debian 12 of its own (mmdebstrap makes it, and it goes when the test
# ends): programs in C and C++ find the library by CMake and by pkg-config, the program and its manual are there, and nothing
# is left when the packages are removed. After packaging/deb.sh; it installs what is missing.
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$TENON_ROOT"
version=$(sed -n 's/^project(tenon VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
shopt -s nullglob
packages=(build/dist/{libtenon0.1,libtenon-dev,tenon}_"$version"-*_"$(dpkg --print-architecture)".deb)
[ ${#packages[@]} -eq 3 ] || die "build/dist has ${#packages[@]} packages of version $version, not 3; run packaging/deb.sh."

write_inside() {
  cat <<'EOF'
set -eux
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
models=/usr/share/tenon/models
# What man keeps of pages it has shown is its own.
tenon() { find / -xdev \( -path /test -o -path /proc -o -path /var/cache/man \) -prune -o -name '*tenon*' -print | sort; }
tenon >/test/before
apt-get install -q -y --no-install-recommends /test/packages/*.deb gcc g++ cmake ninja-build pkg-config man-db python3
python3 -B /test/tests/capi/install/install_test.py /test/out --form shared --compilers gcc:g++
/usr/bin/tenon info $models/go1.urdf --floating | grep 'degrees of freedom  18'
/usr/bin/tenon_demo --model $models/atlas_shadow_hands.urdf --duration 0.02
for name in tenon tenon_demo; do MANPAGER=cat man $name | grep "^NAME"; done
/usr/bin/tenon export fmu $models/go1.urdf --floating -o /test/go1.fmu
python3 - <<'PYTHON'
import zipfile
sizes = {entry.filename: entry.file_size for entry in zipfile.ZipFile("/test/go1.fmu").infolist()}
binary = [size for name, size in sizes.items() if name.endswith("-linux/tenon_fmu.so")]
assert binary and binary[0] > 1000000, sizes
PYTHON
dpkg --verify libtenon0.1 libtenon-dev tenon
apt-get purge -q -y libtenon0.1 libtenon-dev tenon
tenon >/test/after
diff /test/before /test/after
echo all is well
EOF
}

test_packages() {
  local folder=build/deb/test
  rm -rf "$folder"
  mkdir -p "$folder/packages"
  cp "${packages[@]}" "$folder/packages"
  cp --parents CMakeLists.txt models/* capi/examples/c/* tests/capi/install/* capi/clients/cpp/examples/* "$folder"
  write_inside >"$folder/inside.sh"
  # shellcheck disable=SC2016
  as_root mmdebstrap --variant=apt --format=null --include=ca-certificates --customize-hook="cp -r $folder \$1/test" \
    --customize-hook='chroot "$1" sh /test/inside.sh' bookworm - || return 1
}

install_packages mmdebstrap
step "install, use and remove the packages on a fresh Debian 12" test_packages
grep -E 'programs, the same numbers|all is well' "$STEP_LOG" | grep -v echo
