#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The cpu device of this machine beside other BLAS libraries, in one go: engine and self-test, native kernels against common ones, then
# DGEMM and ZGEMM on one core, two cores and all of them, and a product of numpy with and without the library. JSON, tables and charts
# go to benchmarks/results/NAME. Exit status 1 when something is wrong.
# One core is --core, else the quietest of the first sixteen; two are that one and the next quiet one.
# usage: scripts/cpu_check.sh [--against FILE,FILE] [--name NAME] [--core N] [--build DIR] [--quick]
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
against='' name='' core='' build=build/release quick=''
usage() { sed -n '3,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=1 ;;
    --against | --name | --core | --build)
      [ $# -gt 1 ] || usage
      declare "${1#--}=$2"
      shift ;;
    *) usage ;;
  esac
  shift
done
cli=$build/applebottom library=$build/libapplebottom.so failed=0
[ -x "$cli" ] || { echo "cpu_check: no $cli: scripts/build.sh release" >&2; exit 2; }
cores=$(nproc)
[ -n "$name" ] || name=$(uname -m)-$cores-threads
results=benchmarks/results/$name day=$(date -u +%F)
mkdir -p "$results"

"$cli" info | head -3
"$cli" selftest --device cpu || failed=1
native=$(find build -path '*tests/ops/ops_native_test' -type f 2>/dev/null | head -1)
if [ -n "$native" ]; then
  "$native" --gtest_brief=1 | tail -3 || failed=1
else
  echo "cpu_check: ops_native_test is not built: native kernels are not compared"
fi

# OpenBLAS 0.3.21 takes newer Xeons for old ones; the user's own choice stays.
core_type=()
[ -n "${OPENBLAS_CORETYPE:-}" ] || ! grep -qw amx_int8 /proc/cpuinfo 2>/dev/null || core_type=(OPENBLAS_CORETYPE=SapphireRapids)

# The peers' own variables, so that everybody has as many threads as we have; MKL's threads are GNU's beside OpenBLAS.
# A neighbour on a core halves the rate of its matrix unit, and the machine does not say which cores have one.
quiet_cores() {
  for candidate in $(seq 0 $((cores < 16 ? cores - 1 : 15))); do
    AB_NUM_THREADS=1 taskset -c "$candidate" "$cli" bench --op dgemm --shape 512x512x512 --classes fp64 --device cpu --no-host --no-matrix-rate \
      --runs 15 --warmup 2 --json 2>/dev/null | sed -n 's/.*"device_median_s": *\([0-9.e-]*\).*/\1 '"$candidate/p" | head -1
  done | sort -g | awk '{print $2}'
}
pinned=()
if command -v taskset >/dev/null; then
  mapfile -t pinned < <(quiet_cores)
  [ -z "$core" ] || pinned=("$core" $((core + 1)))
fi

measure() { # title, threads, runs, arguments of bench...
  local title=$1 threads=$2 runs=$3 pin=()
  shift 3
  [ "$threads" -ge "$cores" ] || [ "${#pinned[@]}" -lt "$threads" ] || pin=(taskset -c "$(IFS=,; echo "${pinned[*]:0:$threads}")")
  echo "== $title, threads: $threads${pin[2]:+, on ${pin[2]}}"
  env "${core_type[@]}" \
    AB_NUM_THREADS="$threads" OPENBLAS_NUM_THREADS="$threads" MKL_NUM_THREADS="$threads" OMP_NUM_THREADS="$threads" BLIS_NUM_THREADS="$threads" \
    OMP_WAIT_POLICY=passive MKL_THREADING_LAYER="$([ "$threads" = 1 ] && echo SEQUENTIAL || echo GNU)" \
    "${pin[@]}" "$cli" bench "$@" --classes fp64 --device cpu --runs "$runs" --warmup 2 ${against:+--against "$against"} \
    --output "$results/$day-$title-$threads.json" --plot "$results/$day-$title-$threads.svg" | tee "$results/$day-$title-$threads.txt" || failed=1
}

if [ -n "$quick" ]; then
  measure dgemm 1 3 --shape 256x256x256,1024x1024x1024
else
  measure dgemm 1 7 --shape 256x256x256,384x384x384,512x512x512,1024x1024x1024,2048x2048x2048,512x4096x2048
  measure dgemm-4096 1 5 --shape 4096x4096x4096
  measure zgemm 1 5 --op zgemm --shape 512x512x512,1024x1024x1024,2048x2048x2048
  [ "$cores" -lt 2 ] || measure dgemm 2 5 --shape 1024x1024x1024,2048x2048x2048,4096x4096x4096
  [ "$cores" -lt 3 ] || measure dgemm "$cores" 5 --shape 1024x1024x1024,2048x2048x2048,4096x4096x4096,8192x8192x8192
fi

# A program that knows nothing of us: numpy linked to the system's BLAS (Debian's is, PyPI's is not).
product='import time, numpy; n = '$([ -n "$quick" ] && echo 1000 || echo 6000)'; a = numpy.random.rand(n, n); b = numpy.random.rand(n, n); a @ b
best = min((lambda t: (a @ b, time.perf_counter() - t)[1])(time.perf_counter()) for _ in range(3)); x = numpy.ones(n)
print("%.3f s, largest |(A B) x - A (B x)| / |.|: %.2g" % (best, max(abs(a @ b @ x - a @ (b @ x))) / max(abs(a @ (b @ x)))))'
if python3 -c 'import numpy' 2>/dev/null; then
  echo "numpy, A @ B without: $(python3 -c "$product")" | tee "$results/$day-numpy.txt"
  echo "numpy, A @ B with AB_MODE=auto: $(AB_MODE=auto AB_REPORT="$PWD/$results/$day-numpy-report.txt" LD_PRELOAD=$PWD/$library python3 -c "$product")" |
    tee -a "$results/$day-numpy.txt"
fi
exit $failed
