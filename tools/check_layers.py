#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds includes and link lists against the layer table of ARCHITECTURE.md, and keeps backend names in their folders."""
import re

import checking

NAME = "check_layers"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.M)
LAYER_CALL = re.compile(r"\bab_layer\(\s*(\w+)\b([^)]*)\)")
TABLE_ROW = re.compile(r"^\|\s*((?:`\w+`(?:,\s*)?)+)\s*\|([^|]*)\|\s*$", re.M)
SOURCE = re.compile(r"\.(cpp|hpp|h|k|mm|cu)$")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
FORBIDDEN_FOLDERS = {"common", "misc", "util", "utils", "helper", "helpers"}
BACKENDS = ("cpu", "cuda", "metal", "vulkan")
# Vendor headers, and the folders below src/ that may include them.
VENDOR_HEADER = re.compile(r"^(cuda\w*\.h|nvrtc\.h|cublas\w*\.h|vulkan/|CL/|Metal/|MetalPerformanceShaders/|Foundation/|Accelerate/|cblas\w*\.h|mkl\w*\.h)")
VENDOR_FOLDERS = re.compile(r"^src/(device/(cpu|cuda|metal|vulkan)/|host_blas/)")
PUBLIC_HEADER = re.compile(r"^apple_bottom\w*\.h$")
PUBLIC_HEADER_LAYERS = {"blas", "capi"}
# The dialect names each device language by its nature, and one file parses AB_DEVICE, whose words are the backends' names.
MAY_NAME_BACKENDS = re.compile(r"^src/(kernels/|device/registry\.cpp$|device/CMakeLists\.txt$|core/settings\.cpp$)")


def allowed_layers(tree):
    """layer -> layers it may include, from the table in ARCHITECTURE.md (rows | `layer`, `layer` | layer, layer |)."""
    rows = [(re.findall(r"`(\w+)`", left), right) for left, right in TABLE_ROW.findall(tree.text("ARCHITECTURE.md"))]
    known = {layer for layers, _ in rows for layer in layers}
    table = {}
    for layers, right in rows:
        words = set(re.findall(r"\w+", right.split("(")[0]))
        for layer in layers:
            table[layer] = words & known
    return table


def layer_of(name):
    parts = name.split("/")
    return parts[1] if len(parts) > 2 and parts[0] == "src" else None


def check_includes(name, text, table):
    layer = layer_of(name)
    for included in INCLUDE.findall(text):
        if VENDOR_HEADER.match(included) and not VENDOR_FOLDERS.match(name):
            yield f"{name}: vendor header {included} outside device/<backend>/ and host_blas/"
        if PUBLIC_HEADER.match(included) and layer not in PUBLIC_HEADER_LAYERS:
            yield f"{name}: public header {included} included below the front doors"
        target = included.split("/")[0]
        if "/" not in included or target not in table:
            continue
        if target != layer and target not in table[layer]:
            yield f"{name}: layer {layer} may not include {included}"
        backend = re.match(r"device/(cpu|cuda|metal|vulkan)/", included)
        if backend and not name.startswith(f"src/device/{backend[1]}/") and name != "src/device/registry.cpp":
            yield f"{name}: only device/registry.cpp may include {included}"


def check_backend_names(name, text):
    if MAY_NAME_BACKENDS.match(name):
        return
    own = re.match(r"src/device/(cpu|cuda|metal|vulkan)/", name)
    code = COMMENT.sub("", text)
    for backend in BACKENDS[1:]:  # "cpu" is a plain word elsewhere
        if own and own[1] == backend:
            continue
        if re.search(rf"(?<![A-Za-z]){backend}(?![A-Za-z])", code, re.I):
            yield f"{name}: names the backend '{backend}' outside device/{backend}/ and device/registry.cpp"


def check_link_lists(tree, names, table):
    declared = {}
    for name in names:
        if not re.match(r"src/\w+/CMakeLists\.txt$", name):
            continue
        for layer, arguments in LAYER_CALL.findall(re.sub(r"#[^\n]*", "", tree.text(name))):
            declared[layer] = set(re.split(r"\bUSES\b", arguments)[1].split()) if re.search(r"\bUSES\b", arguments) else set()
            if layer != layer_of(name):
                yield f"{name}: declares layer {layer}, which belongs to src/{layer}/"
            for used in sorted(declared[layer] - table.get(layer, set())):
                yield f"{name}: layer {layer} may not use {used}"
    for layer in sorted(set(table) - {"kernels"} - set(declared)):  # kernels is text only: no target
        yield f"src/{layer}/CMakeLists.txt: no ab_layer({layer} SOURCES ... USES ...)"
    for name in names:
        layer = layer_of(name)
        if layer not in declared or not SOURCE.search(name):
            continue
        for included in INCLUDE.findall(tree.text(name)):
            target = included.split("/")[0]
            if target in table and target not in declared[layer] | {layer, "kernels"} and target in table[layer]:
                yield f"{name}: includes {included}, but src/{layer}/CMakeLists.txt does not use {target}"


