#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles device texts of kernels and looks for what breaks bits in what the compilers make of them (docs/numerics.md 12.1).

    tools/lint_kernels.py glsl scan.comp...        SPIR-V for Vulkan 1.1 and 1.2: valid, every float operation NoContraction
    tools/lint_kernels.py cuda scan.cu... [sm_90]  PTX: every float operation rounds by name, none flushes, none is fused that was not
    tools/lint_kernels.py metal scan.metal...      type check with a stand-in for Apple's header; not Apple's compiler
    tools/lint_kernels.py source [src/kernels]     words that the dialect does not have
    tools/lint_kernels.py --self-test              judges wrong texts instead

Exit status 77: the compiler is not here.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = 77
ARCHITECTURES = ("sm_80", "sm_90")
ENVIRONMENTS = ("vulkan1.1", "vulkan1.2")
# Kernels that compute in FP32; a lint that finds no float operation in them, or one in another, is looking at the wrong thing.
FLOAT_KERNELS = {"gemm_dd", "pack_dd", "unpack_dd", "modular_gemm_f32", "modular_gemm_f32_3m", "self_test"}
FUSED_KERNELS = {"gemm_dd", "self_test"}  # those with AB_FMA
# FP64 on words: hardware where the language has it.
DOUBLE_KERNELS = {"ieee_gemm", "elementwise", "scale_result", "unpack_dd", "reconstruct_i8", "reconstruct_i16", "self_test"}
FUSED_DOUBLE_KERNELS = {"ieee_gemm", "self_test"}


class Missing(Exception):
    """A compiler that is not installed."""


def run(command, **options):
    if shutil.which(command[0]) is None:
        raise Missing(command[0])
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    return done.returncode, done.stdout + done.stderr


def kernel_of(name):
    """Kernel and whether it has the soft fma, from a file's name."""
    stem = pathlib.Path(name).stem
    stem = stem.removesuffix("_dot")
    return stem.removesuffix("_soft_fma"), stem.endswith("_soft_fma")


def fused_findings(kernel, soft, fused, products):
    """The double-float step has three fused operations and one product; whatever else is fused, a compiler fused."""
    if fused and (soft or kernel not in FUSED_KERNELS):
        yield f"{fused} fused operations of FP32 that the text does not have"
    if kernel == "gemm_dd" and not soft and not fused == 3 * products > 0:
        yield f"{fused} fused operations and {products} products of FP32: a step has 3 and 1"
    if kernel == "self_test" and not soft and not 1 <= fused <= 5:
        yield f"{fused} fused operations of FP32: the text has 5"


def lint_spirv(name, assembly):
    kernel, soft = kernel_of(name)
    exact = set(re.findall(r"OpDecorate (%\w+) NoContraction", assembly))
    operations = re.findall(r"(%\w+) = (OpFAdd|OpFSub|OpFMul) ", assembly)
    for result, operation in operations:
        if result not in exact:
            yield f"{operation} {result} without NoContraction"
    for operation in sorted(set(re.findall(r"\bOp(?:FDiv|FRem|FMod|Dot|FConvert|Matrix\w+|Vector\w*Times\w+|Group\w+|AtomicF\w+)\b", assembly))):
        yield f"{operation}: not exact, or in no order"
    for width in re.findall(r"OpTypeFloat (\d+)", assembly):
        if width != "32":
            yield f"floats of {width} bits"
    extended = re.findall(r"OpExtInst %\w+ %\w+ (\w+)", assembly)
    for function in sorted(set(extended) - {"Fma", "FindUMsb", "FindSMsb"}):
        yield f"library function {function}"
    if bool(operations) != (kernel in FLOAT_KERNELS):
        yield f"{len(operations)} float operations, {'some' if kernel in FLOAT_KERNELS else 'none'} expected"
    yield from fused_findings(kernel, soft, extended.count("Fma"), sum(operation == "OpFMul" for _, operation in operations))


