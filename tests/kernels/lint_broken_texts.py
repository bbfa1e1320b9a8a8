#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Spoils real kernel texts as a careless change would, compiles them, and wants tools/lint_kernels.py to find it.

    tests/kernels/lint_broken_texts.py glsl|cuda|metal <build>/generated
"""
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import lint_kernels  # noqa: E402

PLAIN = {"add": r"__fadd_rn\(([^(),]+(?:\([^()]*\)|\[[^\]]*\])?), ([^()]+)\)", "with": r"((\1) + (\2))"}
CASES = {  # what, kernel, pattern, replacement, compiler flags (None: the right ones), words of the finding
    "glsl": [
        ("no precise locals", "gemm_dd", r"\bprecise ", "", None, "without NoContraction"),
        ("one local not precise", "gemm_dd", r"precise float t = ", "float t = ", None, "without NoContraction"),
        ("a division", "modular_gemm_f32", r"\(\(([^()]+)\) - \(12582912\.0f\)\)", r"((\1) - (12582912.0f)) / 1.5f", None, "OpFDiv"),
        ("hardware fma in the soft text", "gemm_dd_soft_fma", r"\bsoft_fma32\((a\.\w+), ", r"fma(\1, ", None, "the text does not have"),
        ("FP64 arithmetic", "unpack_dd", r"void main\(\) \{", "void main() {\n  if (packDouble2x32(uvec2(0u)) * 2.0lf > 1.0lf) return;", None, "floats of 64 bits"),
        ("a reserved word", "scan", r"\bhistogram\b", "output", None, "Reserved word"),
        ("sums in a vector unit", "gemm_dd", r"precise float p = [^;]*a\.hi[^;]*;", r"precise float p = dot(vec2(a.hi, a.lo), vec2(b.hi, b.lo));", None, "OpDot"),
    ],
    "cuda": [
        ("plain addition, contraction on", "gemm_dd", PLAIN["add"], PLAIN["with"], (), "no rounding by name"),
        ("plain product, contraction on", "gemm_dd", r"__fmul_rn\(([^,]+), ([^()]+)\)", r"((\1) * (\2))", (), "fused operations and"),
        ("flushing", "gemm_dd", "$", "", ("-fmad=false", "-ftz=true"), "flushes"),
        ("fast math", "self_test", "$", "", ("-use_fast_math",), "flushes"),
        ("a division", "modular_gemm_f32", r"__fsub_rn\(([^,]+), (12582912\.0f)\)", r"(__fsub_rn(\1, \2) / 1.5f)", None, "not an operation of the dialect"),
        ("a double in between", "pack_dd", r"return __uint_as_float\(([^;]+)\);", r"return (float)(double(__uint_as_float(\1)) + threadIdx.x);", None,
         "operations of f64, none expected"),
    ],
    "metal": [
        ("a vector type of another language", "pack_dd", r"void pack_dd\(", "void pack_dd(device float9* x [[buffer(9)]], ", None, "float9"),
        ("a counter read as a plain number", "scan", r"atomic_load_explicit\(&(histogram\[[^;]*?\]), memory_order_relaxed\)", r"\1", None, "atomic_uint"),
        ("a write to an input", "pack_dd", r"pairs\[", "re[", None, "cannot assign|no viable|incompatible|read-only"),
    ],
}


def judge(language, case, folder):
    """Empty when the lint found it, else what went wrong."""
    what, kernel, pattern, replacement, flags, expected = case
    extension = {"glsl": "comp", "cuda": "cu", "metal": "metal"}[language]
    text = pathlib.Path(folder, language, f"{kernel}.{extension}").read_text()
    spoilt, changes = re.subn(pattern, replacement, text)
    if changes == 0:
        return f"{what}: the text has nothing to spoil"
    with tempfile.TemporaryDirectory() as place:
        path = pathlib.Path(place, f"{kernel}.{extension}")
        path.write_text(spoilt)
        if language == "glsl":
            findings = lint_kernels.check_glsl(path, ("vulkan1.1",))
        elif language == "cuda":
            findings = lint_kernels.check_cuda(path, ("sm_80",), ("-fmad=false",) if flags is None else flags)
        else:
            findings = lint_kernels.check_metal(path)
    return "" if any(re.search(expected, finding) for finding in findings) else f"{what}: wanted '{expected}', found {findings}"


def main(language, folder):
    failures = []
    try:
        failures = [said for said in (judge(language, case, folder) for case in CASES[language]) if said]
    except lint_kernels.Missing as missing:
        print(f"lint_broken_texts {language}: skipped: {missing} is not installed")
        return lint_kernels.SKIPPED
    for said in failures:
        print(f"lint_broken_texts: {language}: {said}")
    print(f"lint_broken_texts {language}: {len(CASES[language]) - len(failures)} of {len(CASES[language])} broken texts caught")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
