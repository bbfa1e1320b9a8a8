#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares what nvcc makes of the kernels with what the backend launches: names, sizes of groups, numbers of arguments, sizes of params;
and looks for operations that do not round by name. usage: compare_image.py CUDA_TEXT SHAPES_SOURCE SOURCE_FOLDER; status 77 without nvcc"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ENTRY = re.compile(r"\.entry (\w+)\(([^)]*)\)\s*\.maxntid (\d+), (\d+), (\d+)")
ROW = re.compile(r'\{"(\w+)", (\d+), (\d+), (\d+), sizeof\(kernels::(\w+)\)\}')
UNROUNDED = re.compile(r"\b(?:add|sub|mul|fma|div|sqrt|mad)(?:\.(?!rn)\w+)*\.f(?:32|64)\b|\.ftz\b|\bapprox\b")


def ptx_of(nvcc, text, sources):
    with tempfile.TemporaryDirectory() as folder:
        ptx = pathlib.Path(folder, "kernels.ptx")
        subprocess.run([nvcc, "-ptx", "-arch=compute_80", "-std=c++17", "-fmad=false", "-diag-suppress", "177", "-I", sources, text, "-o", str(ptx)],
                       check=True)
        return ptx.read_text()


def sizes_of(structs, sources):
    """sizeof as the host's compiler has it."""
    with tempfile.TemporaryDirectory() as folder:
        program, source = pathlib.Path(folder, "sizes"), pathlib.Path(folder, "sizes.cpp")
        lines = "".join(f'std::printf("{name} %zu\\n", sizeof(ab::kernels::{name}));' for name in structs)
        source.write_text(f'#include "kernels/host.hpp"\n#include <cstdio>\nint main() {{ {lines} }}\n')
        subprocess.run(["c++", "-std=c++20", "-ffp-contract=off", "-w", "-I", sources, str(source), "-o", str(program)], check=True)
        said = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    return {name: int(size) for name, size in (line.split() for line in said.splitlines())}


def main(text, shapes, sources):
    nvcc = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if nvcc is None or not pathlib.Path(text).exists():
        print("compare_image: skipped: nvcc is not installed")
        return 77
    ptx, rows = ptx_of(nvcc, text, sources), ROW.findall(pathlib.Path(shapes).read_text())
    sizes = sizes_of(sorted({row[4] for row in rows}), sources)
    wanted = {name: (int(width) * int(height), int(buffers), sizes[params]) for name, width, height, buffers, params in rows}
    found = {}
    for name, params, *extents in ENTRY.findall(ptx):
        declared = [param.strip() for param in params.split(",")]
        size = re.search(r"\[(\d+)\]$", declared[-1])
        threads = int(extents[0]) * int(extents[1]) * int(extents[2])
        found[name] = (threads, len(declared) - 1, int(size[1]) if size else 0)
    findings = [f"{name}: launched as {wanted.get(name)}, compiled as {found.get(name)} (threads, buffers, bytes of params)"
                for name in sorted(wanted.keys() | found.keys()) if wanted.get(name) != found.get(name)]
    findings += [f"{operation}: does not round by name" for operation in sorted({match[0] for match in UNROUNDED.finditer(ptx)})]
    for finding in findings:
        print(f"compare_image: {finding}")
    print(f"compare_image: {len(found)} kernels, {len(findings)} finding(s)")
    return 1 if findings or not wanted else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
