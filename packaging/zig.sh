# Wrappers of zig's compilers for packaging/cmake/zig.cmake. Sourced, by scripts whose `systems` are wanted.
ZIG_VERSION=0.15.2

# The systems of a release: name, zig's target. glibc 2.17 is that of RHEL 7 and of the tag manylinux_2_17.
ZIG_SYSTEMS=(
  "linux-x86_64 x86_64-linux-gnu.2.17"
  "linux-aarch64 aarch64-linux-gnu.2.17"
  "windows-x86_64 x86_64-windows-gnu"
  "macos-arm64 aarch64-macos.11.0"
  "macos-x86_64 x86_64-macos.11.0"
)

install_zig() {
  local venv=$TENON_ROOT/build/zig/venv
  [ -e "$venv/done" ] && return
  mkdir -p "$TENON_ROOT/build/zig"
  python3 -m venv "$venv" &&
    "$venv/bin/pip" install --quiet --disable-pip-version-check "ziglang==$ZIG_VERSION" && touch "$venv/done"
}

# put FILE: standard input to an executable file, whose time stays where it holds that already (compiler caches look).
put() {
  local file=$1
  cat >"$file.new"
  chmod +x "$file.new"
  if cmp -s "$file.new" "$file"; then rm "$file.new"; else mv "$file.new" "$file"; fi
}

# link_macos SYSTEM TARGET: what an Apple linker needs of zig: its C++ library, made for the target, and what the system has. zig's own linker for
# macOS makes no bundles and exports all, operator new too; lld takes a list of exports.
link_macos() {
  local folder=$TENON_ROOT/build/zig/$1/link archive
  [ -e "$folder/done" ] && return
  mkdir -p "$folder"
  echo 'int main() { return 0; }' >"$folder/empty.cpp"
  ZIG_VERBOSE_LINK=1 "$zig" c++ -target "$2" "$folder/empty.cpp" -o "$folder/empty" 2>"$folder/zig.log" || return 1
  for archive in libc++.a libc++abi.a libcompiler_rt.a; do
    cp "$(grep -o "[^ ]*/$archive" "$folder/zig.log" | head -n 1)" "$folder" || return 1
  done
  for archive in System m pthread dl; do  # one library has them all
    cp "${zig%/*}/lib/libc/darwin/libSystem.tbd" "$folder/lib$archive.tbd" || return 1
  done
  touch "$folder/done"
}

# zig names levels of processors with underscores, and by -mcpu.
write_zig_wrappers() {
  local entry system target folder tool zig look link
  zig=$(echo "$TENON_ROOT"/build/zig/venv/lib/python3*/site-packages/ziglang/zig)
  for entry in "${ZIG_SYSTEMS[@]}"; do
    read -r system target <<<"$entry"
    folder=$TENON_ROOT/build/zig/$system
    mkdir -p "$folder"
    look='' link=''
    if [[ $system == macos-* ]] && [[ " ${systems[*]} " == *" $system "* ]]; then
      link_macos "$system" "$target" || die "zig made no program for $system; see $folder/link/zig.log"
      look='
    -c | -E | -S | *.c | *.cpp | -v | --version) compiling=yes ;;'
      link="
if [ -z \"\${compiling:-}\" ]; then
  exec clang-19 --target=${target/-macos./-apple-macos} -mlinker-version=907 --ld-path=$(command -v ld64.lld-19) -nodefaultlibs \\
    \"\${arguments[@]}\" $folder/link/*.a -L$folder/link -lSystem
fi"
    fi
    for tool in cc c++; do
      put "$folder/$tool" <<EOF
#!/usr/bin/env bash
arguments=()
for argument in "\$@"; do
  case \$argument in$look
    -march=x86-64-v*) argument=-mcpu=x86_64_v\${argument#-march=x86-64-v} ;;
    -static-libstdc++ | -static-libgcc) continue ;;  # always so
  esac
  arguments+=("\$argument")
done$link
exec "$zig" $tool -target $target "\${arguments[@]}"
EOF
    done
    for tool in ar ranlib rc; do printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig" "$tool" | put "$folder/$tool"; done
  done
}
