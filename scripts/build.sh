#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Configures and builds one preset, with Ninja and ccache where they are there. usage: scripts/build.sh PRESET [TARGET...]
set -eu
cd "$(dirname "$0")/.."
preset=${1:?usage: scripts/build.sh PRESET [TARGET...]}
shift
folder=build/$preset
mkdir -p "$folder"
if [ ! -f "$folder/CMakeCache.txt" ]; then # later configurations keep what the first one chose
  if command -v ninja >/dev/null; then export CMAKE_GENERATOR=${CMAKE_GENERATOR:-Ninja}; fi
  if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER:-ccache} CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER:-ccache}
  fi
fi
export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$PWD} CCACHE_NOHASHDIR=1 # clones of the same commit share what was compiled
cmake --preset "$preset" >"$folder/configure.log" 2>&1 || { cat "$folder/configure.log"; exit 1; }
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc 2>/dev/null || sysctl -n hw.ncpu)}
echo "building $preset ($folder)"
cmake --build --preset "$preset" ${1:+--target "$@"} >"$folder/build.log" 2>&1 || { grep -E 'error|warning|FAILED|undefined' "$folder/build.log" | head -40; tail -20 "$folder/build.log"; exit 1; }
grep -E 'warning:' "$folder/build.log" | sort -u | head -20 || true
