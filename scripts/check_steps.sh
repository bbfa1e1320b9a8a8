# SPDX-License-Identifier: MIT
# Sourced by scripts that ask a machine many things within a time: steps that are run, kept and counted.
# Before: `say`; $logs, an empty folder; $limit_s, for all steps together.
: >"$logs/checks.tsv"

check() { # name, seconds at most, command...: runs it within what is left of the time, keeps its output, and counts it
  local name=$1 most=$2 left=$((limit_s - SECONDS)) began=$SECONDS result=passed status
  shift 2
  if [ "$left" -lt 5 ]; then
    printf '%s\tfailed: no time left\t0\n' "$name" >>"$logs/checks.tsv"
    say "$name: no time left"
    return 1
  fi
  timeout "$((left < most ? left : most))" "$@" >"$logs/$name.log" 2>&1
  status=$?
  if [ $status = 124 ]; then result="failed: more than $((left < most ? left : most)) s"; elif [ $status != 0 ]; then result="failed: exit status $status"; fi
  printf '%s\t%s\t%d\n' "$name" "$result" "$((SECONDS - began))" >>"$logs/checks.tsv"
  say "$name: $result ($((SECONDS - began)) s)"
  [ $status = 0 ] || { tail -15 "$logs/$name.log" | sed 's/^/  /'; return 1; }
}

join() { local IFS=,; echo "$*"; }
