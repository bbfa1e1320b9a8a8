#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a linked macOS library says of itself: its install name, the libraries it wants, and that nothing runs when it is loaded.

    check_library.py LIBRARY.dylib
"""
import pathlib
import struct
import sys

ID_DYLIB, LOAD_DYLIB, REEXPORT_DYLIB, SEGMENT_64 = 0xD, 0xC, 0x8000001F, 0x19
EXPECTED = {"Metal", "Foundation", "Accelerate", "libobjc.A.dylib", "libSystem.B.dylib"}
AT_LOAD = ("__mod_init_func", "__init_offsets", "__objc_nlclslist")  # constructors; +load


def commands(data):
    magic, _, _, _, count = struct.unpack_from("<5I", data)
    if magic != 0xFEEDFACF:
        sys.exit("check_library: not a 64-bit Mach-O file")
    place = 32
    for _ in range(count):
        kind, size = struct.unpack_from("<2I", data, place)
        yield kind, data[place:place + size]
        place += size


def text_at(command, offset):
    return command[offset:].split(b"\0")[0].decode()


def main(path):
    wanted, sections, name = set(), set(), ""
    for kind, command in commands(pathlib.Path(path).read_bytes()):
        if kind in (ID_DYLIB, LOAD_DYLIB, REEXPORT_DYLIB):
            text = text_at(command, struct.unpack_from("<I", command, 8)[0])
            if kind == ID_DYLIB:
                name = text
            else:
                wanted.add(text.rsplit("/", 1)[-1])
        elif kind == SEGMENT_64:
            count = struct.unpack_from("<I", command, 64)[0]
            sections |= {text_at(command, 72 + 80 * i) [:16] for i in range(count)}
    findings = [f"wants {library}" for library in sorted(wanted - EXPECTED)]
    findings += [f"does not want {library}" for library in sorted(EXPECTED - wanted)]
    findings += [f"has {section}: something runs when it is loaded" for section in AT_LOAD if section in sections]
    if not name.startswith("@rpath/"):
        findings.append(f"its install name is {name}")
    for finding in findings:
        print(f"check_library: {finding}")
    print(f"check_library: {name}: {', '.join(sorted(wanted))}: {'ok' if not findings else f'{len(findings)} finding(s)'}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
