#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The suites that every change must pass, in modes cpu and gpu, behind Netlib and OpenBLAS. usage: quick.sh /path/to/libapplebottom.so
# Everything else (lapack, hpcc, qe, scalapack, numpy, scipy): run_suites.sh beside this file.
set -u
library=${1:?usage: quick.sh /path/to/libapplebottom.so}
here=$(cd "$(dirname "$0")" && pwd)
[ "$(uname)" = Linux ] || { echo "suites: skipped: they need Linux"; exit 0; }
AB_SUITE_TIMES=1 "$here/run_suites.sh" --lib "$library" --suite blat3,cblat3,fork,threads,cases --mode cpu,gpu --host netlib,openblas
