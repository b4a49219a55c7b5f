#!/usr/bin/env bash
# Installs what packaging/packages.sh made, each by the package manager of its language into a fresh folder, and runs there
# what a newcomer would.
#
#     packaging/test_packages.sh [npm|crate|jar|nupkg|rock|go|julia]...
#
# For each: the examples `load_and_print` and `atlas` print what C and C++ do with the same library; the code of the README
# prints the contact force of Atlas; the library is found in the documented order; a system without a library gets an error
# that names it; made again, the package has the same bytes. npm, mvn and go fetch koffi, JNA, purego and Maven's plugins.
# Packages are run on Linux alone; .NET is not there: Mono runs the assemblies; Julia is run where it is in build/julia. On
# Debian 12 it installs what is missing.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=packaging/setup.sh
source "$here/setup.sh"
cd "$TENON_ROOT"

known=(npm crate jar nupkg rock go julia)
kinds=("$@")
[ $# -gt 0 ] || kinds=("${known[@]}")
for kind in "${kinds[@]}"; do
  [[ " ${known[*]} " == *" $kind "* ]] || die "test_packages.sh knows ${known[*]}, not '$kind'."
done

# need PROGRAM PACKAGE...: a program that is not Debian's serves too.
need() { command -v "$1" >/dev/null || install_packages "${@:2}"; }

tools_of() {
  case $1 in
    npm | go) install_languages ;;
    crate) install_rust ;;
    jar) need javac default-jdk-headless && install_languages ;;
    nupkg) need mcs mono-mcs && need mono mono-runtime && need nuget nuget && install_packages mono-devel ;;
    rock) need luajit luajit && need luarocks luarocks ;;
  esac
}

test_package() {
  PYTHONDONTWRITEBYTECODE=1 python3 tests/packages/packages_test.py "$1" build/dist build/packages/test
}

need cc gcc
need c++ g++
for kind in "${kinds[@]}"; do
  tools_of "$kind"
  step "install and run ($kind)" test_package "$kind"
  grep -E ' s after the installation began|^NOT RUN' "$STEP_LOG" | sed 's/^/    /'
done
