#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One table of the golden products' hashes by class, moduli family and device. All columns must be equal.

    scripts/golden_table.py [--build build/dev] [--add LOG]... [--markdown]

Runs the test programs of the build that print hashes: every device present, OpenCL, the Metal simulator. What is not built or not
present is named. --add takes the lines from the output of the same tests on another machine (ops_golden_test in scripts/gpu_check.sh
and scripts/vulkan_check.sh leaves it in build/dev/gpu_check/golden_bits.log). Exit status 1: columns differ, or a test failed.
"""
import argparse
import pathlib
import re
import subprocess
import sys

PROGRAMS = {  # path in the build: its tests that print hashes
    "tests/ops/ops_golden_test": "GoldenProducts.HaveOneTableOfHashes",
    "tests/kernels/kernels_opencl_test": "*PrintsTheGoldenHashesOfTheCpu*",
    "tests/sim/metal/metal_golden_test": "GoldenProducts.HaveOneTableOfHashes",
}
LINE = re.compile(r"^golden\|([^|]+)\|(\w+)\|(\w+)\|([0-9a-f]{16})$", re.M)


def run(build):
    """Output of the programs, and what went wrong."""
    texts, faults = [], []
    for path, tests in PROGRAMS.items():
        program = build / path
        if not program.exists():
            print(f"golden_table: not built: {path}", file=sys.stderr)
            continue
        # PoCL keeps compiled kernels where the tests do.
        done = subprocess.run(["env", f"POCL_CACHE_DIR={build.resolve() / 'pocl_cache'}", str(program), f"--gtest_filter={tests}"],
                              capture_output=True, text=True, check=False)
        texts.append(done.stdout)
        if done.returncode != 0:
            faults.append(f"{path}: exit status {done.returncode}")
        if "SKIPPED" in done.stdout:
            print(f"golden_table: not present: the device of {path}", file=sys.stderr)
    return texts, faults


def columns_of(texts):
    """{device: {(class, family): hash}} in the order of the texts; a device that prints two values of one cell is an error."""
    columns, faults = {}, []
    for text in texts:
        for device, precision, family, value in LINE.findall(text):
            known = columns.setdefault(device, {}).setdefault((precision, family), value)
            if known != value:
                faults.append(f"{device} prints {known} and {value} for {precision} {family}")
    return columns, faults


def differences(columns):
    first, *others = columns
    for device in others:
        for cell in dict.fromkeys([*columns[first], *columns[device]]):
            mine, theirs = columns[first].get(cell), columns[device].get(cell)
            if mine != theirs:
                yield f"{device}, {' '.join(cell)}: {theirs or 'no hash'}, but {mine or 'no hash'} on {first}"


def table_of(columns, markdown):
    """A row a device: names are long, hashes are not."""
    cells = list(next(iter(columns.values())))
    rows = [["device", *(" ".join(cell) for cell in cells)]]
    rows += [[device, *(column.get(cell, "-") for cell in cells)] for device, column in columns.items()]
    if markdown:
        return "\n".join("| " + " | ".join(row) + " |" + ("\n|" + "---|" * len(row) if i == 0 else "") for i, row in enumerate(rows))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(word.ljust(width) for word, width in zip(row, widths)).rstrip() for row in rows)


def self_test():
    def judged(*lines):
        columns, faults = columns_of(["\n".join(lines)])
        return faults + list(differences(columns))

    one, two = "golden|cpu|dd|ten|00000000000000aa", "golden|vulkan:0|dd|ten|00000000000000aa"
    cases = [(judged(one, two), 0), (judged(one, two.replace("aa", "ab")), 1), (judged(one, two.replace("ten", "int8")), 2),
             (judged(one, one.replace("aa", "ab")), 1), (judged(one, one, two), 0)]
    wrong = sum(len(found) != expected for found, expected in cases)
    print(f"golden_table --self-test: {len(cases) - wrong} of {len(cases)} tables judged rightly")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/dev"))
    parser.add_argument("--add", type=pathlib.Path, action="append", default=[], metavar="LOG")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    texts, faults = run(options.build)
    columns, doubts = columns_of(texts + [log.read_text() for log in options.add])
    if not columns:
        print("golden_table: no device printed a hash")
        return 1
    faults += doubts + list(differences(columns))
    print(table_of(columns, options.markdown))
    for fault in faults:
        print(f"golden_table: {fault}")
    print(f"golden_table: {len(columns)} devices, {'all equal' if not faults else f'{len(faults)} fault(s)'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
