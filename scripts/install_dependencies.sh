#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what is missing, with apt (root or sudo) or brew, and says what to do where neither can.
# usage: scripts/install_dependencies.sh run|test|lint [--list]     run: build and demo; test: run and the tests; lint: test and format
set -u

# what | how it is seen without a package manager | apt packages | brew formulae; "-" where there is nothing to install.
RUN='C++20 compiler|command c++|g++|-
make|command make|make|make
CMake 3.25|cmake_is_new|cmake|cmake
Ninja|command ninja|ninja-build|ninja
Python 3|command python3|python3|python
oneTBB|header tbb/version.h|libtbb-dev|tbb
CLI11|header CLI/CLI.hpp|libcli11-dev|cli11
fmt|header fmt/core.h|libfmt-dev|fmt
nlohmann-json|header nlohmann/json.hpp|nlohmann-json3-dev|nlohmann-json
host BLAS|library libopenblas.so.0|libopenblas0-serial|-
numpy (demo)|module numpy|python3-numpy|numpy
HPL (demo)|command hpcc|hpcc openmpi-bin|-'
TEST='GoogleTest|header gtest/gtest.h|libgtest-dev|googletest
Boost headers|header boost/multiprecision/cpp_int.hpp|libboost-dev|boost
BLAS testers|-|libblas-test libblas-dev libblas3 liblapack3 xz-utils|-
pytest|module pytest|python3-pytest|-
strace|command strace|strace|-
binutils|command readelf|binutils|-
callgrind|command valgrind|valgrind|-
Fortran|command gfortran|gfortran|gcc
pkg-config|command pkg-config|pkg-config|pkgconf
Oclgrind|command oclgrind|oclgrind|-
OpenCL on the CPU|-|pocl-opencl-icd ocl-icd-opencl-dev opencl-c-headers|-
GLSL compiler|command glslangValidator|glslang-tools|glslang
SPIR-V validator|command spirv-val|spirv-tools|spirv-tools
Vulkan headers|header vulkan/vulkan_core.h|libvulkan-dev|vulkan-headers
Vulkan on the CPU|-|libvulkan1 mesa-vulkan-drivers vulkan-validationlayers|-
clang|command clang|clang|-'
LINT='clang-format 14|command clang-format-14|clang-format-14|-
pyflakes|command pyflakes3|pyflakes3|-'

say() { echo "install_dependencies: $*"; }
command_is() { command -v "$1" >/dev/null 2>&1; }
cmake_is_new() { command_is cmake && printf '3.25\n%s\n' "$(cmake --version | sed -n 's/^cmake version \([0-9.]*\).*/\1/p')" | sort -V -C; }
header_is() { command_is c++ && echo "#include <$1>" | c++ -std=c++20 -E -x c++ - >/dev/null 2>&1; }
library_is() { ldconfig -p 2>/dev/null | grep -q "$1 " || [ "$(uname)" = Darwin ]; }
module_is() { python3 -c "import $1" >/dev/null 2>&1; }
debian_has() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

seen() { # probe of a row
  case $1 in
    -) false ;;
    cmake_is_new) cmake_is_new ;;
    *) "${1%% *}_is" "${1#* }" ;;
  esac
}

missing_packages() { # manager: the packages of $WANTED that are not there
  local what probe apt brew package
  while IFS='|' read -r what probe apt brew; do
    case $1 in
      apt) for package in $apt; do debian_has "$package" || [ "$package" = - ] || echo "$package"; done ;;
      brew) for package in $brew; do
        [ "$package" = - ] || seen "$probe" || brew list --versions "$package" >/dev/null 2>&1 || echo "$package"
      done ;;
    esac
  done <<<"$WANTED"
}

unseen() { # what the probes do not find, for the message where no package manager can help
  local what probe apt brew
  while IFS='|' read -r what probe apt brew; do
    [ "$probe" = - ] || seen "$probe" || echo "  $what   (Debian, Ubuntu: ${apt}; Homebrew: $brew)"
  done <<<"$WANTED"
}

install_with_apt() {
  local packages=("$@") root=() log
  if [ "$(id -u)" != 0 ]; then
    if ! command_is sudo; then
      say "these packages are missing, and this user is not root and has no sudo. As root: apt-get install ${packages[*]}" >&2
      return 1
    fi
    root=(sudo)
  fi
  say "installing ${packages[*]}"
  log=$(mktemp)
  if "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 -qq update >"$log" 2>&1 &&
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 -qqy --no-install-recommends install "${packages[@]}" >>"$log" 2>&1 </dev/null; then
    rm -f "$log"
    return
  fi
  tail -15 "$log" >&2
  say "apt-get failed (all of it: $log). What is needed: ${packages[*]}" >&2
  return 1
}

ensure() { # installs what is missing
  local packages lack
  if command_is apt-get && command_is dpkg-query; then
    # shellcheck disable=SC2207
    packages=($(missing_packages apt))
    if [ "${#packages[@]}" -gt 0 ]; then install_with_apt "${packages[@]}" || return 1; fi
  elif command_is brew; then
    # shellcheck disable=SC2207
    packages=($(missing_packages brew))
    if [ "${#packages[@]}" -gt 0 ]; then
      say "installing ${packages[*]}"
      brew install "${packages[@]}" || return 1
    fi
    command_is c++ || { say "no C++ compiler: run xcode-select --install" >&2; return 1; }
  else
    lack=$(unseen)
    [ -z "$lack" ] && return
    say "neither apt-get nor brew is here. Please install, then run this again:" >&2
    echo "$lack" >&2
    return 1
  fi
  cmake_is_new || { say "CMake 3.25 or newer is needed; here is $(cmake --version 2>/dev/null | head -1)" >&2; return 1; }
}

case ${1:-} in
  run) WANTED=$RUN ;;
  test) WANTED=$RUN$'\n'$TEST ;;
  lint) WANTED=$RUN$'\n'$TEST$'\n'$LINT ;;
  *) sed -n 's/^# \(usage.*\)/\1/p' "$0" >&2; exit 2 ;;
esac
if [ "${2:-}" = --list ]; then
  echo "$WANTED"
  exit
fi
ensure
