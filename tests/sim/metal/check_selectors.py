#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares selectors.txt with what the Metal backend sends: clang's own list of messages, so nothing hides in formatting.

    check_selectors.py CLANG++ SOURCE.mm... -- compiler options

Each message must be listed, each listed one sent, what is newer than macOS 12 must be asked for first, and the simulator must declare it.
"""
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
OLDEST = (12, 0)


def listed():
    rows = [line.split() for line in (HERE / "selectors.txt").read_text().splitlines() if line and not line.startswith("#")]
    return {name: (owner, tuple(map(int, version.split(".")))) for owner, name, version in rows}


def sent(clang, source, options):
    tree = subprocess.run([clang, "-x", "objective-c++", "-fsyntax-only", *options, "-Xclang", "-ast-dump", "-Xclang", "-ast-dump-filter=ab::device", "-fno-color-diagnostics", source],
                          capture_output=True, text=True, check=True).stdout
    messages = set(re.findall(r"ObjCMessageExpr .* selector=(\S+)", tree))
    functions = set(re.findall(r"DeclRefExpr .* Function 0x\w+ '(MTLCopy\w+|MTLCreate\w+)'", tree))
    return messages | functions


def main(words):
    clang, *sources = words[:words.index("--")]
    options = words[words.index("--") + 1:]
    known, used = listed(), set()
    for source in sources:
        used |= sent(clang, source, options)
    texts = "".join(pathlib.Path(source).read_text() for source in sources)
    headers = "".join((HERE / name).read_text() for name in ("Foundation/Foundation.h", "Metal/Metal.h"))
    findings = [f"{name} is sent, but not in selectors.txt" for name in sorted(used - set(known))]
    findings += [f"{name} is in selectors.txt, but never sent" for name in sorted(set(known) - used)]
    asked_for = set(re.findall(r"respondsToSelector:@selector\(([\w:]+)\)", texts))
    newer = {name for name, (_, version) in known.items() if version > OLDEST}
    if newer and not newer & asked_for:
        findings.append(f"{sorted(newer)} are newer than macOS {OLDEST[0]}, and none is asked for")
    findings += [f"{name} is not declared by the simulator" for name in sorted(known) if name.split(":")[0] not in headers]
    for finding in findings:
        print(f"check_selectors: {finding}")
    print(f"check_selectors: {len(used)} messages, {'ok' if not findings else f'{len(findings)} finding(s)'}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
