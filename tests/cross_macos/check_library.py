#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a linked macOS library says of itself: its install name, the libraries it wants, and that nothing runs when it is loaded but the
registration of the function that writes a promised report at the end (report/recording.cpp): clang makes a destructor function so.

    check_library.py LIBRARY.dylib
"""
import pathlib
import struct
import sys

ID_DYLIB, LOAD_DYLIB, REEXPORT_DYLIB, SEGMENT_64 = 0xD, 0xC, 0x8000001F, 0x19
EXPECTED = {"Metal", "Foundation", "Accelerate", "libobjc.A.dylib", "libSystem.B.dylib"}
AT_LOAD = {"__mod_init_func": 8, "__init_offsets": 4, "__objc_nlclslist": 0}  # constructors, +load: bytes that may be there


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
    wanted, sections, name = set(), {}, ""
    for kind, command in commands(pathlib.Path(path).read_bytes()):
        if kind in (ID_DYLIB, LOAD_DYLIB, REEXPORT_DYLIB):
            text = text_at(command, struct.unpack_from("<I", command, 8)[0])
            if kind == ID_DYLIB:
                name = text
            else:
                wanted.add(text.rsplit("/", 1)[-1])
        elif kind == SEGMENT_64:
            count = struct.unpack_from("<I", command, 64)[0]
            for place in range(72, 72 + 80 * count, 80):
                sections[text_at(command[:place + 16], place)] = struct.unpack_from("<Q", command, place + 40)[0]
    findings = [f"wants {library}" for library in sorted(wanted - EXPECTED)]
    findings += [f"does not want {library}" for library in sorted(EXPECTED - wanted)]
    findings += [f"has {section}: something runs when it is loaded" for section, most in AT_LOAD.items() if sections.get(section, 0) > most]
    if not name.startswith("@rpath/"):
        findings.append(f"its install name is {name}")
    for finding in findings:
        print(f"check_library: {finding}")
    print(f"check_library: {name}: {', '.join(sorted(wanted))}: {'ok' if not findings else f'{len(findings)} finding(s)'}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
