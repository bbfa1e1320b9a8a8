#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a GPU is asked about the native CUDA kernels: builds with all cores, one product (a kernel that hangs is seen here), tests against the
# common kernels, products by warps too, self-test, then each kernel's speed, whole products and their stages. Meant to take under 5 minutes.
# usage: scripts/gpu_native_check.sh [--sanitizer] [--quick]
#   --sanitizer  compute-sanitizer (memcheck) over a few small native products, too      --quick  small sizes only
# Logs and results go to $OUT, else to benchmarks/results/<GPU>/. Exit status: 0, 1 when a check failed, 2 wrong usage, 77 without a GPU.
# Closing line `N passed, M failed`.
set -u
cd "$(dirname "$0")/.." || exit 2
sanitizer='' quick=''
while [ $# -gt 0 ]; do
  case $1 in
    --sanitizer) sanitizer=1 ;;
    --quick) quick=1 ;;
    *) sed -n '5,6s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
  shift
done
gpu=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | head -1)
if [ -z "$gpu" ]; then
  echo "gpu_native_check: there is no NVIDIA GPU here (nvidia-smi names none): nothing was checked"
  exit 77
fi
machine=$(tr '[:upper:]' '[:lower:]' <<<"$gpu" | tr -cs 'a-z0-9' '-' | sed 's/^-//; s/-$//')
results=${OUT:-benchmarks/results/$machine}
mkdir -p "$results" || exit 2
export PATH=$PATH:/usr/local/cuda/bin
build=build/dev tests=build/dev/tests passed=0 failed=0 limit_s=480

check() { # name, seconds at most, command...
  local name=$1 most=$2 began=$SECONDS status left=$((limit_s - SECONDS))
  shift 2
  if [ $left -lt 5 ]; then
    echo "==== $name: no time left"
    failed=$((failed + 1))
    return 1
  fi
  timeout -k 5 $((left < most ? left : most)) "$@" >"$results/$name.log" 2>&1
  status=$?
  if [ $status = 0 ]; then
    passed=$((passed + 1))
    echo "==== $name: passed ($((SECONDS - began)) s)"
    return 0
  fi
  failed=$((failed + 1))
  [ $status = 124 ] && status='124, which is a time limit: it hangs or is slow'
  echo "==== $name: FAILED with status $status ($((SECONDS - began)) s)"
  grep -E 'Failure|FAILED|rror|hich is|class ' "$results/$name.log" | head -12
  tail -8 "$results/$name.log"
  return 1
}
show() { tail -n "${2:-60}" "$results/$1.log"; }

CMAKE_BUILD_PARALLEL_LEVEL=$(nproc)
export CMAKE_BUILD_PARALLEL_LEVEL
# A configuration from before the compiler was there would not look for it again.
if [ -f $build/CMakeCache.txt ]; then cmake -S . -B $build -U AB_NVCC -U AB_NVCC_ARCHITECTURES >/dev/null 2>&1; fi
check build 300 scripts/build.sh dev applebottom_cli cuda_kernels product_stages ops_cuda_native_test device_cuda_native_test ops_golden_test || {
  echo "$passed passed, $failed failed"
  exit 1
}
export AB_STAGING_MB=${AB_STAGING_MB:-32768} # else products above 4096 are cut into blocks
native=$tests/ops/ops_cuda_native_test

check first_product 40 "$native" --gtest_filter='*OneSmallProduct*' # of the image's PTX, the driver makes code here
first=$?
if [ $first = 0 ] && grep -q SKIPPED "$results/first_product.log"; then
  echo "the native kernels are not used:"
  show first_product 6
  first=1 failed=$((failed + 1))
fi
if [ $first = 0 ]; then
  check native_steps 60 "$tests/device/device_cuda_native_test"
  for kernels in Best Ampere; do
    check "native_tests_$kernels" 110 "$native" --gtest_filter="*/$kernels-*LargeSizes*"
  done
  check native_ptx 60 env CUDA_FORCE_PTX_JIT=1 "$native" --gtest_filter='*OneSmallProduct/Best:*SizesAroundEveryTile/Best'
  check native_large 60 "$native" --gtest_filter='*LargeSizes/Best'
else
  if command -v compute-sanitizer >/dev/null; then
    check first_product_sanitized 60 compute-sanitizer --tool memcheck "$native" --gtest_filter='*OneSmallProduct*'
    show first_product_sanitized 40
  fi
  echo "==== the rest goes on with AB_CUDA_KERNELS=common"
  export AB_CUDA_KERNELS=common
fi
if [ -n "$sanitizer" ] && [ $first = 0 ] && command -v compute-sanitizer >/dev/null; then
  check sanitizer 100 compute-sanitizer --tool memcheck --error-exitcode 9 "$native" --gtest_filter='*OneSmallProduct*:*Repetitions*'
fi
check self_test 40 $build/applebottom selftest --device cuda:0
check golden_bits 60 "$tests/ops/ops_golden_test"

sizes=(1024 2048 4096 8192 16384)
[ -n "$quick" ] && sizes=(1024 2048)
if [ $first = 0 ]; then
  check kernels 60 $build/cuda_kernels "${sizes[@]}" && show kernels
  check kernels_ampere 40 $build/cuda_kernels --ampere "${sizes[@]}" && show kernels_ampere
  check kernels_3m 30 $build/cuda_kernels --3m 1024 2048 "${sizes[2]:-1024}" && show kernels_3m
  [ -n "$quick" ] || { check kernels_sustained 40 $build/cuda_kernels --sustained 4096 8192 && show kernels_sustained; }
fi
for n in 1024 4096 8192; do
  if [ -n "$quick" ] && [ $n -gt 2048 ]; then continue; fi
  check "stages_$n" 30 env AB_DEVICE=cuda $build/product_stages d $n $n $n 5 && show "stages_$n" 20
done
shapes=''
for n in "${sizes[@]}"; do shapes+=${n}x${n}x${n},; done
for front in fresh resident; do # operands written before each run, and operands multiplied before
  check "bench_dgemm_$front" 80 $build/applebottom bench --device cuda:0 --$front --no-host --no-matrix-rate --op dgemm --shape "${shapes%,}" \
    --classes fp64 --runs 7 --warmup 3 --output "$results/bench_dgemm_$front.json" && show "bench_dgemm_$front"
  check "bench_zgemm_$front" 50 $build/applebottom bench --device cuda:0 --$front --no-host --no-matrix-rate --op zgemm --shape 1024x1024x1024,2048x2048x2048 \
    --classes fp64 --runs 5 --warmup 2 --output "$results/bench_zgemm_$front.json" && show "bench_zgemm_$front"
done
nvidia-smi --query-gpu=name,driver_version,clocks.sm,power.draw,temperature.gpu --format=csv >"$results/gpu.csv" 2>&1
echo "written: $results, $SECONDS s"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
