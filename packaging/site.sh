#!/usr/bin/env bash
# Builds the documentation site into build/site; build/site/index.html is its first page. It installs what is missing
# (Sphinx, MyST, the theme Furo and latex2mathml, from PyPI at pinned versions). The site itself needs no network.
#   --peers   first installs Pinocchio, MuJoCo and Drake from PyPI, so that the test site.blocks.peers runs their code too
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

fetch_peers() {
  python3 -m venv "$TENON_ROOT/build/site_peers" &&
    "$TENON_ROOT/build/site_peers/bin/pip" install --quiet --disable-pip-version-check -r "$TENON_ROOT/packaging/site/peers.txt"
}

build_site() {
  # A fresh folder, so that no page of an earlier build stays.
  rm -rf "$TENON_ROOT/build/site" &&
    "$TENON_SITE/bin/python3" -B "$TENON_ROOT/packaging/site/build.py" "$TENON_ROOT/build/site" "$TENON_ROOT/build/site_pages"
}

peers=no
for argument in "$@"; do
  case $argument in
    --peers) peers=yes ;;
    *) die "site.sh knows --peers, not '$argument'." ;;
  esac
done

install_for site
if [ "$peers" = yes ]; then step "fetch Pinocchio, MuJoCo and Drake from PyPI" fetch_peers; fi
step "build the site" build_site
printf '\n%s\n' "$TENON_ROOT/build/site/index.html"
