#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a machine with an NVIDIA GPU is asked: builds with all cores, self-test, golden bits and device tests on the GPU, compute-sanitizer
# on small shapes, then speed and accuracy beside cuBLAS and other libraries. Short table on stdout, everything as JSON. Meant to take under 8 minutes; so far only --quick has run on a GPU.
# usage: scripts/gpu_check.sh [--device ID] [--cublas FILE] [--gemmul8 FILE] [--quick] [--output FILE.json]
#   --device   default: cuda:0        --cublas  libcublas.so to measure beside, natively and with its FP64 emulation (default: the loader's)
#   --gemmul8  libgemmul8.so, measured through its hook        --quick  no sanitizer, small shapes
#   --output   default: benchmarks/results/<GPU>/<date>-gpu-check.json
# Exit status: 0, 1 when a check failed, 2 wrong usage, 77 without a GPU. Closing line `N passed, M failed`.
set -u
cd "$(dirname "$0")/.." || exit 2
device=cuda:0 cublas='' gemmul8='' quick='' output='' preset=dev
usage() { sed -n '5,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=1 ;;
    --device | --cublas | --gemmul8 | --output)
      [ $# -gt 1 ] || usage
      declare "${1#--}=$2"
      shift ;;
    *) usage ;;
  esac
  shift
done
say() { echo "gpu_check: $*"; }

gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -1)
if [ -z "$gpu" ]; then
  say "there is no NVIDIA GPU here (nvidia-smi names none): nothing was checked"
  exit 77
fi
machine=$(tr '[:upper:]' '[:lower:]' <<<"$gpu" | tr -cs 'a-z0-9' '-' | sed 's/^-//; s/-$//')
output=${output:-benchmarks/results/$machine/$(date +%F)-gpu-check.json}
folder=build/$preset
logs=$folder/gpu_check
limit_s=470
rm -rf "$logs" && mkdir -p "$logs" "$(dirname "$output")" || exit 2
. scripts/check_steps.sh

finish() {
  python3 scripts/gpu_report.py --logs "$logs" --output "$output" --machine "$gpu" --device "$device"
  exit $?
}

CMAKE_BUILD_PARALLEL_LEVEL=$(nproc)
export CMAKE_BUILD_PARALLEL_LEVEL
# A configuration from before the compiler was there would not look for it again.
if [ -f "$folder/CMakeCache.txt" ]; then cmake -S . -B "$folder" -U AB_NVCC -U AB_NVCC_ARCHITECTURES >/dev/null 2>&1; fi
check build 300 scripts/build.sh $preset applebottom_cli cublas_peer ops_golden_test ops_random_test device_test cuda_failures_test || finish
applebottom=$folder/applebottom
check self_test 60 "$applebottom" selftest --device "$device" || finish # nothing else can hold

# Tests go over all devices present: the GPU is among them, as the self-test has shown.
check golden_bits 90 "$folder/tests/ops/ops_golden_test"
check device_tests 60 "$folder/tests/device/device_test"
check random_products 60 "$folder/tests/ops/ops_random_test"

sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
if [ -z "$quick" ] && [ -n "$sanitizer" ]; then
  for tool in memcheck racecheck; do
    check "sanitizer_$tool" 60 "$sanitizer" --tool $tool --error-exitcode 9 "$applebottom" selftest --device "$device"
  done
  check sanitizer_odd_shapes 60 "$sanitizer" --tool memcheck --error-exitcode 9 "$applebottom" bench --device "$device" --no-host --no-matrix-rate \
    --op dgemm,zgemm --shape 65x33x70,1x129x64 --classes dd,fast,fp64,strict --runs 1 --warmup 0
elif [ -z "$quick" ]; then
  say "compute-sanitizer is not installed: left out"
fi

if [ -n "$quick" ]; then dgemm=(512x512x512 1024x1024x1024) zgemm=(512x512x512); else
  dgemm=(512x512x512 1024x1024x1024 2048x2048x2048 4096x4096x4096 256x256x9104) zgemm=(512x512x512 1024x1024x1024 2048x2048x2048)
fi
bench() { # operation, shapes...
  local operation=$1
  shift
  check "bench_$operation" 100 "$applebottom" bench --device "$device" --fresh --no-host --no-matrix-rate --op "$operation" \
    --shape "$(join "$@")" --classes dd,fast,fp64,strict --runs 5 --warmup 2 --output "$logs/bench_$operation.json"
}
bench dgemm "${dgemm[@]}"
bench zgemm "${zgemm[@]}"

peer() { # name, library, mode, environment...: both operations
  local name=$1 library=$2 mode=$3
  shift 3
  check "peer_${name}_dgemm" 40 env "$@" "$folder/cublas_peer" "$name" "$library" "$mode" dgemm "${dgemm[@]}"
  check "peer_${name}_zgemm" 40 env "$@" "$folder/cublas_peer" "$name" "$library" "$mode" zgemm "${zgemm[@]}"
}
if [ -z "$cublas" ]; then
  cublas=$(ldconfig -p 2>/dev/null | awk '/libcublas\.so/ { print $NF; exit }')
  [ -n "$cublas" ] || cublas=$(find /usr/local/cuda/lib64/ -name 'libcublas.so*' 2>/dev/null | head -1)
fi
if [ -n "$cublas" ]; then
  # Peers measure device 0 of what they see.
  export CUDA_VISIBLE_DEVICES=${CUDA_VISIBLE_DEVICES:-${device#*:}}
  peer cublas "$cublas" native CUBLAS_EMULATION_STRATEGY=default
  # Eager: also where cuBLAS thinks its own FP64 faster. An older library does not know the mode; that is said and not counted as ours.
  if grep -qa CUBLAS_EMULATION_STRATEGY_EAGER "$cublas"; then peer cublas_emulated "$cublas" emulated CUBLAS_EMULATION_STRATEGY=eager; else
    say "this cuBLAS has no FP64 emulation: left out"
  fi
  # 15 moduli (16 complex) are what its authors recommend for FP64 accuracy.
  if [ -n "$gemmul8" ]; then
    peer gemmul8 "$cublas" native LD_PRELOAD="$gemmul8" GEMMUL8_BACKEND=INT8 GEMMUL8_NUM_MOD_D=15 GEMMUL8_NUM_MOD_Z=16 GEMMUL8_FASTMODE_D=1 \
      GEMMUL8_FASTMODE_Z=1
  fi
else
  say "no libcublas.so found (--cublas FILE): no peers"
fi
finish
