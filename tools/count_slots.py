#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts issue slots per multiply-add in the inner loops of kernels' Metal texts, in what clang makes of them.

    tools/count_slots.py build/dev/generated/metal/gemm_dd.metal... [--json] [--stdlib tests/kernels/metal]
    tools/count_slots.py --self-test

A stand-in for Apple's compiler, which is not on Linux: clang -O3 for SPIR, FP contraction off, constant loops unrolled. Counted: one pass
of the innermost loop that has both multiply-adds and a barrier (a block of terms: tiles from device memory to threadgroup memory, operands from
there, arithmetic, reduction, addresses, branches), along its costliest path, per multiply-add of one thread in a full tile. Not counted: what
happens once a tile (first and last lines of the kernel), waiting, registers that spill.

Slots: 1 for an operation of FP32 or 32-bit integers, a comparison, a selection, a load or store of up to 16 bytes, an address that is no constant away
from another, a branch, a barrier; 4 for 64-bit additions and multiplications, 2 for other 64-bit operations; 16 for a product of 8 x 8
matrices (512 multiply-adds over 32 lanes: no Apple GPU before M5 has a unit for them), 1 for a load or store of a matrix, 2 when transposed. A negated
operand, a conversion between integer widths and a copy are free. The slots of 64-bit integers and matrices are assumptions.

