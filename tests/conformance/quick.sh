#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The suites that every change must pass, in modes cpu and gpu, behind Netlib and OpenBLAS. usage: quick.sh /path/to/libapplebottom.so
# Everything else (lapack, hpcc, qe, scalapack, numpy, scipy): run_suites.sh beside this file.
set -u
library=${1:?usage: quick.sh /path/to/libapplebottom.so}
here=$(cd "$(dirname "$0")" && pwd)
[ "$(uname)" = Linux ] || { echo "suites: skipped: they need Linux"; exit 0; }
export AB_SUITE_TIMES=1
suites() { "$here/run_suites.sh" --lib "$library" --mode cpu,gpu "$@" 2>&1; }

# The testers use one thread each, so both hosts at once; fork, threads and cases measure times and load the machine themselves.
netlib=$(mktemp)
suites --suite blat3,cblat3 --host netlib >"$netlib" &
suites --suite blat3,cblat3 --host openblas
status=$?
wait $! || status=1
cat "$netlib"
rm -f "$netlib"
suites --suite fork,threads,cases --host netlib,openblas || status=1
exit $status
