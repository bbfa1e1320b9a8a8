# SPDX-License-Identifier: MIT
"""What the package believes of the C library, against the headers."""
import ctypes
import pathlib
import re

import pytest

import apple_bottom as ab
from apple_bottom import _errors, _library, _precision

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include"
TEXT = "".join((INCLUDE / name).read_text() for name in ("apple_bottom.h", "apple_bottom_device.h"))
PLAIN = re.sub(r"/\*.*?\*/", "", TEXT, flags=re.S)
SIMPLE = {"int": ctypes.c_int, "char": ctypes.c_char, "bool": ctypes.c_bool, "double": ctypes.c_double, "size_t": ctypes.c_size_t, "uint64_t": ctypes.c_uint64,
          "void": None, "ABStats": _library.Stats, "char*": ctypes.c_char_p, "ABProduct*": ctypes.POINTER(_library.Product),
          "ABDeviceTraits*": ctypes.POINTER(_library.DeviceTraits), "int*": ctypes.POINTER(ctypes.c_int)}
ENUMS = {"ABStatus", "ABTranspose", "ABSide", "ABUplo", "ABDiag", "ABPrecision"}
HANDLES = {"ABMatrix", "ABSession", "ABFuture", "ABMemoryPool", "ABBatch", "ab_dev_buffer_t", "double*", "void*"}


def ctype_of(declaration):
    """The ctypes of a C declaration of an argument, result or member."""
    declaration = declaration.replace("const ", "").strip()
    array = re.search(r"\[(\d+)\]$", declaration)
    if array and "double" in declaration:
        return ctypes.POINTER(ctypes.c_double)
    word = re.match(r"\w+\s*\**", declaration)[0].replace(" ", "")
    kind = ctypes.c_int if word in ENUMS | {"ABScheme", "ABEngine"} else ctypes.c_void_p if word in HANDLES else SIMPLE[word]
    return kind * int(array[1]) if array else kind


@pytest.mark.parametrize("name", sorted(_library.SIGNATURES))
def test_signatures(name):
    result, arguments = re.search(rf"AB_API\s+([\w ]+\*?)\s*\b{name}\(([^)]*)\)", PLAIN).groups()
    wanted = [] if arguments == "void" else [ctype_of(argument) for argument in arguments.split(",")]
    declared, declared_arguments = _library.SIGNATURES[name]
    assert declared == ctype_of(result)
    assert declared_arguments == wanted


@pytest.mark.parametrize("name, structure", [("ABStats", _library.Stats), ("ABDeviceTraits", _library.DeviceTraits), ("ABProduct", _library.Product)])
def test_structures(name, structure):
    body = re.search(rf"typedef struct \{{([^}}]*)\}} {name};", PLAIN)[1]
    members = []
    for declaration in body.replace("const ", "").split(";")[:-1]:
        kind, names = re.match(r"\s*(\w+\s*\*?)\s*(.*)", declaration.strip()).groups()
        for member in names.split(","):
            members.append((re.match(r"\w+", member.strip())[0], ctype_of(kind.strip() + " " + member.strip())))
    assert structure._fields_ == members


def numbers_of(prefix):
    return {name.lower(): int(number) for name, number in re.findall(rf"\b{prefix}_(\w+) = (-?\d+)", PLAIN)}


def test_words():
    assert {word: number for number, word in enumerate(_precision.CLASSES)} == numbers_of("AB_PRECISION")
    assert {word: number for number, word in enumerate(_precision.SCHEMES)} == numbers_of("AB_SCHEME")
    assert {word: number for number, word in enumerate(_precision.ENGINES)} == numbers_of("AB_ENGINE")
    assert set(_errors.OF_STATUS) == set(numbers_of("AB_ERROR").values())


def test_constants():
    for name in ("POOL_CAPACITY", "SESSION_CAPACITY"):
        assert getattr(ab, name) == int(re.search(rf"#define AB_{name} (\d+)", PLAIN)[1])
    assert ab.MAX_ELEMENTS == 2**31 - 1
    version = re.search(r'APPLE_BOTTOM_VERSION_STRING "(.*)"', PLAIN)[1]
    assert ab.version() == version and ab.__version__ == version.replace("-dev", ".dev0")


def test_all_names_are_there():
    assert sorted(ab.__all__) == sorted(set(ab.__all__))
    assert all(hasattr(ab, name) for name in ab.__all__)