def lint_ptx(name, ptx):
    kernel, soft = kernel_of(name)
    counts = {}
    floats = re.findall(r"^\s*(?:@!?%p\d+\s+)?([a-z]\w*)((?:\.\w+)*)\.(f16|f16x2|bf16|bf16x2|f32|f64)((?:\.\w+)*)\s", ptx, re.M)
    for operation, middle, width, tail in floats:
        word = f"{operation}{middle}.{width}{tail}"
        if ".ftz" in word or ".sat" in word or ".approx" in word:
            yield f"{word}: flushes, saturates or approximates"
        if width not in ("f32", "f64"):
            yield f"{word}: no such type in the texts"
        if operation in ("add", "sub", "mul", "fma"):
            if ".rn" not in middle:
                yield f"{word}: no rounding by name, so it may be contracted"
            counts[operation, width] = counts.get((operation, width), 0) + 1
        elif operation in ("mad", "div", "rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos", "tanh", "atom", "red"):
            yield f"{word}: not an operation of the dialect"
        elif word in ("cvt.rn.f32.f64", "cvt.rz.f32.f64"):
            yield f"{word}: a conversion that rounds"
    for width, allowed in (("f32", FLOAT_KERNELS), ("f64", DOUBLE_KERNELS)):
        found = sum(count for (_, kind), count in counts.items() if kind == width)
        if bool(found) != (kernel in allowed):
            yield f"{found} operations of {width}, {'some' if kernel in allowed else 'none'} expected"
    yield from fused_findings(kernel, soft, counts.get(("fma", "f32"), 0), counts.get(("mul", "f32"), 0))
    if counts.get(("fma", "f64")) and kernel not in FUSED_DOUBLE_KERNELS:
        yield "fused operations of FP64 that the text does not have"


def check_glsl(path, environments=ENVIRONMENTS):
    findings = []
    with tempfile.TemporaryDirectory() as folder:
        binary = str(pathlib.Path(folder, "kernel.spv"))
        for environment in environments:
            status, said = run(["glslangValidator", "--target-env", environment, "-S", "comp", str(path), "-o", binary])
            if status == 0:
                status, said = run(["spirv-val", "--target-env", environment, binary])
            if status != 0:
                findings.append(f"{environment}: {said.strip()}")
                continue
            findings += [f"{environment}: {finding}" for finding in lint_spirv(path, run(["spirv-dis", binary])[1])]
    return findings


def check_cuda(path, architectures=ARCHITECTURES, flags=("-fmad=false",)):
    findings = []
    with tempfile.TemporaryDirectory() as folder:
        ptx = pathlib.Path(folder, "kernel.ptx")
        for architecture in architectures:
            # 177: arithmetic that this kernel does not use
            status, said = run(["nvcc", "-ptx", *flags, f"-arch={architecture}", "-diag-suppress", "177", "-Werror", "all-warnings",
                                str(path), "-o", str(ptx)])
            findings += [f"{architecture}: {said.strip()}"] if status != 0 else [f"{architecture}: {f}" for f in lint_ptx(path, ptx.read_text())]
    return findings


def check_metal(path):
    command = ["clang", "-cc1", "-triple", "spir64-unknown-unknown", "-x", "cl", "-cl-std=clc++2021", "-fsyntax-only", "-Wall", "-Werror",
               "-Wno-unknown-attributes", "-Wno-unused-function", "-Wno-unknown-pragmas", "-I", str(ROOT / "tests/kernels/metal"), str(path)]
    status, said = run(command)
    return [said.strip()] if status != 0 else []


