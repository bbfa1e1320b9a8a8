#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tests of the Python package with a built library, by the first Python that has numpy and pytest: PYTHON, python3, /usr/bin/python3.
# usage: scripts/python_tests.sh /path/to/libapplebottom.so [PYTEST ARGUMENTS]     Exit status 77 when no Python has them.
set -u
cd "$(dirname "$0")/.." || exit 2
AB_LIBRARY=$(realpath "${1:?usage: scripts/python_tests.sh /path/to/libapplebottom.so [PYTEST ARGUMENTS]}") || exit 2
shift
[ $# -gt 0 ] || set -- python/tests
export AB_LIBRARY PYTHONPATH=$PWD/python PYTHONDONTWRITEBYTECODE=1
for python in ${PYTHON:-} python3 /usr/bin/python3; do
  if "$python" -c 'import numpy, pytest' 2>/dev/null; then exec "$python" -m pytest -q -p no:cacheprovider "$@"; fi
done
echo "python tests: skipped: no Python here has numpy and pytest"
exit 77