def check(tree):
    names = tree.files()
    if not tree.has("ARCHITECTURE.md"):
        return ["ARCHITECTURE.md is missing: it holds the layer table"]
    table = allowed_layers(tree)
    if not table:
        return ["ARCHITECTURE.md: no layer table found"]
    findings = []
    for name in names:
        for folder in set(name.split("/")[:-1]) & FORBIDDEN_FOLDERS:
            findings.append(f"{name}: a folder named '{folder}' says nothing; name it after what it holds")
        if name.startswith("src/") and layer_of(name) is not None and layer_of(name) not in table:
            findings.append(f"{name}: folder src/{layer_of(name)}/ is not in the layer table")
        elif layer_of(name) and SOURCE.search(name):
            text = tree.text(name)
            findings += check_includes(name, text, table)
            findings += check_backend_names(name, text)
    findings += check_link_lists(tree, names, table)
    return findings


RIGHT = {
    "ARCHITECTURE.md": "| layer | may include |\n|---|---|\n| `core` | nothing of ours |\n| `kernels` | nothing (device text) |\n"
                       "| `device` | core, kernels |\n| `ops` | core, device, kernels |\n| `capi` | core, ops |\n",
    "src/core/CMakeLists.txt": "ab_layer(core SOURCES types.cpp)\n",
    "src/device/CMakeLists.txt": "ab_layer(device SOURCES\n  registry.cpp\n  USES core)\n",
    "src/ops/CMakeLists.txt": "ab_layer(ops SOURCES gemm.cpp USES core device)\n",
    "src/capi/CMakeLists.txt": "ab_layer(capi SOURCES gemm.cpp USES core ops)\n",
    "src/core/types.hpp": "#include <cstdint>\n",
    "src/device/device.hpp": '#include "core/types.hpp"\n// "cuda:0" in a comment is fine\n',
    "src/device/registry.cpp": '#include "device/cuda/cuda_device.hpp"\n#include "device/cpu/cpu_device.hpp"\n',
    "src/device/cuda/cuda_device.cpp": "#include <cuda.h>\nnamespace ab::device::cuda {}\n",
    "src/ops/gemm.cpp": '#include "device/device.hpp"\n#include "kernels/params.h"\n',
    "src/capi/gemm.cpp": '#include "apple_bottom.h"\n#include "ops/gemm.hpp"\n',
}
WRONG = [
    ("an include upwards", {"src/core/types.hpp": '#include "ops/gemm.hpp"\n'}, "layer core may not include ops/gemm.hpp"),
    ("an include across", {"src/capi/gemm.cpp": '#include "device/device.hpp"\n'}, "layer capi may not include device"),
    ("a backend included", {"src/ops/gemm.cpp": '#include "device/cpu/cpu_device.hpp"\n'}, "only device/registry.cpp"),
    ("a backend named", {"src/ops/gemm.cpp": "if (cuda_device()) {}\n"}, "names the backend 'cuda'"),
    ("a backend named by another", {"src/device/cuda/cuda_device.cpp": "vulkan::open();\n"}, "names the backend 'vulkan'"),
    ("a vendor header", {"src/ops/gemm.cpp": "#include <cuda_runtime.h>\n"}, "vendor header"),
    ("a public header below", {"src/ops/gemm.cpp": '#include "apple_bottom.h"\n'}, "public header"),
    ("a link list too long", {"src/capi/CMakeLists.txt": "ab_layer(capi SOURCES gemm.cpp USES core ops device)\n"}, "may not use device"),
    ("a link list too short", {"src/ops/CMakeLists.txt": "ab_layer(ops SOURCES gemm.cpp USES core)\n"}, "does not use device"),
    ("a layer without a target", {"src/ops/CMakeLists.txt": "\n"}, "no ab_layer(ops"),
    ("an unknown folder", {"src/extras/x.cpp": "\n"}, "not in the layer table"),
    ("a folder of odds and ends", {"src/ops/utils/x.cpp": "\n"}, "a folder named 'utils'"),
    ("no table", {"ARCHITECTURE.md": "nothing\n"}, "no layer table"),
]

if __name__ == "__main__":
    checking.main(NAME, check, RIGHT, WRONG)