# Words the dialect does not have, outside lang.h (the dialect itself) and device_text.h.
NOT_IN_DIALECT = [
    (re.compile(r"\b(double|half|char|short|long|unsigned|size_t|float[234]|uint[234]|u?int\d+_t)\b"), "a type of one language"),
    (re.compile(r"\b(static|inline|const|constexpr|template|auto|sizeof|static_cast|reinterpret_cast|goto|switch|do)\b"), "a word of one language"),
    (re.compile(r"\b(in|out|inout|input|output|buffer|shared|filter|sample|common|partition|active|packed|kernel|device|constant|thread|precise)\b"),
     "a word reserved in one language"),
    (re.compile(r"\b(fma|sqrt|rsqrt|exp|exp2|log|log2|pow|sin|cos|fabs|floor|ceil|rint|round|min|max|clamp|dot|mad|native_\w+|as_\w+)\("),
     "a function of one language"),
    (re.compile(r"\b\d+\.\d+f?\s*[-+*/]|[-+*/]\s*\d+\.\d+"), "float arithmetic outside AB_ADD, AB_SUB, AB_MUL, AB_FMA"),
    (re.compile(r"\((?:u?int|u?long|slong|float)\)"), "a cast: use AB_INT, AB_UINT, AB_LONG, AB_ULONG, AB_FLOAT"),
    (re.compile(r"->|\b(?:u?int|u?long|slong|float|bool|pair\d+|wide)\s*[*&]|\bnullptr\b"), "a pointer or reference"),
]


def lint_source(name, text):
    code = re.sub(r"//[^\n]*", "", text)
    for words, why in NOT_IN_DIALECT:
        for match in words.finditer(code):
            yield f"line {code.count(chr(10), 0, match.start()) + 1}: '{match[0].strip()}': {why}"
    if name.endswith(".k"):
        if code.count("AB_KERNEL(") != 1 or not re.search(r"AB_END\s*(#undef \w+\s*)*$", code):
            yield "not one kernel from AB_KERNEL to AB_END"
        leave, arrays = code.find("AB_GROUPS_ARE("), [m.start() for m in re.finditer(r"AB_(SHARED|COUNTERS|PRIVATE)\(", code)]
        if leave < 0 or any(place > leave for place in arrays):
            yield "AB_GROUPS_ARE does not follow the group's arrays"
        words = re.findall(r"\bAB_THREADS(?:_\w+)?\b", code)
        begins, ends = (words[0::2], words[1::2])
        if not set(begins) <= {"AB_THREADS", "AB_THREADS_IN"} or set(ends[:-1]) - {"AB_THREADS_END"} or ends[-1:] != ["AB_THREADS_LAST"]:
            yield "AB_THREADS, AB_THREADS_END and AB_THREADS_LAST do not pair"


def check_source(folder):
    findings = []
    for path in sorted(pathlib.Path(folder).glob("*.[kh]")):
        if path.name not in ("lang.h", "device_text.h"):
            findings += [f"{path.name}: {finding}" for finding in lint_source(path.name, path.read_text())]
    return findings