Column "arithmetic": operations of FP32 alone, the reduction included, times moduli. Exit status 1 when they are more than the target of the kernel
(15 for double-float, 12 for 11 moduli); 77: clang is not here.
"""
import argparse
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = 77
MODULI = 11  # of class fp64 in the ten-bit family
# text: (operations that the multiply-adds have, multiply-adds a pass from how many of them are on the path, moduli to multiply by, target)
KERNELS = [
    (re.compile(r"^gemm_dd"), ("fma",), lambda marks: marks / 3, 1, 15),  # a step has three
    (re.compile(r"^modular_gemm_f32"), ("fmul",), lambda marks: 512, MODULI, None),  # 4 x 4 entries, 32 terms; the reduction has products too
    (re.compile(r"^product_f32"), ("simdgroup_multiply_accumulate",), lambda marks: 16 * marks, MODULI, 12),
]
CATEGORIES = ("float", "integer", "threadgroup", "device", "address", "control")
TILE_TRIPS = 4  # of loops that fill a tile of 64 rows by 16 rows of threads, where the compiler leaves a loop
FREE = {"phi", "bitcast", "zext", "sext", "trunc", "addrspacecast", "fneg", "inttoptr", "ptrtoint", "alloca", "freeze", "extractvalue", "insertvalue",
        "extractelement", "insertelement", "shufflevector", "ret", "unreachable"}
FLOAT = {"fadd", "fsub", "fmul", "fcmp", "fptosi", "fptoui", "sitofp", "uitofp", "fpext", "fptrunc"}
Block = collections.namedtuple("Block", "instructions successors")


def called(line):
    """Plain name of the function that a call calls; mangled C++ names lose their mangling."""
    name = re.search(r"@([\w.]+)\(", line)
    name = name[1] if name else ""
    mangled = re.match(r"_ZN5metal(\d+)", name)
    return name[mangled.end():mangled.end() + int(mangled[1])] if mangled else name


def operation_of(line):
    line = re.sub(r"^\s*(%[\w.\"]+ = )?", "", line)
    word = line.split(None, 1)[0] if line.strip() else ""
    if word in ("tail", "notail", "musttail"):
        word = line.split()[1]
    return (called(line), line) if word == "call" else (word, line)


def cost_of(operation, line):
    """(category, slots); None: free."""
    if operation in FREE or operation.startswith("llvm."):
        return None
    if operation in FLOAT or operation in ("fma", "clz"):
        return "float" if operation != "clz" else "integer", 1
    if operation == "simdgroup_multiply_accumulate":
        return "float", 16
    if operation in ("simdgroup_load", "simdgroup_store"):
        return "threadgroup", 2 if re.search(r"i1 (noundef )?(zeroext )?true\b", line) else 1
    if operation == "threadgroup_barrier":
        return "control", 1
    if operation in ("load", "store"):
        space = re.search(r"addrspace\((\d)\)\*", line)
        return {"1": ("device", 1), "3": ("threadgroup", 1)}.get(space[1] if space else "0")  # others: registers
    if operation == "getelementptr":
        constant = re.search(r", i\d+ %", line) is None
        return None if constant else ("address", 1)
    if operation == "br":
        return ("control", 1) if "i1 " in line else None
    if operation in ("switch", "icmp", "select"):
        return ("control" if operation == "switch" else "integer"), 1
    if operation in ("add", "sub", "mul", "shl", "lshr", "ashr", "and", "or", "xor", "udiv", "urem", "sdiv", "srem"):
        wide = re.match(r"\w+ (?:nuw |nsw |exact )*i64\b", line)
        return ("address", 4 if operation in ("add", "sub", "mul") else 2) if wide else ("integer", 1)
    raise ValueError(f"an instruction whose slots are not known: {line.strip()[:120]}")


def blocks_of(ir):
    """Blocks of the kernel function by name, in the order of the text, the entry first."""
    body = re.search(r"^define (?:[\w()]+ )*spir_kernel void @\w+\(.*?\{\n(.*?)^\}", ir, re.M | re.S)
    if body is None:
        raise ValueError("no kernel function")
    blocks, name = {}, "entry"
    for line in body[1].splitlines():
        label = re.match(r'^([\w.\-]+|"[^"]+"):', line)
        if label:
            name = label[1]
        elif line.strip():
            blocks.setdefault(name, []).append(line)
    joined = {}
    for name, lines in blocks.items():
        successors = re.findall(r"label %([\w.\-]+|\"[^\"]+\")", lines[-1] if "switch" not in "".join(lines) else "\n".join(lines))
        joined[name] = Block([operation_of(line) for line in lines], successors)
    return joined


def dominators(blocks):
    names = list(blocks)
    before = {name: [other for other in names if name in blocks[other].successors] for name in names}
    doms = {name: set(names) for name in names}
    doms[names[0]] = {names[0]}
    changed = True
    while changed:
        changed = False
        for name in names[1:]:
            known = [doms[other] for other in before[name]]
            new = (set.intersection(*known) if known else set()) | {name}
            changed |= new != doms[name]
            doms[name] = new
    return doms, before


def loops_of(blocks):
    """{header: blocks of its loop}, and the edges that go back."""
    doms, before = dominators(blocks)
    loops, back = {}, set()
    for name, block in blocks.items():
        for header in block.successors:
            if header not in doms[name]:
                continue
            back.add((name, header))
            members, open_ = {header}, [name]
            while open_:
                member = open_.pop()
                if member not in members:
                    members.add(member)
                    open_ += before[member]
            loops.setdefault(header, set()).update(members)
    return loops, back


def has(blocks, members, names):
    return sum(operation in names for name in members for operation, _ in blocks[name].instructions)


def costliest_path(blocks, header, members, loops, back):
    """Slots by category and operations by name of the costliest way once around the loop; loops inside turn TILE_TRIPS times."""
    inside = [others for other, others in loops.items() if other != header and others < members]

    def weigh(name):
        times = TILE_TRIPS ** sum(name in others for others in inside)
        slots, operations = collections.Counter(), collections.Counter()
        for operation, line in blocks[name].instructions:
            cost = cost_of(operation, line)
            operations[operation] += times
            if cost:
                slots[cost[0]] += times * cost[1]
        return slots, operations

    best, order, seen = {}, [], set()

    def visit(name):  # depth first; later blocks come first in `order`
        seen.add(name)
        for other in blocks[name].successors:
            if other in members and (name, other) not in back and other not in seen:
                visit(other)
        order.append(name)

    sys.setrecursionlimit(10000)
    visit(header)
    for name in order:
        after = [best[other] for other in blocks[name].successors if other in members and (name, other) not in back]
        slots, operations = weigh(name)
        longest = max(after, key=lambda path: sum(path[0].values()), default=(collections.Counter(), collections.Counter()))
        best[name] = (slots + longest[0], operations + longest[1])
    return best[header]


def count(ir, marks, multiply_adds_of):
    """{category: slots per multiply-add} and multiply-adds a pass."""
    blocks = blocks_of(ir)
    loops, back = loops_of(blocks)
    fitting = [(len(members), header) for header, members in loops.items()
               if has(blocks, members, marks) and has(blocks, members, ("threadgroup_barrier",))]
    if not fitting:
        raise ValueError("no loop with a barrier and multiply-adds")
    header = min(fitting)[1]
    slots, operations = costliest_path(blocks, header, loops[header], loops, back)
    multiply_adds = multiply_adds_of(sum(operations[mark] for mark in marks))
    return {category: slots[category] / multiply_adds for category in CATEGORIES}, multiply_adds


def ir_of(path, stdlib):
    text = path.read_text().replace("#pragma METAL fp contract(off)", "#pragma clang fp contract(off)").replace("#pragma METAL fp math_mode(safe)", "")
    with tempfile.TemporaryDirectory() as folder:
        source, output = pathlib.Path(folder, "kernel.metal"), pathlib.Path(folder, "kernel.ll")
        source.write_text(text)
        done = subprocess.run(["clang", "-cc1", "-triple", "spir64-unknown-unknown", "-x", "cl", "-cl-std=clc++2021", "-w", "-I", str(stdlib), "-O3",
                               "-ffp-contract=off", "-emit-llvm", "-mllvm", "-unroll-threshold=100000", "-mllvm", "-unroll-full-max-count=4096",
                               "-D__METAL_VERSION__=310", str(source), "-o", str(output)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ValueError(done.stdout + done.stderr)
        return output.read_text()


def counted(path, stdlib):
    for pattern, marks, multiply_adds_of, moduli, target in KERNELS:
        if pattern.match(path.stem):
            slots, multiply_adds = count(ir_of(path, stdlib), marks, multiply_adds_of)
            total = sum(slots.values())
            return {"kernel": path.stem, "multiply_adds": multiply_adds, **{name: round(value, 4) for name, value in slots.items()},
                    "slots": round(total, 4), "moduli": moduli, "arithmetic_of_product": round(slots["float"] * moduli, 2),
                    "slots_of_product": round(total * moduli, 2), "target": target}
    raise ValueError("a kernel without an entry in KERNELS")


def table_of(rows):
    titles = ["kernel", "multiply-adds", *CATEGORIES, "slots", "moduli", "arithmetic", "all", "target"]
    lines = [titles] + [[row["kernel"], f"{row['multiply_adds']:g}", *(f"{row[name]:.3f}" for name in CATEGORIES), f"{row['slots']:.3f}",
                         str(row["moduli"]), f"{row['arithmetic_of_product']:.2f}", f"{row['slots_of_product']:.2f}", str(row["target"] or "-")] for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(titles))]
    return "\n".join("  ".join(word.ljust(width) if i == 0 else word.rjust(width) for i, (word, width) in enumerate(zip(line, widths))) for line in lines)


# One loop of the kernel: two multiply-adds, a barrier, one arm or the other, and a loop inside that fills a tile.
EXAMPLE = """define dso_local spir_kernel void @k(float addrspace(1)* %in, float addrspace(3)* %tile, i32 %n) {
entry:
  br label %loop

loop:                                             ; preds = %latch, %entry
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  br label %fill

fill:                                             ; preds = %fill, %loop
  %a = load float, float addrspace(1)* %in, align 4
  store float %a, float addrspace(3)* %tile, align 4
  %c = icmp ult i32 %i, 4
  br i1 %c, label %fill, label %work

work:                                             ; preds = %fill
  tail call spir_func void @_ZN5metal19threadgroup_barrierENS_9mem_flagsE(i32 2)
  %p = getelementptr inbounds float, float addrspace(3)* %tile, i64 4
  %x = load float, float addrspace(3)* %p, align 4
  %y = fmul float %x, %x
  %z = fmul float %y, %x
  %odd = icmp ne i32 %i, 7
  br i1 %odd, label %arm, label %other

arm:                                              ; preds = %work
  %s = fadd float %y, %z
  %t = fsub float %s, %z
  br label %latch

other:                                            ; preds = %work
  %u = fadd float %y, %z
  br label %latch

latch:                                            ; preds = %other, %arm
  %next = add nuw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %end, label %loop

end:                                              ; preds = %latch
  ret void
}
"""


def self_test():
    wrong, tried = [], 0

    def expect(what, got, wanted):
        nonlocal tried
        tried += 1
        if got != wanted:
            wrong.append(f"{what}: {got} instead of {wanted}")

    slots, multiply_adds = count(EXAMPLE, ("fmul",), int)
    expect("multiply-adds", multiply_adds, 2)
    # fill, 4 times: load, store, comparison, branch; work: barrier, load, 2 products, comparison, branch; the longer arm; latch: add, comparison, branch
    expect("float", slots["float"], (2 + 2) / 2)
    expect("integer", slots["integer"], (4 + 1 + 2) / 2)
    expect("threadgroup", slots["threadgroup"], (4 + 1) / 2)
    expect("device", slots["device"], 4 / 2)
    expect("address", slots["address"], 0)
    expect("control", slots["control"], (4 + 1 + 1 + 1) / 2)
    for line, wanted in [("%a = add i64 %b, %c", ("address", 4)), ("%a = shl nuw nsw i64 %b, 2", ("address", 2)), ("%a = add nuw i32 %b, 1", ("integer", 1)),
                         ("%a = getelementptr inbounds float, float addrspace(3)* %t, i64 %b", ("address", 1)),
                         ("%a = getelementptr inbounds [2 x float], [2 x float]* %t, i64 0, i64 1", None),
                         ("%a = load <4 x float>, <4 x float> addrspace(3)* %t, align 16", ("threadgroup", 1)),
                         ("%a = load float, float* %t, align 4", None), ("%a = fneg float %b", None),
                         ("call spir_func void @_ZN5metal14simdgroup_loadIDhEEvu(i8* %m, i64 72, i1 zeroext true)", ("threadgroup", 2)),
                         ("call spir_func void @_ZN5metal14simdgroup_loadIDhEEvu(i8* %m, i64 72, i1 zeroext false)", ("threadgroup", 1)),
                         ("%a = tail call spir_func float @_ZN5metal3fmaEfff(float %b, float %c, float %d)", ("float", 1))]:
        expect(line, cost_of(*operation_of("  " + line)), wanted)
    for what, text in [("an unknown instruction", EXAMPLE.replace("fsub float", "frobnicate float")), ("no barrier", EXAMPLE.replace("19threadgroup_barrier", "3fmaxx"))]:
        try:
            expect(what, count(text, ("fmul",), int), "an error")
        except ValueError:
            tried += 1
    for text in wrong:
        print(f"count_slots --self-test: {text}")
    print(f"count_slots --self-test: {tried - len(wrong)} of {tried} right")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=pathlib.Path, nargs="*")
    parser.add_argument("--stdlib", type=pathlib.Path, default=ROOT / "tests/kernels/metal")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    if shutil.which("clang") is None:
        print("count_slots: skipped: clang is not installed")
        return SKIPPED
    rows = []
    for path in options.texts:
        try:
            rows.append(counted(path, options.stdlib))
        except (OSError, ValueError) as error:
            print(f"count_slots: {path}: {error}", file=sys.stderr)
            return 1
    print(json.dumps(rows, indent=1) if options.json else table_of(rows))
    return 1 if any(row["target"] and row["arithmetic_of_product"] > row["target"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
