#!/bin/bash
# SPDX-License-Identifier: MIT
# run_suites.sh: public test suites and the project's own cases against a BLAS library that is preloaded or swapped in.
#
# usage: run_suites.sh --lib FILE|none [options]
#   --lib FILE      libapplebottom.so, put in front with LD_PRELOAD;  none: the host BLAS alone (proves the harness)
#   --suite LIST    blat3 cblat3 lapack hpcc numpy scipy qe fork threads cases scalapack, or all (default: all)
#   --mode LIST     cpu gpu auto (default: auto); sets AB_MODE, and for gpu AB_MIN_GPU_DIM=0, so that every call takes the
#                   device path. AB_DEVICE, AB_PRECISION, AB_REPRODUCIBLE, ... pass through from the caller
#   --host LIST     netlib openblas: the BLAS behind (default: openblas)
#   --lapack NAME   netlib or openblas: whose LAPACK (default: netlib, since OpenBLAS's own never calls out)
#   --via NAME      preload (default) or filter: with filter, --filter FILE (a libblas.so.3) replaces libblas.so.3 and
#                   nothing is preloaded
#   --long          adds Quantum ESPRESSO si64 (2 to 5 minutes) and hpcc with N=4000
#   --root DIR      unpack missing packages into DIR instead of installing them (no root needed, nothing changed)
#   --work DIR      keep inputs, outputs and logs there (default: a temporary folder, kept only when something failed)
# AB_SUITE_TIMES=1 adds the seconds of each suite; LIMIT=N lets each program of blat3, cblat3, hpcc and cases run N seconds. Each LIST is separated by commas. Missing Debian packages are installed with apt-get (root). Each suite prints
#   suite mode host: passed N, failed M
# with a line for every failure before it; the last line is `total: N passed, M failed`. Exit 0 when nothing failed,
# 1 when something did, 2 when it could not run. Times and expected counts: README.md.
set -u
HERE=$(cd "$(dirname "$0")" && pwd)
TOOLS=$HERE/tools
ALL="blat3 cblat3 lapack hpcc fork threads cases scalapack qe numpy scipy"

die() { echo "run_suites.sh: $*" >&2; exit 2; }
usage() { sed -n '3,/^set -u/{/^set -u/!s/^# \{0,1\}//p}' "$0"; exit "$1"; }

LIB='' SUITES=all MODES=auto HOSTS=openblas LAPACK=netlib VIA=preload FILTER='' LONG='' ROOT='' WORK='' KEEP=''
while [ $# -gt 0 ]; do
  case $1 in
    --long) LONG=1; shift; continue ;;
    -h | --help) usage 0 ;;
    --lib | --suite | --mode | --host | --lapack | --via | --filter | --root | --work) [ $# -ge 2 ] || die "$1 needs a value" ;;
    *) die "unknown option $1 (see --help)" ;;
  esac
  case $1 in
    --lib) LIB=$2 ;; --suite) SUITES=${2//,/ } ;; --mode) MODES=${2//,/ } ;; --host) HOSTS=${2//,/ } ;; --lapack) LAPACK=$2 ;;
    --via) VIA=$2 ;; --filter) FILTER=$2 VIA=filter ;; --root) ROOT=$2 ;; --work) WORK=$2 KEEP=1 ;;
  esac
  shift 2
done
[ -n "$LIB$FILTER" ] || usage 2
[ "$SUITES" = all ] && SUITES=$ALL
for w in $SUITES; do [[ " $ALL " = *" $w "* ]] || die "no suite '$w'; there are: $ALL"; done
for w in $MODES; do [[ " cpu gpu auto " = *" $w "* ]] || die "no mode '$w'"; done
for w in $HOSTS $LAPACK; do [[ " netlib openblas " = *" $w "* ]] || die "no host '$w'"; done
[ "$LIB" = none ] && LIB=
for f in $LIB $FILTER; do [ -f "$f" ] || die "no file $f"; done
[ -n "$LIB" ] && LIB=$(realpath -s "$LIB")
if [ "$VIA" = filter ]; then
  [ "$(basename "$FILTER")" = libblas.so.3 ] || die "--via filter needs --filter PATH/libblas.so.3"
  FILTER=$(realpath -s "$FILTER") LIB=
fi

