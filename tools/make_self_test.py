#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the start-up checks' stored cases from the golden files: src/device/self_test_cases.hpp, src/ops/product_test_cases.hpp.

    tools/make_self_test.py          after a change of tests/golden/*.json (a change of bits: it needs an entry in CHANGELOG)

Cases that the golden files lack (FP32 fma, error-free transformations, 64-bit integers) are computed here in exact integers.
"""
import json
import struct
from fractions import Fraction
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UNITS = json.loads((ROOT / "tests/golden/units.json").read_text())
PRODUCTS = json.loads((ROOT / "tests/golden/products.json").read_text())
MASK = (1 << 64) - 1


class Random:
    """splitmix64"""

    def __init__(self, state):
        self.state = state

    def bits(self):
        self.state = self.state + 0x9E3779B97F4A7C15 & MASK
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
        return z ^ z >> 31


def float_bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def rn24(q):
    """A Fraction rounded to 24 bits, ties to even, as FP32 bits (exponents are moderate here)."""
    if q == 0:
        return 0.0
    e = abs(q.numerator).bit_length() - q.denominator.bit_length()
    e -= Fraction(abs(q.numerator), q.denominator) < Fraction(2) ** e
    unit = Fraction(2) ** (e - 23)
    return float(round(q / unit) * unit)


def random_float(rng, spread):
    m = (rng.bits() & 0x7FFFFF) | 0x800000
    return float(Fraction(m) * Fraction(2) ** (rng.bits() % (2 * spread) - spread - 23) * (1 - 2 * (rng.bits() & 1)))


def two(x, y):
    return float_bits(x) << 32 | float_bits(y)


def arithmetic_rows():
    rng, rows = Random(7), []

    def add(operation, a=0, b=0, c=0, d=0, first=0, second=0):
        rows.append([operation, a, b, c, d, first & MASK, second & MASK])

    x = 1 + 2.0 ** -12
    p = rn24(Fraction(x) ** 2)
    triples = [(x, x, -p)] + [(random_float(rng, 3), random_float(rng, 3), random_float(rng, 6)) for _ in range(16)]
    for _ in range(15):
        a, b = random_float(rng, 3), random_float(rng, 3)
        triples.append((a, b, -rn24(Fraction(a) * Fraction(b))))
    for a, b, c in triples:
        add(0, two(a, b), float_bits(c) << 32, first=two(rn24(Fraction(a) * Fraction(b) + Fraction(c)), 0.0))
    for a, b, c in triples:
        product = rn24(Fraction(a) * Fraction(b))
        add(1, two(a, b), float_bits(c) << 32, first=two(rn24(Fraction(product) + Fraction(c)), product))
    for a, b, c in triples + [(a, b, 0.0) for a, b, _ in triples[:16]]:
        product = Fraction(rn24(Fraction(a) * Fraction(b)))
        s = rn24(product + Fraction(c))
        add(18, two(a, b), float_bits(c) << 32, first=two(s, float(product + Fraction(c) - Fraction(s))))
    for _ in range(32):
        a, b = random_float(rng, 20), random_float(rng, 20)
        s = rn24(Fraction(a) + Fraction(b))
        add(2, two(a, b), first=two(s, float(Fraction(a) + Fraction(b) - Fraction(s))))
        if abs(a) < abs(b):
            a, b = b, a
        add(3, two(a, b), first=two(s, float(Fraction(a) + Fraction(b) - Fraction(s))))
        s = rn24(Fraction(a) * Fraction(b))
        add(4, two(a, b), first=two(s, float(Fraction(a) * Fraction(b) - Fraction(s))))
    for item in UNITS["dd"][:32]:
        words = {name: int(item[name][0], 16) << 32 | int(item[name][1], 16) for name in ("a", "b", "c", "fma", "add")}
        add(5, words["a"], words["b"], words["c"], first=words["fma"])
        add(6, words["a"], words["b"], words["c"], first=words["add"])
    for word, hi, lo in UNITS["pair"][:24]:
        add(7, int(word, 16), first=int(hi, 16) << 32 | int(lo, 16))
    for operation, name, count in ((8, "add", 2), (9, "mul", 2), (10, "fma", 3)):
        for line in UNITS[name][:: max(1, len(UNITS[name]) // 40)]:
            w = [int(line[16 * i:16 * i + 16], 16) for i in range(count + 1)]
            arguments = w[:-1] + [0] * (3 - count)
            add(operation, *arguments, first=w[-1])
            add(operation + 3, *arguments, first=w[-1])
    for n, e, word in UNITS["round"]:
        value = int(n, 16)
        if abs(value) < 1 << 128:
            add(14, abs(value) >> 64, abs(value) & MASK, e + 4096, (1 << 63) if value < 0 else 0, first=int(word, 16))
    for i in range(24):
        a, b = rng.bits() >> rng.bits() % 64, rng.bits()
        add(15, a, b, first=a * b >> 64, second=a * b)
    for n in range(0, 64, 3):
        a = (rng.bits() | 1 << 63 | 1) >> n << n // 2 & MASK
        signed = a - (1 << 64) if a >> 63 else a
        marked = a | 1 << 63
        add(16, a, n, first=(a << n & MASK) ^ (a >> n),
            second=(64 - a.bit_length()) | ((marked & -marked).bit_length() - 1) << 8 | ((signed >> 40) & 0xFFFFFFFF) << 16)
    for m in UNITS["moduli"]["int8"]["list"][:12] + UNITS["moduli"]["ten"]["list"][:12]:
        a, b = rng.bits() & 0xFFFFFFFF, rng.bits() & 0xFFFFFFFF
        signed = (a - (1 << 32) if a >> 31 else a)
        half = abs(signed) // 2 * (-1 if signed < 0 else 1)
        r = (half + m // 2) % m - m // 2

        def byte(w, i):
            v = w >> 8 * i & 255
            return v - 256 if v > 127 else v
        add(17, a, b, m | (1 << 32) // m << 32, first=a % m | (r & 0xFFFFFFFF) << 32,
            second=(7 + sum(byte(a, i) * byte(b, i) for i in range(4))) & 0xFFFFFFFF)
    return rows


def write_rows(rows):
    lines = ["// SPDX-License-Identifier: MIT", "// Generated by tools/make_self_test.py: operation, four words in, two words out (kernels/self_test.k).",
             "#pragma once", "#include <cstdint>", "", "namespace ab::device {", "inline constexpr std::uint64_t self_test_cases[][7] = {"]
    text = ["{" + ",".join(hex(w) for w in row) + "}" for row in rows]
    line = "   "
    for item in text:
        if len(line) + len(item) > 138:
            lines.append(line)
            line = "   "
        line += " " + item + ","
    lines += [line, "};", "}  // namespace ab::device", ""]
    (ROOT / "src/device/self_test_cases.hpp").write_text("\n".join(lines))


CASES = ("d-uniform", "d-normal", "d-checkerboard", "d-opposed", "d-outlier", "d-scaled", "d-nan", "z-tails", "z-imaginary-tiny", "z-integers")
CLASSES = {"dd": "DoubleFloat", "fast": "Fast", "fp64": "Fp64", "strict": "Strict"}


def write_products():
    lines = ["// SPDX-License-Identifier: MIT", "// Generated by tools/make_self_test.py: golden products for the start-up check (tests/golden/products.json).",
             "#pragma once", "#include <cstdint>", "", '#include "core/types.hpp"', "", "namespace ab::ops {",
             "struct ProductTest {", "  const char* name;", "  int words;  // 1 real, 2 complex", "  char transa, transb;", "  int m, n, k, lda, ldb, ldc;",
             "  const char *alpha, *beta, *a, *b, *c;  // FP64 words, 16 hexadecimal digits each", "  const char* expected[4];              // C by class: dd, fast, fp64, strict", "};",
             "inline constexpr ProductTest product_tests[] = {"]

    def quoted(text, indent):
        pieces = [text[i:i + 112] for i in range(0, len(text), 112)] or [""]
        return ("\n" + " " * indent).join('"%s"' % p for p in pieces)
    for case in PRODUCTS["cases"]:
        if case["name"] not in CASES:
            continue
        lines.append('    {"%s", %d, \'%s\', \'%s\', %d, %d, %d, %d, %d, %d,' % (case["name"], 2 if case["type"] == "z" else 1, case["transa"], case["transb"],
                     case["m"], case["n"], case["k"], case["lda"], case["ldb"], case["ldc"]))
        lines += ["     %s," % quoted(case[name], 5) for name in ("alpha", "beta", "a", "b", "c")]
        lines.append("     {" + ",\n      ".join(quoted(case["expect"][cls]["c"], 6) for cls in CLASSES) + "}},")
    lines += ["};", "}  // namespace ab::ops", ""]
    (ROOT / "src/ops/product_test_cases.hpp").write_text("\n".join(lines))


write_rows(arithmetic_rows())
write_products()
