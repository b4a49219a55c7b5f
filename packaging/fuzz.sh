#!/usr/bin/env bash
# Searches for inputs that end the library, or that it answers otherwise than tenon.h promises: tests/fuzz/README.md.
# Installs what is missing, builds by clang 19 with the address and undefined-behaviour sanitizers, and prints for each target
# how many inputs were run and what was found. Ends with 1 where anything was.
#   --minutes N    for each target, 10
#   --target NAME  this one alone
#   --keep         writes the least set of inputs that reach what is reached into tests/fuzz/corpus
# Findings are left, as small as they get, in build/fuzz/findings; inputs that reach new code in build/fuzz/corpus, where the
# next search goes on.
set -euo pipefail
# shellcheck source=packaging/setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

minutes=10
keep=no
targets=()
while [ $# -gt 0 ]; do
  case $1 in
    --minutes) minutes=${2:?--minutes needs a number} && shift ;;
    --target) targets+=("${2:?--target needs a name}") && shift ;;
    --keep) keep=yes ;;
    *) die "fuzz.sh knows --minutes N, --target NAME and --keep, not '$1'." ;;
  esac
  shift
done

here=$TENON_ROOT/tests/fuzz
made=$TENON_ROOT/build/fuzz
if [ ${#targets[@]} -eq 0 ]; then
  for pack in "$here"/corpus/*.pack; do targets+=("$(basename "$pack" .pack)"); done
fi
for target in "${targets[@]}"; do
  [ -e "$here/corpus/$target.pack" ] || die "there is no target '$target' in tests/fuzz/corpus."
done
install_for sanitizers
programs=("${targets[@]/#/fuzz_}")
step "build (searches, sanitizers)" build_preset fuzz OFF "${programs[@]}" "${programs[@]/%/_replay}"

# search TARGET: until its time is over, again after each finding; at most ten findings.
search() {
  local target=$1 end=$((SECONDS + minutes * 60)) corpus=$made/corpus/$1 found=$made/findings/$1 log=$made/$1.log
  local options=(-max_len=16384 -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 -artifact_prefix="$found/")
  [ -e "$here/$target.dict" ] && options+=(-dict="$here/$target.dict")
  mkdir -p "$corpus" "$found"
  "$made/bin/fuzz_${target}_replay" --unpack "$here/corpus/$target.pack" "$corpus"
  [ -d "$here/findings/$target" ] && cp "$here/findings/$target"/* "$corpus"
  : >"$log"
  while [ $((end - SECONDS)) -gt 0 ] && [ "$(ls "$found" | wc -l)" -lt 10 ]; do
    nice -n 19 "$made/bin/fuzz_$target" "${options[@]}" -max_total_time=$((end - SECONDS)) "$corpus" >>"$log" 2>&1 || true
  done
  executions=$(grep -oE 'number_of_executed_units: +[0-9]+' "$log" | awk '{ all += $2 } END { print all + 0 }')
  findings=$(ls "$found" | wc -l)
  printf '  %-14s %12s inputs %4s findings\n' "$target" "$executions" "$findings"
}

# shrink TARGET: its corpus to inputs that reach the same, the small ones of them up to 96 KiB.
shrink() {
  local target=$1 least=$made/least/$1 small=$made/small/$1 size=0 file
  rm -rf "$least" "$small" && mkdir -p "$least" "$small"
  "$made/bin/fuzz_$target" -set_cover_merge=1 -max_len=16384 "$least" "$made/corpus/$target" >>"$made/$target.log" 2>&1
  while read -r file; do
    size=$((size + 4 + $(stat -c %s "$least/$file")))
    [ $size -gt 98304 ] || cp "$least/$file" "$small"
  done < <(ls -rS "$least")
  "$made/bin/fuzz_${target}_replay" --pack "$here/corpus/$target.pack" "$small"
}

# Units have their resources in files.
[ -w /dev/shm ] && export TMPDIR=/dev/shm
all=0
for target in "${targets[@]}"; do
  search "$target"
  all=$((all + findings))
  if [ $keep = yes ]; then shrink "$target"; fi
done
if [ $all -gt 0 ]; then die "$all findings in $made/findings: run them by build/fuzz/bin/fuzz_<target>_replay FILE"; fi
