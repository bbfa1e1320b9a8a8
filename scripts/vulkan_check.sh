#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a machine with a Vulkan driver is asked: build, self-test, golden bits, device tests, random products and the speed of the common
# and the native kernels, with CUDA's on the same card beside them where there is one. Short table on stdout, everything as JSON. Under 8 minutes.
# usage: scripts/vulkan_check.sh [--device ID] [--unpacked DIR] [--no-build] [--shapes LIST] [--output FILE.json]
#   --device    default: vulkan:0
#   --unpacked  a folder in which Debian packages were unpacked (dpkg -x libvulkan1 libvulkan-dev glslang-tools ... DIR): loader, headers and
#               compiler are looked for there first      --no-build  what lies in build/dev is used
#   --shapes    of the measurements, default: 512x512x512,1024x1024x1024,2048x2048x2048,4096x4096x4096
#   --output    default: $OUT/vulkan-check.json, without OUT benchmarks/results/<machine>/<date>-vulkan-check.json
# Without VK_DRIVER_FILES and without a driver's file in the usual folders, NVIDIA's library is named to the loader.
# Exit status: 0, 1 when a check failed, 2 wrong usage, 77 without a Vulkan device. Closing line `N passed, M failed`.
set -u
cd "$(dirname "$0")/.." || exit 2
device=vulkan:0 unpacked='' build=1 shapes=512x512x512,1024x1024x1024,2048x2048x2048,4096x4096x4096 output=''
usage() { sed -n '5,12s/^# \{0,1\}//p' "$0" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    --no-build) build='' ;;
    --device | --unpacked | --shapes | --output)
      [ $# -gt 1 ] || usage
      declare "${1#--}=$2"
      shift ;;
    *) usage ;;
  esac
  shift
done
say() { echo "vulkan_check: $*"; }

folder=build/dev
logs=$folder/vulkan_check
limit_s=470
rm -rf "$logs" && mkdir -p "$logs" || exit 2
. scripts/check_steps.sh

if [ -n "$unpacked" ]; then
  unpacked=$(realpath "$unpacked") || exit 2
  libraries=$(find "$unpacked" -name 'libvulkan.so.1' -printf '%h\n' | head -1)
  export LD_LIBRARY_PATH=${libraries:+$libraries:}${LD_LIBRARY_PATH:-} PATH=$unpacked/usr/bin:$PATH CMAKE_PREFIX_PATH=$unpacked/usr
fi
if [ -z "${VK_DRIVER_FILES:-}" ] && ! ls /usr/share/vulkan/icd.d/*.json /etc/vulkan/icd.d/*.json >/dev/null 2>&1; then
  for library in libGLX_nvidia.so.0 libEGL_nvidia.so.0; do
    ldconfig -p 2>/dev/null | grep -q "$library" || continue
    echo "{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"$library\", \"api_version\": \"1.3.0\"}}" >"$logs/nvidia_icd.json"
    export VK_DRIVER_FILES=$PWD/$logs/nvidia_icd.json VK_ICD_FILENAMES=$PWD/$logs/nvidia_icd.json
    break
  done
fi

CMAKE_BUILD_PARALLEL_LEVEL=$(nproc)
export CMAKE_BUILD_PARALLEL_LEVEL
finish() {
  python3 scripts/gpu_report.py --logs "$logs" --output "$output" --machine "$machine" --device "$device"
  exit $?
}
machine=unknown
output=${output:-${OUT:+$OUT/vulkan-check.json}}
if [ -n "$build" ]; then
  # A configuration from before headers and compiler were there would not look for them again.
  if [ -f "$folder/CMakeCache.txt" ]; then cmake -S . -B "$folder" -U AB_GLSLANG -U AB_VULKAN_HEADERS -U AB_VULKAN_LOADER >/dev/null 2>&1; fi
  check build 300 scripts/build.sh dev applebottom_cli ops_golden_test ops_random_test ops_vulkan_native_test device_test vulkan_device_test || {
    output=${output:-$logs/vulkan-check.json}
    finish
  }
fi
applebottom=$folder/applebottom
machine=$("$applebottom" info --json 2>/dev/null | python3 -c '
import json, sys
print(next((each["name"] for each in json.load(sys.stdin)["devices"] if each["id"] == sys.argv[1]), ""))' "$device")
if [ -z "$machine" ]; then
  say "there is no $device here (loader, driver, or a build with headers and glslangValidator): nothing was checked"
  exit 77
fi
"$applebottom" info >"$logs/info.txt" 2>&1
sed -n 2,6p "$logs/info.txt"
words=$(tr '[:upper:]' '[:lower:]' <<<"$machine" | tr -cs 'a-z0-9' '-' | sed 's/^-//; s/-$//')
output=${output:-benchmarks/results/$words/$(date +%F)-vulkan-check.json}
mkdir -p "$(dirname "$output")" || exit 2

check self_test 90 "$applebottom" selftest --device "$device" || finish # nothing else can hold
cat "$logs/self_test.log"
# Tests go over all devices present: CUDA has a check of its own.
check golden_bits 120 env CUDA_VISIBLE_DEVICES= "$folder/tests/ops/ops_golden_test"
check device_tests 60 env CUDA_VISIBLE_DEVICES= "$folder/tests/device/device_test"
check backend_tests 120 "$folder/tests/sim/vulkan/vulkan_device_test"
check native_products 120 env CUDA_VISIBLE_DEVICES= "$folder/tests/ops/ops_vulkan_native_test"
check random_products 120 env CUDA_VISIBLE_DEVICES= "$folder/tests/ops/ops_random_test"

bench() { # name, device, classes, environment...
  local name=$1 on=$2 classes=$3
  shift 3
  check "bench_$name" 100 env "$@" "$applebottom" bench --device "$on" --resident --no-host --no-matrix-rate --op dgemm --shape "$shapes" \
    --classes "$classes" --runs 5 --warmup 2 --output "$logs/bench_$name.json"
}
bench vulkan "$device" dd,fast,fp64,strict CUDA_VISIBLE_DEVICES=
bench common "$device" fp64 CUDA_VISIBLE_DEVICES= AB_VULKAN_KERNELS=common
if "$applebottom" info --json 2>/dev/null | grep -q '"cuda:0"'; then bench cuda cuda:0 dd,fp64 AB_UNUSED=; fi
finish
