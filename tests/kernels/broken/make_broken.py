#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes one broken build of the kernels as host C++: edited copies of the kernel text and a table of the kernels it concerns.

    make_broken.py <name> <folder>     <folder>/<name>.cpp and <folder>/<name>/kernels/*, found before src/kernels

An edit whose text is no longer there is an error: a variant that is not broken would prove nothing.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
KERNELS = ROOT / "src/kernels"
TILED = ("modular_gemm_i8", "modular_gemm_i8_3m", "modular_gemm_f32", "modular_gemm_f32_3m")

# Threads that run to the end one after the other: no barrier stops them. Everything between AB_BODY and AB_END is one thread's.
NO_BARRIERS = [
    ("lang.h", "#define AB_BODY(name)\n#define AB_PRIVATE(type, name, count) \\\n  constexpr", """#define AB_BODY(name) \\
  const std::size_t ab_kept = ab_taken; \\
  for (uint ab_thread = 0, ab_y = 0; ab_y < ab_height; ++ab_y) \\
    for (uint ab_x = 0; ab_x < ab_width; ++ab_x, ++ab_thread) { \\
      ab_taken = ab_kept;
#define AB_PRIVATE(type, name, count) \\
  constexpr"""),
    ("lang.h", "#define AB_THREADS \\\n  for (uint ab_thread = 0, ab_y = 0; ab_y < ab_height; ++ab_y) \\\n"
               "    for (uint ab_x = 0; ab_x < ab_width; ++ab_x, ++ab_thread) {", "#define AB_THREADS {"),
    ("lang.h", re.compile(r"#define AB_THREADS_IN\(columns, rows\) \\\n  for .*\\\n .*\{"),
     "#define AB_THREADS_IN(columns, rows) if (ab_x < (columns) && ab_y < (rows)) {"),
    ("lang.h", "#define AB_END (void)ab_taken; }", "#define AB_END (void)ab_taken; } }"),
]
# Without barriers the scan counts at an index that nobody has written: it shall be wrong, not write elsewhere.
NO_WILD_COUNTS = [("scan.k", "if (bin < 96 && ", "if (bin < 96 && bin >= 0 && ")]
# name: (kernels that are built, edits, what the build is)
VARIANTS = {
    "contracted": (("self_test",), [], "compiled with contraction on"),
    "fast_math": (("self_test", "gemm_dd"), [], "compiled under fast math, with the guard of lang.h bypassed"),
    "unfused": (("self_test", "gemm_dd"), [("lang.h", "#define AB_HARD_FMA(a, b, c) __builtin_fmaf(a, b, c)",
                                             "#define AB_HARD_FMA(a, b, c) ((a) * (b) + (c))")], "a fused multiply-add that rounds twice"),
    "soft_fma": (("self_test", "gemm_dd"), [("lang.h", "#if defined(AB_SOFT_FMA)", "#if 1")], "right: the integer fma"),
    "wrong_modulus": (TILED, [(f"modular_gemm_{kind}.k", "uint m = table[l * AB_MODULUS_WORDS];",
                               "uint m = table[l * AB_MODULUS_WORDS] - (l == 5u ? 2u : 0u);") for kind in ("i8", "f32")],
                      "one entry of the table of moduli is another number"),
    "dropped_modulus": (("reconstruct_i8", "reconstruct_i16"), [("reconstruct.k", "for (uint l = 0u; l < p.moduli; ++l) {",
                                                                "for (uint l = 0u; l + 1u < p.moduli; ++l) {")], "one modulus is left out"),
    "no_barriers_scan": (("scan", "peaks"), NO_BARRIERS + NO_WILD_COUNTS, "no barrier in the scan"),
    "no_barriers_i8": (TILED[:2], NO_BARRIERS, "no barrier in products of bytes"),
    "no_barriers_f32": (TILED[2:], NO_BARRIERS, "no barrier in products of halves"),
    "no_barriers_dd": (("gemm_dd",), NO_BARRIERS, "no barrier in double-float products"),
    "residue_512": (("residues_half",), [("modular.h", "return r >= (m + 1u) / 2u ?", "return r >= (m + 1u) / 2u + 1u ?")],
                    "512 is let through as a residue of 1023"),
    "truncation": (("residues_i8", "residues_half"), [("fp64_bits.h", "ulong half_way = 1ul << (-s - 1);", "ulong half_way = ~0ul;")],
                   "integers are cut off, not rounded"),
    "measured": ((), [("lang.h", "#define AB_GROUPS_ARE(count) if (AB_GROUP_ID >= (count)) return;",
                       "#define AB_GROUPS_ARE(count) *static_cast<std::size_t*>(ab_group.buffers[15]) = ab_taken; return;")],
                 "not broken: instead of running, each kernel says how much scratch it takes"),
}


def variants():
    """(name, text, defines) of kernels/variants.txt"""
    for line in (KERNELS / "variants.txt").read_text().splitlines():
        if re.match("[a-z]", line):
            name, text, *defines = line.split()
            yield name, text, defines


def edited(edits, folder):
    """Copies with the edits made, one after the other."""
    texts = {}
    for name, old, new in edits:
        text = texts.get(name) or (KERNELS / name).read_text()
        if isinstance(old, str):
            count, text = text.count(old), text.replace(old, new)
        else:
            text, count = old.subn(lambda _: new, text)
        if count == 0:
            sys.exit(f"make_broken: {name} no longer has: {old}")
        texts[name] = text
    (folder / "kernels").mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / "kernels" / name).write_text(text)


def table(name, kernels):
    """The same C++ as cmake/embed_kernels.cmake makes for an instruction set, for some of the kernels."""
    lines = ['#include "device/cpu/kernel_table.hpp"', "namespace ab::kernels {", "namespace {", "namespace text {", '#include "kernels/arithmetic.h"']
    rows = []
    for variant, text, defines in variants():
        if kernels and variant not in kernels:
            continue
        lines += [f"#define {define.replace('=', ' ')}" for define in defines]
        lines += [f"namespace {variant}_variant {{", f'#include "kernels/{text}"', "}"]
        lines += [f"#undef {define.split('=')[0]}" for define in defines]
        rows.append(f'    {{"{variant}", &text::{variant}_variant::{text[:-2]}}},')
    lines += ["}", "}", f"extern const HostKernel host_kernels_{name}[];", f"const HostKernel host_kernels_{name}[] = {{", *rows,
              "    {nullptr, nullptr}};", "}", ""]
    return "\n".join(lines)


def main(name, folder):
    kernels, edits, what = VARIANTS[name]
    folder = pathlib.Path(folder)
    edited(edits, folder / name)
    (folder / f"{name}.cpp").write_text(f"// Broken on purpose by tests/kernels/broken/make_broken.py: {what}.\n" + table(name, kernels))


if __name__ == "__main__":
    main(*sys.argv[1:])
