#!/bin/bash
# SPDX-License-Identifier: MIT
# lib_checks.sh: what can be seen of the library from outside: its symbols and segments, what loading it does to a program
# that makes no BLAS call, and bad settings. Cases C15, C25, C26, C31, C35 to C38, C45, C46, C49 to C51, C58.
#
# usage:  LD_LIBRARY_PATH=<folder of the host BLAS> lib_checks.sh LIB CASE_KIT      (run_suites.sh --suite cases does it)
# Prints `ok CASE what` or `FAIL CASE what: why` a line; exit 1 when a line failed. Needs binutils, strace, util-linux.
LIB=$(realpath -s "$1") KIT=$(realpath -s "$2")
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
failed=0
say() { # CASE WHAT REASON: an empty reason is a pass
  if [ -z "$3" ]; then echo "ok $1 $2"; else echo "FAIL $1 $2: $3"; failed=1; fi
}
pre() { env LD_PRELOAD="$LIB" "$@"; }

# the file
say C15 "xerbla_ is weak or undefined" "$(nm -D "$LIB" | awk '$NF == "xerbla_" && $(NF-1) ~ /^[TDB]$/')"
say C25 "thread-local storage under 4 KiB" "$(readelf -lW "$LIB" | awk '$1 == "TLS" && length($6) > 2 {
  n = 0; h = tolower(substr($6, 3)); for (i = 1; i <= length(h); i++) n = n * 16 + index("0123456789abcdef", substr(h, i, 1)) - 1
  if (n >= 4096) print n " bytes" }')"
say C26 "no static TLS" "$(readelf -d "$LIB" | grep STATIC_TLS)"
readelf -d "$LIB" | grep -q NODELETE && r= || r="no NODELETE flag"
say C35 "never unloaded" "$r"
say C49 "64-bit integers only under names in 64_ (listed: others)" "$(nm -D --defined-only "$LIB" | awk '{print $NF}' |
  grep -iE '64' | grep -vE '64_?(@|$)|^ab_' | head -3)"
say C50 "exports ab_*, cblas_* and Fortran level-3 names only" "$(nm -D --defined-only "$LIB" | awk '{print $NF}' |
  sed 's/@.*//' | grep -vE '^(ab_[a-z0-9_]+|cblas_[a-z0-9_]+|[dz](ge|sy|he|tr)[a-z0-9]+(_batch|_batch_strided)?_(64_)?|xerbla_|_init|_fini)$' | head -3 | tr '\n' ' ')"
say C51 "no function that returns a complex number" "$(nm -D "$LIB" | grep -iE ' (c|z)dot[uc]' | head -3)"
say C58 "no OpenMP runtime" "$(ldd "$LIB" | grep -iE 'gomp|omp5|iomp')"

# loading it
if strace -o "$T/st" true 2>/dev/null; then
  strace -f -o "$T/st" -E LD_PRELOAD="$LIB" /bin/true >/dev/null 2>&1
  say C36 "loading opens no device and starts nothing" "$(grep -E '/dev/(nvidia|dri|kfd)|libcuda|libvulkan|clone3?\(|sched_setaffinity\(' "$T/st" | head -2)"
else
  echo "skip C36 (strace does not work here)"
fi
processor_us() { # COMMAND...: processor time of a start, whatever else the machine does
  local TIMEFORMAT='%U %S'
  { time for _ in 1 2 3 4 5 6 7 8 9 10; do "$@"; done; } 2>&1 | awk '{ print int(($1 + $2) * 1e5) }'
}
with=$(processor_us pre /bin/true) without=$(processor_us env X= /bin/true)
say C36 "loading takes under 5 ms ($((with - without)) us)" "$([ $((with - without)) -lt 5000 ] || echo slow)"
out=$(AB_REPORT=1 AB_TRACE=$T/quiet pre bash -c 'echo x | cat; exit 7' 2>"$T/err"); rc=$?
say C37 "silent in a program without BLAS calls" "$([ "$rc/$out" = 7/x ] && [ ! -s "$T/err" ] && ! ls "$T"/quiet* 2>/dev/null || echo "exit $rc, output '$out', $(head -1 "$T/err") $(ls "$T")")"
say C31 "one thread in cpu mode with OMP_NUM_THREADS=1" "$(OMP_NUM_THREADS=1 AB_MODE=cpu pre "$KIT" threadcount | grep '^threads=' | grep -v '=1$')"
say C38 "ulimit -v 1500000" "$(ulimit -v 1500000; pre "$KIT" sameAB >"$T/o" 2>&1 || tail -1 "$T/o")"
say C35 "dlopen, call, dlclose in a thread" "$("$KIT" unload "$LIB" >"$T/o" 2>&1 || tail -1 "$T/o")"

# bad settings: the right result, and one warning that names the variable
for s in "AB_MODE=gup" "AB_MIN_GPU_DIM=abc AB_MODE=gpu" "AB_STAGING_MB=-1 AB_MODE=gpu" "AB_PRECISION=quad AB_MODE=gpu" \
  "AB_DEVICE=abacus AB_MODE=gpu" "AB_NUM_THREADS=-3 AB_MODE=gpu" "AB_DISPATCH_TABLE=/nonexistent AB_MODE=auto" \
  "AB_HOST_BLAS=/nonexistent.so AB_MODE=cpu"; do
  r=
  # shellcheck disable=SC2086
  pre AB_MIN_GPU_DIM=0 $s "$KIT" sameAB >"$T/o" 2>"$T/err" || r="result: $(tail -1 "$T/o") "
  [ "$(grep -c "${s%%=*}" "$T/err")" = 1 ] || r="$r$(grep -c "${s%%=*}" "$T/err") lines of warning"
  say C45 "${s%% *}" "$r"
done

# the trace
AB_TRACE=/nonexistent/x pre "$KIT" manythreads >"$T/o" 2>"$T/err" && r= || r="result: $(tail -1 "$T/o") "
[ "$(wc -l <"$T/err")" = 1 ] || r="$r$(wc -l <"$T/err") lines of warning"
say C46 "trace to a folder that does not exist" "$r"
AB_TRACE=$T/tr pre "$KIT" manythreads >"$T/o" 2>&1
AB_TRACE=$T/tr pre "$KIT" forkchild >"$T/o" 2>&1
n=$(find "$T" -name 'tr.*' | wc -l)
r=$([ "$n" -ge 2 ] || echo "$n files")
for f in "$T"/tr.*; do
  [ -z "$r" ] && r=$(python3 -c '
import json, sys
for n, line in enumerate(open(sys.argv[1]), 1):
    line = line.strip().rstrip(",")
    if line not in ("", "[", "]"):
        try:
            json.loads(line)
        except ValueError:
            print(f"line {n} is no JSON event"); break' "$f" 2>&1)
done
say C46 "trace: a file a process, each line a JSON event, 300 threads and forks" "$r"
exit $failed
