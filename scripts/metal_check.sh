#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a Mac is asked: build, self-test, golden bits, random products, native kernels against common ones, the same under Metal's
# validation, a few speeds. All of it goes to metal_check.log, which is worth sending (docs/apple.md). Exit status 1 when something is
# wrong, 77 where there is no Mac.
# usage: scripts/metal_check.sh [--quick] [BUILD_FOLDER]
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
quick=''
if [ "${1:-}" = --quick ]; then quick=1; shift; fi
build=${1:-build/metal-check}
[ "$(uname)" = Darwin ] || { echo "metal_check: skipped: this is no Mac"; exit 77; }
exec > >(tee metal_check.log) 2>&1
failed=0

step() { # name, command...
  local name=$1 began
  shift
  began=$(date +%s)
  echo "==== $name: $*"
  if "$@"; then echo "---- $name: passed ($(($(date +%s) - began)) s)"; else
    echo "---- $name: FAILED ($(($(date +%s) - began)) s)"
    failed=$((failed + 1))
  fi
}

sw_vers
sysctl -n machdep.cpu.brand_string hw.memsize
xcrun --show-sdk-version
git log -1 --format='%h %cs %s' 2>/dev/null
step configure cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=RelWithDebInfo
step build cmake --build "$build" -j "$(sysctl -n hw.ncpu)"
cli=$build/applebottom tests=$build/tests/ops
export AB_TEST_PRODUCTS=${quick:+300}
step info "$cli" info
step selftest "$cli" selftest --device metal
step golden "$tests/ops_golden_test" --gtest_brief=1
step native "$tests/ops_metal_native_test" --gtest_brief=1
step random "$tests/ops_random_test" --gtest_brief=1
export MTL_DEBUG_LAYER=1 MTL_DEBUG_LAYER_ERROR_MODE=nslog MTL_SHADER_VALIDATION=1
step validated "$tests/ops_metal_native_test" --gtest_brief=1 '--gtest_filter=*ManySmall*:*Tile*'
unset MTL_DEBUG_LAYER MTL_DEBUG_LAYER_ERROR_MODE MTL_SHADER_VALIDATION
sizes=512x512x512,1024x1024x1024,2048x2048x2048
[ -n "$quick" ] || sizes=$sizes,4096x4096x4096
for kernels in best common; do
  step "bench-$kernels" env AB_METAL_KERNELS=$kernels "$cli" bench --shape "$sizes" --classes dd,fp64 --device metal --runs 5 --warmup 2
done
step bench-zgemm "$cli" bench --op zgemm --shape 512x512x512,1024x1024x1024,2048x2048x2048 --classes dd,fp64 --device metal --runs 5 --warmup 2
otool -L "$build"/libapplebottom.2.dylib
codesign --verify --verbose "$build"/libapplebottom.2.dylib
echo "metal_check: $failed failed"
[ "$failed" = 0 ]
