#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mirror rule: src/x/y.cpp has tests/x/y_test.cpp, and a test below a layer's folder has something in src/ that it tests."""
import re

import checking

NAME = "check_mirror"
# Sources without a test of their own name, each with its reason.
NATIVE = "a native engine: compared with the common kernels in tests/ops/native_engines_test.cpp"
WITHOUT_TEST = {
    "src/device/vulkan/absent.cpp": "no devices, for builds without headers or compiler: those of a bare system",
    "src/device/metal/absent.cpp": "no devices, for all systems but macOS: most tests run with it",
    "src/device/dispatch_threads.cpp": "macOS without oneTBB only: threads_test.cpp holds it to the same rules there",
    "src/host_blas/accelerate.cpp": "macOS only: the host BLAS of host_blas_test.cpp there",
    "src/device/cuda/absent.cpp": "two constants for builds without nvcc: those of a bare system",
    "src/device/cuda/native/absent.cpp": "the same for the native kernels",
    **{f"src/device/cpu/native/{name}.cpp": NATIVE
       for name in ("amx", "vnni", "avx512_scan", "avx512_residues", "avx512_result", "avx512_planes", "avx512_product", "avx2",
                    "avx2_residues", "avx2_result", "neon", "neon_i8mm", "plane_product", "run_common")},
}
# Tests of a whole layer rather than of one source, each with its reason.
WITHOUT_SOURCE = {
    "tests/ops/long_sums_test.cpp": "products too long for the unit tier",
    "tests/ops/golden_test.cpp": "whole products against tests/golden, through every way into ops",
    "tests/ops/random_products_test.cpp": "whole products against the judge, through every way into ops",
    "tests/ops/failures_test.cpp": "every step of a product that fails in turn",
    "tests/routing/builtin_table_test.cpp": "the data files of src/routing/tables, compiled in",
    "tests/ops/native_engines_test.cpp": "native kernels against the common ones, over whole products",
    "tests/ops/cuda_native_test.cpp": "the same for those of CUDA devices",
    "tests/ops/metal_native_test.cpp": "the same for those of Metal devices",
    "tests/ops/vulkan_native_test.cpp": "the same for those of Vulkan devices",
    "tests/device/cuda/native/reductions_test.cpp": "on a GPU: all that may come through the reductions of sums.cuh and residues.cuh",
}


def check(tree, without_test=None, without_source=None):
    without_test = WITHOUT_TEST if without_test is None else without_test
    without_source = WITHOUT_SOURCE if without_source is None else without_source
    names = set(tree.files())
    layers = {name.split("/")[1] for name in names if name.startswith("src/") and name.count("/") > 1}
    stems = {re.sub(r"^src/|\.\w+$", "", name) for name in names if name.startswith("src/")}
    findings = []
    for name in sorted(names):
        source = re.fullmatch(r"src/(.+)\.(?:cpp|mm)", name)
        if source and f"tests/{source[1]}_test.cpp" not in names and name not in without_test:
            findings.append(f"{name}: no tests/{source[1]}_test.cpp")
        test = re.fullmatch(r"tests/((\w+)/.+)_test\.cpp", name)
        if test and test[2] in layers and test[1] not in stems and name not in without_source:
            findings.append(f"{name}: tests no file of src/ by that name")
    for table, word in ((without_test, "source"), (without_source, "test")):
        findings += [f"{name}: exception for a {word} that does not exist" for name in sorted(set(table) - names)]
    for name in sorted(set(without_test) & names):
        if f"tests/{name[4:].rsplit('.', 1)[0]}_test.cpp" in names:
            findings.append(f"{name}: has a test now; drop the exception")
    return findings


RIGHT = {"src/core/types.cpp": "", "tests/core/types_test.cpp": "", "src/ops/view.hpp": "", "tests/ops/view_test.cpp": "",
         "src/device/cpu/cpu_device.cpp": "", "tests/device/cpu/cpu_device_test.cpp": "", "tests/golden/golden_test.cpp": ""}
WRONG = [
    ("a source without test", {"src/ops/gemm.cpp": ""}, "no tests/ops/gemm_test.cpp"),
    ("a source in a subfolder without test", {"src/device/threads.cpp": ""}, "no tests/device/threads_test.cpp"),
    ("a test of nothing", {"tests/ops/old_test.cpp": ""}, "tests no file of src/"),
    ("a test in the wrong folder", {"src/ops/gemm.cpp": "", "tests/core/gemm_test.cpp": ""}, "no tests/ops/gemm_test.cpp"),
]

if __name__ == "__main__":
    # The self-test's trees know none of this tree's exceptions.
    import sys
    judged = (lambda tree: check(tree, {}, {})) if "--self-test" in sys.argv else check
    checking.main(NAME, judged, RIGHT, WRONG)
