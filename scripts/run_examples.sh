#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compiles every examples/*.c against a built library, as a user would, and runs it; runs every examples/*.py. usage: scripts/run_examples.sh BUILD_FOLDER
set -u
cd "$(dirname "$0")/.." || exit 2
build=$(cd "${1:?usage: scripts/run_examples.sh BUILD_FOLDER}" && pwd) || exit 2
mkdir -p "$build/examples"
failed=0
if command -v gfortran >/dev/null; then # Fortran programs, linked ahead of their BLAS
  for source in examples/*.f90; do
    program=$build/examples/$(basename "$source" .f90)
    echo "== $source"
    # shellcheck disable=SC2046
    gfortran -Wall -Werror -O2 "$source" -o "$program" -L"$build" -Wl,-rpath,"$build" -lapplebottom $(pkg-config --libs blas 2>/dev/null || echo -lblas) &&
      "$program" || failed=1
  done
else
  echo "== Fortran skipped: no gfortran"
fi
for source in examples/*.c; do
  program=$build/examples/$(basename "$source" .c)
  echo "== $source"
  cc -std=c11 -Wall -Wextra -Werror -O2 -Iinclude "$source" -o "$program" -L"$build" -Wl,-rpath,"$build" -lapplebottom -lm && "$program" || failed=1
done
for program in examples/*.py; do
  echo "== $program"
  for python in python3 /usr/bin/python3; do
    "$python" -c 'import numpy' 2>/dev/null && break
  done
  AB_LIBRARY=$build/libapplebottom.so PYTHONPATH=$PWD/python "$python" "$program" || failed=1
done
exit $failed
