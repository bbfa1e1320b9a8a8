#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds a preset, runs its tests, and adds up what they report. usage: scripts/run_tests.sh PRESET [--suites]
# --suites: also the public BLAS testers and our cases against the library (tests/conformance). Closing line `N passed, M failed`.
set -u
cd "$(dirname "$0")/.." || exit 2
preset=${1:?usage: scripts/run_tests.sh PRESET [--suites]}
folder=$PWD/build/$preset
reports=("$folder/ctest.xml")
rm -f "$folder/ctest.xml" "$folder/suites.log"

if ! scripts/build.sh "$preset"; then
  echo "$preset does not build"
  echo "0 passed, 1 failed"
  exit 1
fi

ctest --preset "$preset" --output-junit "$folder/ctest.xml" -j "$(nproc 2>/dev/null || sysctl -n hw.ncpu)" >"$folder/ctest.log" 2>&1 ||
  { grep -E '^\[  FAILED|Failure$|\*\*\*|ERROR: |WARNING: ThreadSanitizer|runtime error' "$folder/ctest.log" | head -40; }
sed -n '/tests passed,/,$p' "$folder/ctest.log"

if [ "${2:-}" = --suites ]; then
  reports+=("$folder/suites.log")
  tests/conformance/quick.sh "$folder/libapplebottom.so" 2>&1 | tee "$folder/suites.log"
fi
python3 scripts/tally.py "${reports[@]}"