SPIRV = "OpDecorate %5 NoContraction\n%5 = OpFMul %float %1 %2\n" + "%6 = OpExtInst %float %1 Fma %1 %2 %3\n" * 3
PTX = " mul.rn.f32 %f1, %f2, %f3;\n" + " fma.rn.f32 %f1, %f2, %f3, %f4;\n" * 3
KERNEL = "AB_KERNEL(k, 64, 1)\nAB_SHARED(uint, a, 4)\nAB_GROUPS_ARE(p.groups)\n  AB_THREADS\n  AB_THREADS_END\n  AB_THREADS_IN(x, y)\n  AB_THREADS_LAST\nAB_END\n"
WRONG = [  # lint, file name, text, words of the finding; None: clean
    (lint_spirv, "gemm_dd.comp", SPIRV, None),
    (lint_spirv, "gemm_dd.comp", SPIRV.replace("OpDecorate %5", "OpDecorate %7"), "without NoContraction"),
    (lint_spirv, "gemm_dd.comp", SPIRV + "%8 = OpFDiv %float %1 %2\n", "OpFDiv"),
    (lint_spirv, "gemm_dd.comp", SPIRV + "%8 = OpTypeFloat 64\n", "floats of 64 bits"),
    (lint_spirv, "gemm_dd.comp", SPIRV + "%8 = OpExtInst %float %1 Sqrt %1\n", "library function Sqrt"),
    (lint_spirv, "gemm_dd.comp", SPIRV + "%8 = OpExtInst %float %1 Fma %1 %2 %3\n", "4 fused operations and 1 products"),
    (lint_spirv, "gemm_dd_soft_fma.comp", SPIRV, "the text does not have"),
    (lint_spirv, "gemm_dd.comp", "", "some expected"),
    (lint_spirv, "scan.comp", SPIRV, "none expected"),
    (lint_ptx, "gemm_dd.cu", PTX, None),
    (lint_ptx, "gemm_dd.cu", PTX + " @%p1 add.f32 %f1, %f2, %f3;\n", "add.f32: no rounding by name"),
    (lint_ptx, "gemm_dd.cu", PTX + " add.rn.ftz.f32 %f1, %f2, %f3;\n", "flushes"),
    (lint_ptx, "gemm_dd.cu", PTX + " div.rn.f32 %f1, %f2, %f3;\n", "not an operation of the dialect"),
    (lint_ptx, "gemm_dd.cu", PTX + " fma.rn.f32 %f1, %f2, %f3, %f4;\n", "4 fused operations and 1 products"),
    (lint_ptx, "gemm_dd.cu", PTX + " add.rn.f64 %fd1, %fd2, %fd3;\n", "operations of f64, none expected"),
    (lint_ptx, "pack_dd.cu", PTX, "the text does not have"),
    (lint_ptx, "reconstruct_i8.cu", " fma.rn.f64 %fd1, %fd2, %fd3, %fd4;\n", "fused operations of FP64"),
    (lint_source, "k.k", KERNEL, None),
    (lint_source, "k.k", KERNEL.replace("  AB_THREADS_END\n", ""), "do not pair"),
    (lint_source, "k.k", KERNEL + "AB_PRIVATE(uint, b, 4)\n", "does not follow"),
    (lint_source, "eft.h", "float x = (float)y;", "a cast"),
    (lint_source, "eft.h", "r = sqrt(x);", "a function of one language"),
    (lint_source, "eft.h", "r = x * 2.0f;", "float arithmetic outside"),
    (lint_source, "eft.h", "uint out = 1u;", "reserved"),
    (lint_source, "eft.h", "uint* at = a;", "a pointer"),
]


def self_test():
    failures = 0
    for lint, name, text, expected in WRONG:
        findings = list(lint(name, text))
        if any(expected in finding for finding in findings) if expected else not findings:
            continue
        failures += 1
        print(f"lint_kernels --self-test: {name}: wanted '{expected}', found {findings}")
    print(f"lint_kernels --self-test: {len(WRONG) - failures} of {len(WRONG)} texts judged rightly")
    return failures


def main(words):
    if words == ["--self-test"]:
        return 1 if self_test() else 0
    if not words or words[0] not in ("glsl", "cuda", "metal", "source"):
        print(__doc__)
        return 2
    language, files = words[0], words[1:]
    findings = []
    try:
        if language == "source":
            findings = check_source(files[0] if files else ROOT / "src/kernels")
        elif language == "cuda":
            chosen = tuple(word for word in files if word.startswith("sm_")) or ARCHITECTURES
            for path in (word for word in files if not word.startswith("sm_")):
                findings += [f"{path}: {finding}" for finding in check_cuda(path, chosen)]
        else:
            check = check_glsl if language == "glsl" else check_metal
            for path in files:
                findings += [f"{path}: {finding}" for finding in check(path)]
    except Missing as missing:
        print(f"lint_kernels: skipped: {missing} is not installed")
        return SKIPPED
    for finding in findings:
        print(f"lint_kernels: {finding}")
    print(f"lint_kernels {language}: {'ok' if not findings else f'{len(findings)} finding(s)'}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
