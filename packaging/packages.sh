#!/usr/bin/env bash
# Makes the packages of language registries, as files in build/dist, from the trees that packaging/release.sh staged.
#
#     packaging/packages.sh [npm|crate|jar|nupkg|rock|go|julia]...
#
# All by default: a .tgz for npm, two .crate for Cargo, a .jar (with sources and pom) for Maven, a .nupkg for NuGet, a
# .src.rock for luarocks, a .tar.gz for Go and for Julia. Each brings the native libraries of every system in build/dist/stage
# and says which; those of Cargo, Go and Julia bring none. The same trees give the same bytes, with the same cargo, javac and
# mcs. Nothing is published. On Debian 12 it installs what is missing.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=packaging/setup.sh
source "$here/setup.sh"
cd "$TENON_ROOT"

known=(npm crate jar nupkg rock go julia)
kinds=("$@")
[ $# -gt 0 ] || kinds=("${known[@]}")
for kind in "${kinds[@]}"; do
  [[ " ${known[*]} " == *" $kind "* ]] || die "packages.sh knows ${known[*]}, not '$kind'."
done

# What a package is made with: a tool that is not Debian's serves too.
tools_of() {
  case $1 in
    crate) install_rust ;;
    jar)
      command -v javac >/dev/null || install_packages default-jdk-headless
      if ! ls "$TENON_CLIENTS"/java/jna-*.jar >/dev/null 2>&1; then
        command -v mvn >/dev/null || install_packages maven
        step "fetch JNA from Maven Central" fetch_jna
      fi
      ;;
    nupkg) command -v mcs >/dev/null || install_packages mono-mcs ;;
  esac
}

pack() {
  PYTHONDONTWRITEBYTECODE=1 python3 packaging/packages/pack.py "$1" --stage build/dist/stage --out build/dist \
    --work build/packages
}

staged() { (cd build/dist/stage 2>/dev/null && echo tenon-*); }

install_packages python3 python3-venv
write_declarations
printf 'Packages of registries, with the libraries of %s\n' "$(staged)"
for kind in "${kinds[@]}"; do
  tools_of "$kind"
  step "package ($kind)" pack "$kind"
done
cd build/dist
find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS
printf '\n%12s  %s\n' bytes build/dist
while read -r sum file; do printf '%12s  %s  %.16s...\n' "$(stat -c %s "$file")" "$file" "$sum"; done <SHA256SUMS
