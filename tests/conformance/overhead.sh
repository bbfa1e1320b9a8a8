#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# overhead.sh: what the library adds to an 8 x 8 product that it hands to the host BLAS: instructions (counted by callgrind when valgrind
# is there) and nanoseconds (best of alternating runs with and without the library preloaded).
#
# usage: overhead.sh /path/to/libapplebottom.so [FOLDER OF THE HOST BLAS]      default: Debian's serial OpenBLAS
# Fails when a call takes 50 ns more, or, where instructions are counted, 500 instructions more. Times need a quiet machine: a loaded one
# makes both sides slower, and the best of ten pairs is what is compared.
set -u
library=$(realpath -s "${1:?usage: overhead.sh LIB [FOLDER]}")
here=$(cd "$(dirname "$0")" && pwd)
folder=${2:-/usr/lib/$(gcc -print-multiarch)/openblas-serial}
most_ns=50
most_instructions=500
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O2 -std=gnu11 -Wall -Wextra -Werror "$here/../blas/overhead.c" -o "$work/overhead" -L"$folder" -l:libblas.so.3 || exit 2
export LD_LIBRARY_PATH=$folder AB_MODE=${AB_MODE:-cpu}
env LD_PRELOAD="$library" "$work/overhead" 10 1 >/dev/null || exit 2

for round in 1 2 3 4 5 6 7 8 9 10; do
  "$work/overhead" 20000 20 | sed 's/^/without /'
  env LD_PRELOAD="$library" "$work/overhead" 20000 20 | sed 's/^/with /'
done >"$work/times"

instructions() { # PRELOAD CALLS: executed in user code
  env ${1:+LD_PRELOAD="$1"} valgrind --tool=callgrind --callgrind-out-file=/dev/null "$work/overhead" "$2" 1 2>&1 | sed -n 's/.*Collected : //p'
}
per_pair() { # PRELOAD: instructions of one call of each interface
  echo $((($(instructions "$1" 6000) - $(instructions "$1" 1000)) / 5000))
}
failed=0
if command -v valgrind >/dev/null; then
  with=$(per_pair "$library") without=$(per_pair "")
  extra=$(((with - without) / 2))
  echo "instructions of dgemm_ and cblas_dgemm: $without without, $with with: $extra more a call (at most $most_instructions)"
  [ "$extra" -le "$most_instructions" ] || failed=1
else
  echo "instructions: not counted, valgrind is not installed"
fi
awk -v most="$most_ns" '
  { key = $2; if (!(key in best_with)) best_with[key] = best_without[key] = 1e30 }
  $1 == "with" && $3 < best_with[key] { best_with[key] = $3 }
  $1 == "without" && $3 < best_without[key] { best_without[key] = $3 }
  END {
    for (key in best_with) {
      extra = best_with[key] - best_without[key]
      printf "%s: %.1f ns without, %.1f ns with, ratio %.2f: %.1f ns more a call (at most %d)\n", key, best_without[key], best_with[key],
        best_with[key] / best_without[key], extra, most
      if (extra > most) bad = 1
    }
    exit bad
  }' "$work/times" || failed=1
exit $failed
