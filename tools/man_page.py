#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The manual page of the command line, from its own --help: man_page.py PROGRAM > applebottom.1"""
import re
import subprocess
import sys

OPTION = re.compile(r"^  (\S.*?)(?:\s{2,}(\S.*))?$")
TAIL = r"""
.SH EXIT STATUS
.TP
.B 0
fine
.TP
.B 1
a check failed
.TP
.B 2
wrong usage
.TP
.B 3
the requested device or file is not available
.PP
.B applebottom run
ends with the program's own status; 126: not executable, 127: not found.
.SH ENVIRONMENT
The library reads AB_MODE, AB_PRECISION, AB_DEVICE and others, described in docs/integration.md.
.B AB_LIBRARY
is the libapplebottom that
.B run
puts in front of programs, when it is not the one beside this command.
.SH SEE ALSO
The documents installed in share/doc/applebottom.
"""


def help_of(program, words):
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout


def quoted(text):
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return re.sub(r"^(?=[.'])", r"\\&", text)


def sections(text):
    """(what stands before the first title, {title: lines}) of a help text."""
    head, found, lines = [], {}, None
    for line in text.splitlines():
        if re.fullmatch(r"(Options|Subcommands|Positionals):", line):
            lines = found[line[:-1]] = []
        elif lines is not None and line.startswith(" "):
            lines.append(line)
        else:
            lines = None
            head.append(line)
    return head, found


def entries(lines):
    """(words, meaning) of the indented lines below a title; a meaning may stand on the next line."""
    result = []
    for line in lines:
        match = OPTION.match(line)
        if match and not line.startswith("    "):
            result.append([match[1], match[2] or ""])
        elif result:
            result[-1][1] = f"{result[-1][1]} {line.strip()}".strip()
    return result


def listed(pairs):
    return "".join(f".TP\n.B {quoted(words)}\n{quoted(meaning)}\n" for words, meaning in pairs)


def subcommand(program, words):
    head, found = sections(help_of(program, words))
    text = f'.SS "{" ".join(words)}"\n{quoted(head[0])}\n'
    text += "".join(f".PP\n{quoted(line)}\n" for line in head[1:] if line and not line.startswith("Usage:"))
    text += listed(entries(found.get("Positionals", []))) + listed(entry for entry in entries(found["Options"]) if entry[0] != "-h,--help")
    return text + "".join(subcommand(program, [*words, name]) for name, _ in entries(found.get("Subcommands", [])))


def page(program):
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    head, found = sections(help_of(program, []))
    text = f'.TH APPLEBOTTOM 1 "" "{version}" "User Commands"\n.SH NAME\napplebottom \\- {quoted(head[0])}\n.SH SYNOPSIS\n'
    text += ".B applebottom\n.I SUBCOMMAND\n[\n.I options\n]\n.br\n.B applebottom run\n[\n.I options\n]\n\\-\\-\n.I PROGRAM\n[\n.I arguments\n]\n"
    text += ".SH OPTIONS\n" + listed(entries(found["Options"])) + ".SH SUBCOMMANDS\n"
    return text + "".join(subcommand(program, [name]) for name, _ in entries(found["Subcommands"])) + TAIL.lstrip("\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(page(sys.argv[1]), end="")