# ---- packages -------------------------------------------------------------------------------------------------------
packages() { # of a suite
  case $1 in
    blat3 | cblat3) echo libblas-test ;;
    lapack) echo liblapack-test libtmglib3 ;;
    hpcc) echo hpcc openmpi-bin ;;
    numpy) echo python3-numpy python3-pytest python3-hypothesis ;;
    scipy) echo python3-scipy python3-pytest python3-hypothesis ;;
    qe) echo quantum-espresso quantum-espresso-data openmpi-bin python3 ;;
    fork | threads) echo g++ libblas-dev xz-utils ;;
    cases) echo strace binutils python3 ;;
    scalapack) echo libscalapack-openmpi2.2 openmpi-bin ;;
  esac
}
# shellcheck disable=SC2046
NEED=$(printf '%s\n' libblas3 liblapack3 libopenblas0-serial gcc libc6-dev $(for s in $SUITES; do packages "$s"; done) | sort -u)
if [ -n "$ROOT" ]; then
  mkdir -p "$ROOT" || die "cannot make $ROOT"
  ROOT=$(realpath "$ROOT")
  # shellcheck disable=SC2034
  R=$ROOT
  # shellcheck source=tools/unpacked_env.sh
  . "$TOOLS/unpacked_env.sh"
  # shellcheck disable=SC2086
  unpack $NEED || { [ -d "$ROOT/usr/lib" ] && echo "could not fetch packages; using what is in $ROOT" >&2; } ||
    die "could not fetch: $NEED (apt-get update first?)"
