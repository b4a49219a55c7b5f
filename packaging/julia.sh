#!/usr/bin/env bash
# Runs Julia, with its arguments, where Debian has none: that of build/julia (packaging/setup.sh heavy puts it there), which
# sees this repository at its place and nothing else of the machine. Needs root, since it mounts the repository there; the
# mounts end with it.
#   packaging/julia.sh --project=capi/clients/julia capi/clients/julia/examples/atlas.jl models/atlas.urdf
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

if [ "${1:-}" != --inside ]; then
  [ -x "$TENON_JULIA/usr/bin/julia" ] || die "there is no Julia in build/julia; as root, run: packaging/setup.sh heavy"
  exec unshare --mount "${BASH_SOURCE[0]}" --inside "$@"
fi
shift
mkdir -p "$TENON_JULIA$TENON_ROOT"
mount -t proc proc "$TENON_JULIA/proc"
mount --rbind /dev "$TENON_JULIA/dev"
mount --rbind "$TENON_ROOT" "$TENON_JULIA$TENON_ROOT"
case $PWD/ in
  "$TENON_ROOT"/*) ;;
  *) cd "$TENON_ROOT" ;;
esac
# shellcheck disable=SC2016
exec chroot "$TENON_JULIA" sh -c 'cd "$0" && exec julia "$@"' "$PWD" "$@"
