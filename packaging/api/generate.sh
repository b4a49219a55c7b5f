#!/usr/bin/env bash
# Makes what programs write: packaging/api.json from the headers, and the declarations of capi/clients from it. Git has none of
# these files; whatever needs them runs this first (the CMake target `generate` and the test of that name too). It makes
# nothing where the headers, packaging/api and the files are those of last time. Installs libclang where it is missing.
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../setup.sh"
cd "$TENON_ROOT"

# The bytes of what was read and of what was written. An archive of the sources has it, and so needs no libclang.
record=packaging/api/generated.sha256
unchanged() { sha256sum --check --status --strict "$record" 2>/dev/null; }

unchanged && exit 0
# Tests of several builds may start at once.
mkdir -p build
exec 9>build/generate.lock
flock 9
unchanged && exit 0
install_parser >&2
[ -x "$TENON_API/bin/python3" ] || die "no libclang to be had; see $TENON_LOGS"
export PYTHONDONTWRITEBYTECODE=1
"$TENON_API/bin/python3" packaging/api/describe.py include packaging/api.json
made=$(python3 packaging/api/declare.py packaging/api.json capi/clients)
{
  find include packaging/api \( -name '*.h' -o -name '*.py' -o -name 'glue.*' -o -name requirements.txt \) | LC_ALL=C sort
  printf 'packaging/api.json\n%s\n' "$made"
} | xargs -d '\n' sha256sum >"$record.new"
mv "$record.new" "$record"
