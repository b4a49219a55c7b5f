#!/usr/bin/env bash
# Writes packaging/api.json from the headers, and the raw declarations of capi/clients from it; to be run and committed
# with every change of include/.
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"

install_parser
[ -x "$TENON_API/bin/python3" ] || die "no libclang to be had; see $TENON_LOGS"
cd "$TENON_ROOT"
"$TENON_API/bin/python3" packaging/api/describe.py include packaging/api.json
python3 packaging/api/declare.py packaging/api.json capi/clients
