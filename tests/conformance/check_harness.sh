#!/bin/bash
# SPDX-License-Identifier: MIT
# check_harness.sh: does run_suites.sh pass what is right and fail what is wrong? No library of the project is needed.
#   1. plain Netlib and plain OpenBLAS (--lib none) pass every suite
#   2. a right interposer (tools/count_shim.c) passes every suite, preloaded, and as a filter libblas.so.3
#   3. a wrong one (tools/broken_gemm.c: one bad entry in every GEMM with m > 8) fails in every suite
#   4. a library that has no dgemm_ or cannot be loaded is refused (exit 2), instead of passing unseen
#
# usage: check_harness.sh [--all] [--root DIR]     --all adds qe, numpy and scipy; --root as in run_suites.sh
# Takes 5 minutes on one core, with --all 13. Last line `check_harness: N passed, M failed`; exit 0 when M is 0.
set -u
HERE=$(cd "$(dirname "$0")" && pwd)
SUITES="blat3 cblat3 lapack hpcc fork threads scalapack cases" ROOT=()
while [ $# -gt 0 ]; do
  case $1 in
    --all) SUITES="$SUITES qe numpy scipy"; shift ;;
    --root) ROOT=(--root "$2"); shift 2 ;;
    *) sed -n '3,/^set -u/{/^set -u/!s/^# \{0,1\}//p}' "$0"; exit 2 ;;
  esac
done
D=$(mktemp -d)
trap 'rm -rf "$D"' EXIT
passed=0 failed=0
verdict() { # wanted exit, what, command...
  local want=$1 what=$2 got
  shift 2
  "$HERE/run_suites.sh" "${ROOT[@]}" --work "$D/work" "$@" >"$D/out" 2>&1
  got=$?
  if [ $got = "$want" ]; then
    passed=$((passed + 1)); echo "ok    $what"
  else
    failed=$((failed + 1)); echo "WRONG $what: exit $got, wanted $want"; tail -8 "$D/out"
  fi
  rm -rf "$D/work"
}

for h in openblas netlib; do
  for s in $SUITES; do verdict 0 "$s passes on plain $h" --lib none --suite "$s" --host $h; done
done
cc() { gcc -O2 -std=gnu11 -Wall -Wextra -Werror -shared -fPIC "$@" -ldl || exit 2; }
mkdir "$D/filter"
cc "$HERE/tools/broken_gemm.c" -o "$D/libbroken.so"
cc "$HERE/tools/count_shim.c" -o "$D/libcount.so"
echo 'int nothing;' | cc -x c - -o "$D/libnothing.so"
OB=$(find "${ROOT[1]:-/}"/usr/lib /usr/lib -path '*openblas-serial/libopenblas.so.0' 2>/dev/null | head -1)
cc -Wl,-soname,libblas.so.3 -Wl,--no-as-needed "$HERE/tools/count_shim.c" "$OB" -o "$D/filter/libblas.so.3"
export COUNT_OUT=$D/count
for s in $SUITES; do
  if [ "$s" != cases ]; then # the shim is no library of ours: it has no warnings, no trace, and OpenBLAS's argument checks
    verdict 0 "$s passes with a right interposer" --lib "$D/libcount.so" --suite "$s" --mode gpu
    verdict 0 "$s passes with a right filter libblas.so.3" --filter "$D/filter/libblas.so.3" --suite "$s" --mode gpu
  fi
  verdict 1 "$s fails with a wrong GEMM" --lib "$D/libbroken.so" --suite "$s"
done
verdict 2 "a library without dgemm_ is refused" --lib "$D/libnothing.so" --suite blat3
echo text >"$D/libtext.so"
verdict 2 "a file that is no library is refused" --lib "$D/libtext.so" --suite blat3
verdict 2 "a missing file is refused" --lib "$D/libmissing.so" --suite blat3
verdict 2 "an unknown suite is refused" --lib none --suite blat4
echo "check_harness: $passed passed, $failed failed"
[ $failed = 0 ]
