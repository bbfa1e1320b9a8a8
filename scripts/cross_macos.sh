#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compiles and links the library for arm64 macOS on this machine, with zig's compiler (from PyPI, 100 MB) and stubs of Apple's headers and
# libraries written by hand (tests/cross_macos). It proves that the Metal build is complete C++ and Objective-C++, not that it runs.
# usage: scripts/cross_macos.sh [BUILD_FOLDER]     AB_ZIG: a zig program to use instead of the one from PyPI
set -eu
cd "$(dirname "$0")/.."
folder=${1:-build/cross-macos}
mkdir -p "$folder/tools"
folder=$(cd "$folder" && pwd)
if [ -z "${AB_ZIG:-}" ]; then
  [ -x "$folder/python/bin/python" ] || python3 -m venv "$folder/python"
  "$folder/python/bin/pip" install -q ziglang
  AB_ZIG=$("$folder/python/bin/python" -c 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))')
fi
wrapper() { # name, words: a compiler is one program to CMake
  printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$AB_ZIG" "$2" >"$folder/tools/$1"
  chmod +x "$folder/tools/$1"
}
wrapper cc 'cc -target aarch64-macos.13.3'
wrapper c++ 'c++ -target aarch64-macos.13.3'
wrapper ar ar
wrapper ranlib ranlib
printf '#!/bin/sh\nexit 0\n' >"$folder/tools/install_name_tool"
chmod +x "$folder/tools/install_name_tool"
export AB_CROSS_TOOLS="$folder/tools"
generator=()
if command -v ninja >/dev/null; then generator=(-G Ninja); fi
cmake -S . -B "$folder/build" "${generator[@]}" -DCMAKE_TOOLCHAIN_FILE=tests/cross_macos/toolchain.cmake -DCMAKE_BUILD_TYPE=Release \
  -DAB_BUILD_TESTS=OFF -DAB_BUILD_TOOLS=OFF -DAB_CUDA=OFF -DAB_VULKAN=OFF -DAB_REEXPORT_ACCELERATE=OFF -DCMAKE_DISABLE_FIND_PACKAGE_TBB=ON
cmake --build "$folder/build"
library=$(find "$folder/build" -name 'libapplebottom*.dylib' -type f)
file "$library" | grep -q 'Mach-O 64-bit arm64 dynamically linked shared library' || { echo "cross_macos: $library is no library for arm64 macOS"; exit 1; }
python3 tests/cross_macos/check_library.py "$library"
