#!/usr/bin/env bash
# Prints how many files of src name each method, each joint kind and each C function, its lines by room, and, where gdb
# and a debug build of the program `tenon` are, how many calls lead from a C function to its first sweep.
#   --revision REV   of that revision: for what a change touched
#   --program FILE   the debug build of the program; by default bin/tenon of the latest debug build below build/
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

revision=
case ${1:-} in
  '') ;;
  --revision)
    [ $# -eq 2 ] || { echo "house.sh: --revision needs one revision" >&2; exit 2; }
    revision=$2
    git rev-parse --quiet --verify "$revision^{commit}" > /dev/null ||
      { echo "house.sh: git knows no revision '$revision'; give a commit, a branch or a tag" >&2; exit 2; }
    ;;
  *)
    echo "house.sh knows --revision REV, not '$1'" >&2
    exit 2
    ;;
esac

# The rooms from the lowest to the highest, as the test of layers has them.
read -r -a rooms <<< "$(sed -n 's/^set(layers \(.*\))$/\1/p' tests/check_layout.cmake)"

# naming WORD PATH...: the files that have this word.
naming() {
  local word=$1
  shift
  git grep -lIw -e "$word" ${revision:+"$revision"} -- "$@" || true
}
# Another revision may have no parts yet.
header_of() { git grep -h '' ${revision:+"$revision"} -- include/tenon.h 'include/tenon/*.h'; }
names_of() { header_of | grep -o "$1[A-Z][A-Z0-9_]*" | sed "s/^$1//" | tr '[:upper:]' '[:lower:]' | sort -u; }

echo "lines of src by room"
total=0
for room in "${rooms[@]}" tenon; do
  lines=$({ git grep -c '' ${revision:+"$revision"} -- "src/$room" || true; } | awk -F: '{ sum += $NF } END { print sum + 0 }')
  total=$((total + lines))
  printf '  %-12s %6d\n' "$room" "$lines"
done
printf '  %-12s %6d\n\n' all "$total"

echo "files of src that name each method"
for name in $(names_of TENON_METHOD_); do
  printf '  %-16s %3d\n' "$name" "$(naming "$name" src | wc -l)"
done
echo
echo "files of src that name each kind of joint"
for name in $(names_of TENON_JOINT_TYPE_); do
  printf '  %-16s %3d\n' "$name" "$(naming "$name" src | wc -l)"
done

echo
echo "files that name each C function, without the tests"
header_of | grep -oE '^TENON_API [^(]*\b(tenon_[a-z0-9_]+)\(' | grep -oE 'tenon_[a-z0-9_]+\(' | tr -d '(' | sort -u |
  while read -r name; do
    echo "$(naming "$name" include capi src packaging | wc -l) $name"
  done | sort -n | awk '{ files[NR] = $1; name[NR] = $2 }
    END { printf "  %d functions; fewest %d, median %d\n", NR, files[1], files[int((NR + 1) / 2)]
          for (i = NR; i > NR - 5 && i > 0; --i) printf "  %-36s %3d\n", name[i], files[i] }'

# The latest debug build of the program, without sanitizers, in which every call is one.
debug_program() {
  local cache
  for cache in $(ls -t build/*/CMakeCache.txt 2> /dev/null); do
    if grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=Debug$' "$cache" && ! grep -q '^TENON_SANITIZE:[A-Z]*=.' "$cache" &&
      [ -x "${cache%/*}/bin/tenon" ]; then
      echo "${cache%/*}/bin/tenon"
      return
    fi
  done
}

echo
echo "calls from tenon_constrained_dynamics to its first sweep, by method"
program=$(debug_program)
if [ -n "$revision" ] || [ -z "$program" ] || ! command -v gdb > /dev/null; then
  echo "  not counted: this takes gdb, a debug build and no --revision"
  exit 0
fi
# `tenon bench` first solves once by each method.
script=$(mktemp)
trap 'rm -f "$script"' EXIT
cat > "$script" << 'EOF'
set breakpoint pending on
set print frame-arguments none
break tenon_constrained_dynamics
break sweep_velocities
break sweep_bias_motion
disable 2 3
run
# TENON_CONSTANT_METHOD
set $kind = 1
set $left = tenon_constant_count($kind)
while $left > 0
  set $left = $left - 1
  printf "method %s\n", (char*)tenon_constant_name($kind, options->method)
  enable 2 3
  continue
  backtrace
  disable 2 3
  if $left > 0
    continue
  end
end
kill
EOF
gdb -batch -nx -x "$script" --args "$program" bench models/iiwa14.urdf --weld iiwa_link_ee 2>&1 |
  awk '/^method / { method = $2 }
    /^#[0-9]+ .*tenon_constrained_dynamics / && method { calls = substr($1, 2); printf "  %-16s %3d\n", method, calls
                                                         of[method] = calls; method = "" }
    END { if (!of["automatic"]) { print "  gdb has not found the sweeps"; exit 1 }
          for (method in of)
            if (of[method] > 8) { print "house.sh: more than eight calls lead to the sweep of " method > "/dev/stderr"; exit 1 } }'
