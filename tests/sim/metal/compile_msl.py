#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles a Metal text for the simulator: a shared library with every kernel function behind a wrapper of one shape.

    compile_msl.py TEXT.metal OUTPUT.so METAL_VERSION safe|fast

The text is C++ for OpenCL to clang, with tests/kernels/metal/metal_stdlib as Apple's header: address spaces are checked as for a GPU,
then the code is made for this CPU. Contraction is on unless the text switches it off; `fast` is what Metal does by default.
"""
import pathlib
import re
import subprocess
import sys

HEADERS = pathlib.Path(__file__).resolve().parent.parent.parent / "kernels/metal"
LANGUAGE = ["-x", "cl", "-cl-std=clc++2021", "-Wall", "-Werror", "-Wno-unknown-attributes", "-Wno-unused-function", "-Wno-unknown-pragmas",
            "-I", str(HEADERS)]
# Metal's words for what clang calls otherwise.
PRAGMAS = [("#pragma METAL fp contract(off)", "#pragma clang fp contract(off)"),
           ("#pragma METAL fp math_mode(safe)", "#pragma clang fp reassociate(off)")]
PLACES = {  # attribute: what the wrapper passes
    "threadgroup_position_in_grid": "(uint3)(group[0], group[1], group[2])",
    "thread_position_in_threadgroup": "(uint3)(inside[0], inside[1], inside[2])",
    "thread_index_in_threadgroup": "place[0]",
    "thread_index_in_simdgroup": "place[1]",
    "simdgroup_index_in_threadgroup": "place[2]",
}


def kernels(text):
    """(name, [(type, attribute, number)]) of every kernel function."""
    for name, parameters in re.findall(r"\bkernel\s+void\s+(\w+)\s*\(([^{]*?)\)\s*\{", text):
        found = []
        for parameter in parameters.split(","):
            declared, attribute, number = re.fullmatch(r"(.*?)\s*\[\[(\w+)(?:\((\d+)\))?\]\]\s*", parameter.strip(), re.S).groups()
            found.append((re.sub(r"\w+$", "", declared).strip(), attribute, number))
        yield name, found


def wrapper(name, parameters):
    passed, described = [], []
    for declared, attribute, number in parameters:
        if attribute != "buffer":
            passed.append(PLACES[attribute])
            continue
        pointed = declared.rstrip("*&").strip()
        pointer = f"({pointed}*)buffers[{number}]"
        passed.append("*" + pointer if declared.endswith("&") else pointer)
        plain = re.sub(r"\b(device|constant|const)\b", "", pointed).strip()
        written = 0 if re.search(r"\b(const|constant)\b", pointed) else 1
        described.append(f"  *out++ = {number}u; *out++ = {written}u; *out++ = sizeof({plain});")
    visible = 'extern "C" __attribute__((visibility("default")))'
    return "\n".join([f"{visible} void ab_run_{name}(const ulong* buffers, const uint* group, const uint* inside, const uint* place) {{",
                      f"  {name}({', '.join(passed)});", "}",
                      f"{visible} uint ab_describe_{name}(uint* out) {{", *described, f"  return {len(described)}u;", "}"])


MEMORY = """extern "C" __attribute__((visibility("hidden"))) device char __bss_start[];
extern "C" __attribute__((visibility("hidden"))) device char _end[];
extern "C" __attribute__((visibility("default"))) void ab_threadgroup_memory(ulong* out) {
  out[0] = (ulong)__bss_start;
  out[1] = (ulong)_end;
}
"""


def clang(words):
    done = subprocess.run(["clang", *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)


def main(source, output, version, mode):
    text = pathlib.Path(source).read_text()
    for old, new in PRAGMAS:
        text = text.replace(old, new)
    checked = pathlib.Path(output).with_suffix(".check.metal")
    checked.write_text(text)
    defines = [f"-D__METAL_VERSION__={version}"]
    clang(["-cc1", "-triple", "spir64-unknown-unknown", *LANGUAGE, *defines, "-fsyntax-only", str(checked)])
    executed = pathlib.Path(output).with_suffix(".run.metal")
    executed.write_text(text + "\n" + "\n".join(wrapper(*kernel) for kernel in kernels(text)) + "\n" + MEMORY)
    math = ["-cl-fast-relaxed-math", "-ffp-contract=fast"] if mode == "fast" else ["-Xclang", "-ffp-contract=fast-honor-pragmas"]
    clang([*LANGUAGE, *defines, "-DAB_METAL_EXECUTED", "-cl-no-stdinc", "-O2", "-march=native", *math, "-fPIC", "-fvisibility=hidden", "-fno-stack-protector",
           "-shared", "-nostdlib", str(executed), "-o", output])


if __name__ == "__main__":
    main(*sys.argv[1:])