else
  LLP=
  MISSING=$(for p in $NEED; do [ "$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || echo "$p"; done | tr '\n' ' ')
  if [ -n "$MISSING" ]; then
    [ "$(id -u)" = 0 ] || die "not installed: $MISSING (run as root, or apt-get install them, or use --root DIR)"
    echo "installing: $MISSING" >&2
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086
    { apt-get -qq update && apt-get -qqy --no-install-recommends install $MISSING; } >/tmp/run_suites.apt.$$ 2>&1 ||
      { tail -5 /tmp/run_suites.apt.$$ >&2; die "apt-get failed (log: /tmp/run_suites.apt.$$)"; }
    rm -f /tmp/run_suites.apt.$$
  fi
fi
ARCH=$(basename "$(dirname "$(find "$ROOT"/usr/lib /usr/lib -maxdepth 2 -name openblas-serial 2>/dev/null | head -1)")")
place() { # FILE: in the unpacked folder, else in the system
  if [ -n "$ROOT" ] && [ -e "$ROOT$1" ]; then echo "$ROOT$1"; else echo "$1"; fi
}
SYS=/usr/lib/$ARCH
B=$(place "$SYS/blas/xblat3d") B=${B%/*}
T=$(place "$SYS/lapack/xlintstd") T=${T%/*}

# ---- the folder of this run -----------------------------------------------------------------------------------------
[ -n "$WORK" ] || WORK=$(mktemp -d "${TMPDIR:-/tmp}/suites.XXXXXX")
mkdir -p "$WORK/tools" || die "cannot make $WORK"
WORK=$(realpath "$WORK")
for h in netlib openblas; do
  mkdir -p "$WORK/$h"
  if [ $h = netlib ]; then ln -sf "$(place "$SYS/blas/libblas.so.3")" "$WORK/$h/"; else
    ln -sf "$(place "$SYS/openblas-serial/libblas.so.3")" "$(place "$SYS/openblas-serial/libopenblas.so.0")" "$WORK/$h/"
  fi
  if [ $LAPACK = netlib ]; then ln -sf "$(place "$SYS/lapack/liblapack.so.3")" "$WORK/$h/"; else
    ln -sf "$(place "$SYS/openblas-serial/liblapack.so.3")" "$(place "$SYS/openblas-serial/libopenblas.so.0")" "$WORK/$h/"
  fi
done
L="-L$WORK/openblas -l:libblas.so.3 -Wl,-rpath-link,$WORK/openblas"
W="-O2 -std=gnu11 -Wall -Wextra -Werror"
# shellcheck disable=SC2086
{
  gcc $W -rdynamic "$HERE"/case_kit/*.c -o "$WORK/tools/case_kit" $L -lpthread -lm -ldl &&
    gcc $W -rdynamic "$TOOLS/blas_edges.c" -o "$WORK/tools/blas_edges" $L -lm &&
    echo 'int RowMajorStrg = 0, CBLAS_CallFromC = 0;' | gcc -shared -fPIC -x c - -o "$WORK/tools/librowmajor.so"
} || die "the tools do not compile"

# ---- running one program --------------------------------------------------------------------------------------------
setup() { # mode host: the environment of every tested program
  ENV=(AB_MODE="$1" LD_LIBRARY_PATH="$WORK/$2${LLP:+:$LLP}")
  [ "$VIA" = filter ] && ENV=(AB_MODE="$1" LD_LIBRARY_PATH="$(dirname "$FILTER"):$WORK/$2${LLP:+:$LLP}" AB_HOST_BLAS="$WORK/$2/libblas.so.3")
  [ -n "$LIB" ] && ENV+=(LD_PRELOAD="$LIB")
  [ "$1" = gpu ] && ENV+=(AB_MIN_GPU_DIM=0)
  local class=${AB_PRECISION:-fp64}
  [ "$1" != gpu ] && case $class in strict | exact) class=fp64 ;; esac # cpu and auto may use the host BLAS
  ENV+=(CK_CLASS="$class")
}
run() { timeout -k 10 "${LIMIT:-900}" env "${ENV[@]}" "$@"; } # the preload is for the program alone, not for timeout
mpi() { # ranks program...
  local n=$1 v x=()
  shift
  for v in "${ENV[@]}"; do x+=(-x "$v"); done
  # yield_when_idle: ranks that share a core and wait busily crawl without it. mpirun itself is not preloaded
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 LD_LIBRARY_PATH=$LLP timeout -k 10 "${LIMIT:-900}" \
    "$(command -v mpirun.openmpi || echo mpirun)" --oversubscribe --bind-to none --mca mpi_yield_when_idle 1 --mca btl_vader_single_copy_mechanism none \
    -np "$n" "${x[@]}" "$@"
}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
good() { passed=$((passed + ${1:-1})); }
wrong() { echo "  FAIL $*"; failed=$((failed + 1)); }
tally() { # name, how many lines passed, how many should: what is missing has failed, a program that died too
  good "$2"
  if [ "$2" -lt "$3" ]; then
    echo "  FAIL $1: $2 of $3 passed (see $PWD)"
    failed=$((failed + $3 - $2))
  fi
}
threshold() { # these suites judge in units of 2^-53; the classes dd and fast promise 2^-48
  case ${AB_PRECISION:-fp64} in dd | fast) sed "s/^$1 /$2 /" ;; *) cat ;; esac
}

# ---- the suites -----------------------------------------------------------------------------------------------------
suite_blat3() { # Reference BLAS level 3 tester; N up to 9 as shipped, then up to 65, its limit
  local t n
  for t in d z; do
    for n in 9 65; do
      mkdir -p "$t$n" && cd "$t$n" || return
      if [ $n = 9 ]; then cat "$B/${t}blat3.in"; else
        sed -e 's/^6  *NUMBER OF VALUES OF N/9 NUMBER OF VALUES OF N/' \
          -e 's/^0 1 2 3 5 9 .*/0 1 2 3 9 17 31 33 65 VALUES OF N/' "$B/${t}blat3.in"
      fi | threshold 16.0 512.0 >in
      run "$B/xblat3$t" <in >out 2>err
      tally "xblat3$t N<=$n" "$(cat ${t}blat3.out 2>/dev/null | grep -c PASSED)" "$([ $t = d ] && echo 12 || echo 18)"
      cd ..
    done
  done
}
suite_cblat3() { # the same through CBLAS, both storage orders; OpenBLAS lacks two variables of Netlib's: a stub has them
  local t save=("${ENV[@]}")
  ENV+=(LD_PRELOAD="${LIB:+$LIB }$WORK/tools/librowmajor.so")
  for t in d z; do
    threshold 16.0 512.0 <"$B/${t}in3" >in.$t
    run "$B/x${t}cblat3" <in.$t >out.$t 2>err.$t
    tally "x${t}cblat3" "$(grep -c PASSED out.$t)" "$([ $t = d ] && echo 18 || echo 27)"
  done
  ENV=("${save[@]}")
}
suite_lapack() { # LAPACK's linear-equation tester
  local t
  for t in d z; do
    threshold 30.0 960.0 <"$T/${t}test.in" >in.$t
    run "$T/xlintst$t" <in.$t >out.$t 2>err.$t
    grep -E 'failed' out.$t | sed 's/^/  /' | head -5
    tally "xlintst$t" "$(grep -c 'passed the t' out.$t)" "$([ $t = d ] && echo 86 || echo 110)"
  done
}
suite_hpcc() { # HPL's residual, PTRANS, and the DGEMM sections of HPC Challenge, one rank
  local n p
  for n in 1000 ${LONG:+4000}; do
    mkdir -p $n && cd $n || return
    printf '%s\n' 'HPLinpack benchmark input file' 'one process, one problem' 'HPL.out file' '8 device out' '1 # of problem sizes' \
      "$n Ns" '1 # of NBs' '80 NBs' '0 PMAP' '1 # of process grids' '1 Ps' '1 Qs' '16.0 threshold' '1 # of panel fact' '2 PFACTs' \
      '1 # of recursive stopping criteria' '4 NBMINs' '1 # of panels' '2 NDIVs' '1 # of recursive fact' '1 RFACTs' '1 # of broadcast' \
      '1 BCASTs' '1 # of lookahead depth' '1 DEPTHs' '2 SWAP' '64 swapping threshold' '0 L1' '0 U' '1 Equilibration' '8 alignment' \
      '# separator' '0 additional sizes for PTRANS' '1200 sizes' '0 additional block sizes for PTRANS' '40 block sizes' >hpccinf.txt
    run hpcc >out 2>err
    p=$(grep -c '^||Ax-b||.*PASSED' hpccoutf.txt)
    grep '^||Ax-b||' hpccoutf.txt | grep -v PASSED | sed 's/^/  /'
    p=$((p + $(grep -cE '^(WALL|CPU) .* PASSED' hpccoutf.txt) + $(sed -n '/Begin of \(Star\|Single\)DGEMM/,/End of/p' hpccoutf.txt | grep -c 'with error 0') + $(grep -c '^Success=1' hpccoutf.txt)))
    tally "hpcc N=$n" $p 14
    cd ..
  done
}
python_tests() { # name, least number of tests, pytest arguments
  local name=$1 least=$2 p f
  shift 2
  run /usr/bin/python3 -m pytest -q --maxfail=20 -p no:cacheprovider --pyargs "$@" >out.$name 2>&1
  p=$(tail -3 out.$name | grep -oE '[0-9]+ passed' | tail -1) f=$(tail -3 out.$name | grep -oE '[0-9]+ (failed|error)' | tail -1)
  p=${p%% *} f=${f%% *}
  good "${p:-0}"
  grep -E '^(FAILED|ERROR)' out.$name | head -5 | cut -c1-150 | sed 's/^/  /'
  failed=$((failed + ${f:-0}))
  [ $((${p:-0} + ${f:-0})) -ge "$least" ] || [ "${f:-0}" -ge 20 ] || wrong "$name: only ${p:-0} tests ran: $(tail -1 out.$name)"
}
suite_numpy() {
  python_tests numpy 500 numpy.linalg.tests.test_linalg numpy.core.tests.test_multiarray -k 'linalg or Matmul or Dot or dot'
}
suite_scipy() {
  python_tests scipy 2200 scipy.linalg.tests.test_blas scipy.linalg.tests.test_decomp scipy.linalg.tests.test_lapack
}
energy() { # name, output, energy, steps
  local e s
  e=$(grep '^!' "$2" | tail -1 | awk '{print $5}') s=$(awk '/convergence has been achieved/ {print $6}' "$2")
  if awk -v e="${e:-0}" -v r="$3" -v s="${s:-0}" -v n="$4" 'BEGIN { d = e - r; t = s - n; exit !(d*d < 4.1e-16 && t*t <= 1) }'
  then good; else wrong "$1: ${e:-no energy} Ry after ${s:-?} steps, want $3 after $4"; fi
}
suite_qe() { # Quantum ESPRESSO, silicon
  local py
  py=$(command -v /usr/bin/python3 || command -v python3)
  "$py" "$TOOLS/qe_inputs.py" "$(place /usr/share/espresso/pseudo)"
  run pw.x -in si2.in >si2.out 2>si2.err
  energy "si2" si2.out -15.85081793 6
  mpi 2 pw.x -in si2.in >si2r.out 2>si2r.err
  energy "si2, 2 ranks" si2r.out -15.85081793 6
  run pw.x -in si8.in >si8.out 2>si8.err
  energy "si8" si8.out -80.99105551 9
  if [ -n "$LONG" ]; then
    run pw.x -in si64.in >si64.out 2>si64.err
    energy "si64" si64.out -506.45645976 11
  fi
}
openblas_source() { # two folders of OpenBLAS's source package, once
  SRC=${XDG_CACHE_HOME:-$HOME/.cache}/apple-bottom-tests/openblas
  [ -d "$SRC/utest" ] && [ -d "$SRC/cpp_thread_test" ] && return
  local d o
  d=$(mktemp -d)
  mkdir -p "$d/lists/partial" "$d/cache/archives/partial" "$SRC"
  o=(-qq -o APT::Sandbox::User=root -o Debug::NoLocking=1 -o Dir::Etc::sourcelist="$d/src.list" -o Dir::Etc::sourceparts=-
    -o Dir::State::lists="$d/lists" -o Dir::Cache="$d/cache")
  # the machine's own Debian archive, as a source archive
  apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Component: main' |
    grep -vE 'security|updates|backports' | head -1 >"$d/src.list"
  (cd "$d" && apt-get "${o[@]}" update && apt-get "${o[@]}" source --download-only openblas) >"$d/log" 2>&1 &&
    tar -xf "$d"/openblas_*.orig.tar.* -C "$SRC" --strip-components=1 --wildcards '*/utest/*' '*/cpp_thread_test/*' ||
    { tail -3 "$d/log"; return 1; }
  rm -rf "$d"
}
suite_fork() { # OpenBLAS's fork tests, built against any BLAS by a stand-in for its common.h
  openblas_source || { wrong "no source package of OpenBLAS"; return; }
  printf '%s\n' '#include <stdio.h>' '#include <stdlib.h>' '#include <stdint.h>' 'typedef int blasint;' \
    '#define BLASFUNC(x) x##_' 'extern void dgemm_();' >common.h
  printf '%s\n' '#define CTEST_MAIN' '#define CTEST_SEGFAULT' '#include "openblas_utest.h"' \
    'int main(int c, const char **v) { return ctest_main(c, v); }' >main.c
  # shellcheck disable=SC2086
  gcc -w -DBUILD_DOUBLE -I. -I"$SRC/utest" main.c "$SRC/utest/test_fork.c" "$SRC/utest/test_post_fork.c" -o utfork $L -lm ||
    { wrong "the fork tests do not compile"; return; }
  LIMIT=120 run ./utfork >out 2>&1
  local rc=$? p
  p=$(grep -cE 'TEST .*\[OK\]' out)
  [ $rc = 0 ] || [ "$p" -lt 2 ] || p=$((p - 1))
  tally "fork tests, exit $rc" "$p" 2
}
suite_threads() { # OpenBLAS's thread-safety test: concurrent results against the first
  openblas_source || { wrong "no source package of OpenBLAS"; return; }
  cp "$SRC"/cpp_thread_test/*.h .
  sed 's#"../cblas.h"#<cblas.h>#' "$SRC/cpp_thread_test/dgemm_thread_safety.cpp" >ts.cpp
  { echo 'typedef int blasint;'; cat "$(find /usr/include "$ROOT/usr/include" -name cblas-netlib.h 2>/dev/null | head -1)"; } >cblas.h
  sed -i 's#<cblas.h>#"cblas.h"#' ./*.h ts.cpp
  # shellcheck disable=SC2086
  g++ -w -O2 -fopenmp ts.cpp -o dgemm_ts $L || { wrong "the thread test does not compile"; return; }
  # Debian's serial OpenBLAS 0.3.21 fails this by itself, once in 60 runs of 16 threads on 2 cores. What such a host computes gets
  # three tries; what the library computes, one.
  local tries=3 t
  [ "$MODE" = gpu ] && tries=1
  for a in "64 16 20" "200 8 3"; do
    for t in $(seq $tries); do
      # shellcheck disable=SC2086
      LIMIT=300 run ./dgemm_ts $a >out 2>&1 && break
      [ "$t" = $tries ] || echo "  dgemm_ts $a failed behind $HOST in mode $MODE: tried again"
      t=failed
    done
    if [ "$t" != failed ]; then good; else wrong "dgemm_ts $a: $(grep -v '^ *$' out | tail -1)"; fi
  done
}
suite_cases() { # the project's own cases
  local n o lax
  for n in $("$WORK/tools/case_kit" list 2>/dev/null || LD_LIBRARY_PATH=$WORK/openblas "$WORK/tools/case_kit" list); do
    case $n in which | latency | threadcount) continue ;; esac
    LIMIT=${LIMIT:-300} run "$WORK/tools/case_kit" "$n" "${LIB:-libblas.so.3}" >"$n.out" 2>&1
    case $? in
      0) good ;;
      77) echo "  not tried: $n, $(grep 'CANNOT' "$n.out")" ;;
      124 | 137) wrong "case_kit $n: no end after ${LIMIT:-300} s" ;;
      *) wrong "case_kit $n: $(grep -hE 'WRONG' "$n.out" || tail -1 "$n.out")" ;;
    esac
  done
  lax=$([ -z "$LIB$FILTER" ] && [ "$HOST" = openblas ] && echo openblas)
  # shellcheck disable=SC2086
  run "$WORK/tools/blas_edges" $lax >edges.out 2>edges.err
  grep -E '^WRONG' edges.out | sed 's/^/  /'
  tally "blas_edges" "$(grep -c '^ok' edges.out)" 47
  [ -n "$LIB" ] || return
  LD_LIBRARY_PATH=$WORK/$HOST "$TOOLS/lib_checks.sh" "$LIB" "$WORK/tools/case_kit" >checks.out 2>checks.err
  grep '^FAIL' checks.out | sed 's/^/  /'
  good "$(grep -c '^ok' checks.out)"
  failed=$((failed + $(grep -c '^FAIL' checks.out)))
}
suite_scalapack() { # PDGEMM and PZGEMM on 2 and 4 ranks
  # shellcheck disable=SC2086
  gcc $W "$TOOLS/pdgemm_check.c" -o pdgemm_check "$(place "$SYS/libscalapack-openmpi.so.2.2")" -Wl,--unresolved-symbols=ignore-in-shared-libs \
    -lm -ldl || { wrong "pdgemm_check does not compile"; return; }
  local n
  for n in 2 4; do
    LIMIT=300 mpi $n ./pdgemm_check >out.$n 2>err.$n
    grep '^WRONG' out.$n | head -3 | sed 's/^/  /'
    tally "pdgemm_check, $n ranks" "$(sed -n 's/.*: passed \([0-9]*\), failed.*/\1/p' out.$n | grep . || echo 0)" 70
  done
}

# ---- all of it ------------------------------------------------------------------------------------------------------
total_passed=0 total_failed=0
for HOST in $HOSTS; do
  for MODE in $MODES; do
    setup "$MODE" "$HOST"
    # a library that cannot be preloaded is ignored by the loader with a warning, and every suite would pass without it
    for f in $LIB $FILTER; do
      run "$WORK/tools/case_kit" which >"$WORK/which" 2>"$WORK/which.err" || die "case_kit does not start: $(head -1 "$WORK/which.err")"
      grep -q "^dgemm_ *$f\$" "$WORK/which" || die "dgemm_ does not come from $f but from:
$(cat "$WORK/which" "$WORK/which.err")"
    done
    for SUITE in $SUITES; do
      passed=0 failed=0 start=$(date +%s)
      D=$WORK/$SUITE.$MODE.$HOST${FILTER:+.filter}
      rm -rf "$D" && mkdir -p "$D" && cd "$D" || die "cannot make $D"
      suite_$SUITE
      [ $((passed + failed)) -gt 0 ] || wrong "nothing ran"
      echo "$SUITE $MODE $HOST${FILTER:+ (filter)}: passed $passed, failed $failed"
      [ -n "${AB_SUITE_TIMES:-}" ] && echo "  $(($(date +%s) - start)) s"
      total_passed=$((total_passed + passed)) total_failed=$((total_failed + failed))
    done
  done
done
cd /
echo "total: $total_passed passed, $total_failed failed"
if [ $total_failed -gt 0 ]; then echo "outputs are in $WORK" >&2; exit 1; fi
[ -n "$KEEP" ] || rm -rf "$WORK"
exit 0
