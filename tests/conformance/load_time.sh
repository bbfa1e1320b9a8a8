#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# load_time.sh: what loading the library costs a program that never calls it: at most 2 ms, no thread, no output, no file, no device.
#
# usage: load_time.sh /path/to/libapplebottom.so
# Times are the shortest of 60 alternating runs of /bin/true each, so that a busy machine disturbs little.
set -u
library=$(realpath -s "${1:?usage: load_time.sh LIB}")
most_us=2000
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
say() { # WHAT REASON: an empty reason is a pass
  if [ -z "$2" ]; then echo "ok $1"; else echo "FAIL $1: $2"; failed=1; fi
}

now_us() { local now=${EPOCHREALTIME/[.,]/}; echo "$now"; }
for round in $(seq 60); do
  start=$(now_us); env X= /bin/true; between=$(now_us); env LD_PRELOAD="$library" /bin/true; end=$(now_us)
  echo "$((between - start)) $((end - between))"
done >"$work/times"
shortest() { cut -d' ' -f"$1" "$work/times" | sort -n | head -1; }
extra=$(($(shortest 2) - $(shortest 1)))
say "loading takes $extra us more than none (at most $most_us)" "$([ "$extra" -le $most_us ] || echo slow)"

cd "$work" || exit 2
mkdir empty && cd empty || exit 2
AB_TRACE=$work/empty/trace AB_PROFILE_JSON=$work/empty/profile AB_REPORT=1 AB_MODE=gup env LD_PRELOAD="$library" /bin/true >"$work/out" 2>&1
say "it prints nothing" "$(head -c 200 "$work/out")"
say "it leaves no file" "$(ls -A "$work/empty")"
if strace -f -o "$work/calls" -E LD_PRELOAD="$library" /bin/true 2>/dev/null; then
  say "it starts no thread and no process" "$(grep -E 'clone|fork' "$work/calls" | head -1)"
  say "it opens no device and no configuration" "$(grep -E '/dev/(nvidia|dri|kfd)|libcuda|libvulkan|applebottom/' "$work/calls" | head -1)"
  say "it leaves affinity and signals alone" "$(grep -E 'sched_setaffinity|rt_sigprocmask|rt_sigaction' "$work/calls" | head -1)"
else
  echo "skip system calls (strace does not work here)"
fi
exit $failed
