#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Format, layers, mirror, style and exports; each checker first proves itself on wrong trees. No build needed; the exports are
# looked at when a library has been built. Usage: scripts/lint.sh [--fix]. Closing line `lint: passed N, failed M`.
set -u
cd "$(dirname "$0")/.." || exit 2
CLANG_FORMAT_VERSION=14 # other versions lay the same text out differently
passed=0 failed=0

judge() { # name, command...: counts the command's exit status
  local name=$1
  shift
  if "$@"; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "FAIL $name"
  fi
}

formatter() { # the clang-format of the version above, if there is one
  local candidate
  for candidate in "clang-format-$CLANG_FORMAT_VERSION" clang-format; do
    if "$candidate" --version 2>/dev/null | grep -q "version $CLANG_FORMAT_VERSION\."; then
      echo "$candidate"
      return
    fi
  done
}

sources() { # what clang-format lays out; the kernel dialect is macros and keeps its own layout
  git ls-files --cached --others --exclude-standard -- '*.cpp' '*.hpp' '*.c' '*.mm' 'include/*.h' |
    grep -v -e '^src/kernels/' | while read -r file; do [ -f "$file" ] && echo "$file"; done
}

check_format() {
  local tool=$1 wrong
  wrong=$(sources | xargs -r "$tool" --dry-run 2>&1 | grep 'warning: code should be clang-formatted' | cut -d: -f1 | sort | uniq -c)
  [ -z "$wrong" ] && return
  echo "not laid out by .clang-format (scripts/lint.sh --fix does it):"
  echo "$wrong"
  return 1
}

tool=$(formatter)
if [ "${1:-}" = --fix ]; then
  [ -n "$tool" ] || { echo "lint: clang-format $CLANG_FORMAT_VERSION is needed" >&2; exit 2; }
  sources | xargs -r "$tool" -i
fi
if [ -n "$tool" ]; then judge format check_format "$tool"; else echo "lint: format skipped: no clang-format $CLANG_FORMAT_VERSION"; fi
for checker in check_layers check_mirror check_style check_exports; do
  judge "$checker --self-test" python3 "tools/$checker.py" --self-test
done
judge "tally --self-test" python3 scripts/tally.py --self-test
for checker in check_layers check_mirror check_style; do judge "$checker" python3 "tools/$checker.py"; done
if ls build/*/libapplebottom.so >/dev/null 2>&1; then judge check_exports python3 tools/check_exports.py; fi
echo "lint: passed $passed, failed $failed"
[ "$failed" = 0 ]
