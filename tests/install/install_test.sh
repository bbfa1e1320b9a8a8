#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs a built library into a fresh prefix and uses it from C, C++, Fortran, pkg-config and CMake; then moves the prefix and does
# it again; then installs below DESTDIR and removes it. usage: install_test.sh BUILD_FOLDER
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?usage: install_test.sh BUILD_FOLDER}" && pwd) || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LD_LIBRARY_PATH LD_PRELOAD PKG_CONFIG_PATH DESTDIR
export AB_MODE=gpu AB_MIN_GPU_DIM=0 AB_DEVICE=cpu
failed=0

check() { # what, command...
  local what=$1
  shift
  if "$@" >"$work/log" 2>&1; then echo "ok   $what"; else
    echo "FAIL $what: $*"
    tail -15 "$work/log"
    failed=1
  fi
}
seen() { # program...: does it run, and did its product reach the library?
  AB_REPORT=$work/report "$@" || return 1
  grep -h '^dgemm  *device ' "$work"/report.*
  local found=$?
  rm -f "$work"/report.*
  return $found
}
compiled() { # words of a compiler, which writes $work/program, then how to run it
  local run=$1
  shift
  "$@" -o "$work/program" && "$run" "$work/program"
}
has_no_path_of() { # of the build tree or another prefix in what tells where things are
  ! grep -rnE "$1" "$prefix/lib/pkgconfig" "$prefix/lib/cmake" "$prefix/share/man"
}
documents_all_options() {
  local subcommand option
  for subcommand in $("$prefix/bin/applebottom" --help | sed -n '/^Subcommands:/,$s/^  \([a-z]*\) .*/\1/p'); do
    for option in $("$prefix/bin/applebottom" "$subcommand" --help | grep -o -- '^  --[a-z-]*'); do
      sed 's/\\-/-/g' "$prefix/share/man/man1/applebottom.1" | grep -q -- "^\\.B $option" || { echo "$subcommand $option"; return 1; }
    done
  done
}
has_layout() {
  local file
  for file in bin/applebottom include/apple_bottom.h include/apple_bottom_device.h include/apple_bottom_blas.h lib/libapplebottom.so \
    lib/libapplebottom.so.2 lib/libapplebottom.so.2.0.0 lib/libapplebottom.a lib/pkgconfig/applebottom.pc \
    lib/cmake/applebottom/applebottomConfig.cmake lib/cmake/applebottom/applebottomConfigVersion.cmake \
    lib/cmake/applebottom/applebottomTargets.cmake share/doc/applebottom/README.md share/man/man1/applebottom.1; do
    [ -e "$prefix/$file" ] || { echo "no $file"; return 1; }
  done
}

use_prefix() {
  export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
  check "layout" has_layout
  check "no path of the build" has_no_path_of "$build|$(cd "$here/../.." && pwd)"
  check "manual page has every option" documents_all_options
  check "command line" "$prefix/bin/applebottom" selftest
  check "run --check" sh -c "'$prefix/bin/applebottom' run --check -- true | grep -q 'loaded: yes'"
  # shellcheck disable=SC2046
  check "C by hand" compiled env cc -std=c11 -Wall -Werror "$here/handles.c" -I"$prefix/include" -L"$prefix/lib" -lapplebottom -Wl,-rpath,"$prefix/lib"
  # shellcheck disable=SC2046
  check "C by pkg-config" compiled env cc -std=c11 "$here/handles.c" $(pkg-config --cflags --libs applebottom) -Wl,-rpath,"$prefix/lib"
  # shellcheck disable=SC2046
  check "link ahead" compiled seen cc "$here/blas.c" $(pkg-config --libs applebottom blas) -Wl,-rpath,"$prefix/lib"
  # shellcheck disable=SC2046
  check "C++, static, by pkg-config" compiled env c++ -std=c++17 "$here/handles.cpp" $(pkg-config --cflags applebottom) "$prefix/lib/libapplebottom.a" \
    $(pkg-config --static --libs-only-l applebottom | sed 's/-lapplebottom//')
  if [ -e "$prefix/lib/applebottom/blas/libblas.so.3" ]; then use_filter; else echo "skip filter library: not built"; fi
  rm -rf "$work/cmake"
  check "CMake finds it" cmake -S "$here/project" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix"
  check "CMake consumers" cmake --build "$work/cmake"
  check "CMake, shared" "$work/cmake/shared"
  check "CMake, static" "$work/cmake/static"
}
use_filter() {
  local filter=$prefix/lib/applebottom/blas
  check "filter is alone in its folder" [ "$(ls "$filter")" = libblas.so.3 ]
  check "no path of the build in it" sh -c "! readelf -dW '$filter/libblas.so.3' | grep -F '$build'"
  # shellcheck disable=SC2046
  check "filter by pkg-config" compiled seen cc "$here/blas.c" $(pkg-config --libs applebottom-blas)
  cc "$here/blas.c" $(pkg-config --libs blas) -o "$work/swapped"
  check "filter by search path" seen env LD_LIBRARY_PATH="$filter" "$work/swapped"
  check "filter by run --filter" seen "$prefix/bin/applebottom" run --filter -- "$work/swapped"
  check "host BLAS is not the filter" sh -c "AB_MODE=cpu AB_HOST_BLAS='$filter/libblas.so.3' LD_LIBRARY_PATH='$filter' '$work/swapped'"
  if command -v gfortran >/dev/null; then
    check "Fortran" compiled seen gfortran "$here/blas.f90" "$filter/libblas.so.3" -Wl,-rpath,"$filter"
    # shellcheck disable=SC2046
    check "Fortran, link ahead" compiled seen gfortran "$here/blas.f90" $(pkg-config --libs applebottom blas) -Wl,-rpath,"$prefix/lib"
  else
    echo "skip Fortran: no gfortran"
  fi
}
use_cmake_filter() {
  [ -x "$work/cmake/filter" ] || return
  check "CMake, applebottom::blas" seen "$work/cmake/filter"
  check "CMake, FindBLAS" seen env LD_LIBRARY_PATH="$prefix/lib/applebottom/blas" "$work/cmake/found"
}

prefix=$work/here
check "install" cmake --install "$build" --prefix "$prefix"
use_prefix
use_cmake_filter
mkdir "$work/moved"
mv "$prefix" "$work/moved/there"
prefix=$work/moved/there
echo "moved"
use_prefix
use_cmake_filter

check "install below DESTDIR" env DESTDIR="$work/stage" cmake --install "$build" --prefix /opt/applebottom
prefix=$work/stage/opt/applebottom
check "its layout" has_layout
check "uninstall" env DESTDIR="$work/stage" "$here/../../scripts/uninstall.sh" "$build/install_manifest.txt"
check "no file is left" [ -z "$(find "$work/stage" ! -type d)" ]
check "folders that are not ours are" [ -d "$work/stage/opt" ]
exit $failed
