#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rules of CONTRIBUTING.md that a script can see: lengths, headers, words that break bits, paths of somebody's machine."""
import re

import checking

NAME = "check_style"
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50
CODE = re.compile(r"\.(cpp|hpp|h|c|k|mm|cu|py|sh)$|^\.ci/run$")
CXX = re.compile(r"\.(cpp|hpp|h|c|k|mm|cu)$")
BUILD = re.compile(r"(^|/)(CMakeLists\.txt|CMakePresets\.json|Makefile|.*\.cmake)$")
TEXT = re.compile(r"\.(md|txt|json|cff|yml|yaml|toml)$")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
# Words that break bits or portability, where they may stand all the same, and why not elsewhere.
FORBIDDEN = [
    (re.compile(r"\blong\s+double\b"), "80 bits on x86, 64 on Apple: use integers or double"),
    (re.compile(r"\buniform_real_distribution\b"), "differs between standard libraries: use the tests' own generator"),
    (re.compile(r"-ffast-math|-Ofast\b|-funsafe-math-optimizations|-use_fast_math|--use_fast_math|-cl-fast-relaxed-math"),
     "fast math breaks error-free transformations"),
]
# Broken variants are built on purpose and must be caught; this script and the documents have to name what is forbidden.
MAY_NAME_FORBIDDEN = re.compile(r"^(tools/check_style\.py|tests/.*broken.*|.*\.md)$")
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:root|home/\w+|Users/\w+|work|farm)/")
MANAGER_NAME = re.compile(r"\b(?:class|struct)\s+\w*(?:Manager|Helper|Util|Utils)\b")
# Longer files, with the reason.
LONG_FILES = {
}


def functions(text):
    """(first line, lines, name) of function bodies in clang-format's layout: '{' ends a line, the matching '}' stands alone."""
    opened = {}
    for number, line in enumerate(text.split("\n"), 1):
        indent = len(line) - len(line.lstrip(" "))
        stripped = line.strip()
        if indent in opened and re.match(r"\}[;,)]*( //.*)?$", stripped):
            start, name = opened.pop(indent)
            if name:
                yield start, number - start + 1, name
        elif indent in (0, 2) and stripped.endswith("{") and indent not in opened:
            signature = re.search(r"([\w:~]+)\s*\([^;]*$", line)
            plain = re.match(r"(namespace|struct|class|enum|union|extern|#|if|for|while|switch|do|try|else|\})\b", stripped)
            opened[indent] = (number, signature[1] if signature and not plain else None)


def check_code(name, text):
    lines = text.count("\n") + (not text.endswith("\n") and bool(text))
    if lines > MAX_FILE_LINES and name not in LONG_FILES:
        yield f"{name}: {lines} lines, at most {MAX_FILE_LINES}"
    if text and not any("SPDX-License-Identifier: MIT" in line for line in text.split("\n")[:3]):
        yield f"{name}: no SPDX line at the top"
    if CXX.search(name):
        for start, length, function in functions(text):
            if length > MAX_FUNCTION_LINES:
                yield f"{name}:{start}: {function} has {length} lines, at most {MAX_FUNCTION_LINES}"
        for found in MANAGER_NAME.findall(COMMENT.sub("", text)):
            yield f"{name}: '{found}' does not say what it is"


def check(tree):
    findings = []
    for name in tree.files():
        code, build = CODE.search(name), BUILD.search(name)
        if not (code or build or TEXT.search(name)):
            continue
        text = tree.text(name)
        if code:
            findings += check_code(name, text)
        if not MAY_NAME_FORBIDDEN.match(name):
            uncommented = COMMENT.sub("", text) if CXX.search(name) else text
            for words, why in FORBIDDEN:
                for match in words.finditer(uncommented):
                    findings.append(f"{name}: '{match[0]}': {why}")
        for match in MACHINE_PATH.finditer(text):
            if name != "tools/check_style.py":
                findings.append(f"{name}:{text.count(chr(10), 0, match.start()) + 1}: a path of somebody's machine: {match[0]}")
    return findings


SPDX = "// SPDX-License-Identifier: MIT\n"
RIGHT = {"src/core/types.cpp": SPDX + "int f() {\n  return 1;\n}\n", "README.md": "never -ffast-math\n",
         "src/core/long_comment.hpp": SPDX + "// never long double\n"}
WRONG = [
    ("a long file", {"src/a.cpp": SPDX + "int x;\n" * 400}, "401 lines"),
    ("a long function", {"src/a.cpp": SPDX + "void g() {\n" + "  h();\n" * 60 + "}\n"}, "g has 62 lines"),
    ("a long member function", {"src/a.hpp": SPDX + "struct S {\n  void g() {\n" + "    h();\n" * 60 + "  }\n};\n"}, "g has 62 lines"),
    ("no SPDX line", {"tools/a.py": "print()\n"}, "no SPDX"),
    ("long double", {"src/a.cpp": SPDX + "long  double x;\n"}, "long  double"),
    ("a distribution", {"tests/a.cpp": SPDX + "std::uniform_real_distribution<double> d;\n"}, "uniform_real_distribution"),
    ("fast math in a build file", {"CMakeLists.txt": "add_compile_options(-ffast-math)\n"}, "-ffast-math"),
    ("a machine's path", {"docs/a.txt": "see " + "/ho" + "me/someone/x\n"}, "path of somebody"),
    ("a manager", {"src/a.hpp": SPDX + "class BufferManager {};\n"}, "does not say"),
]

if __name__ == "__main__":
    checking.main(NAME, check, RIGHT, WRONG)
