# SPDX-License-Identifier: MIT
"""Precision classes of the calling thread, and what is certified of its last product."""
import contextlib
import ctypes

from ._errors import InvalidArgumentError
from ._library import Product, check, library

CLASSES = ("default", "dd", "fast", "fp64", "strict", "exact")
SCHEMES = ("none", "trivial", "vendor", "ieee", "dd", "crt_int8", "crt_10bit", "crt_11bit", "exact")
ENGINES = ("none", "host", "device", "split")


def set_precision(precision):
    """Class of the calling thread's products from now on: "dd", "fast", "fp64", "strict", "exact"; "default": that of AB_PRECISION.

    Raises InvalidArgumentError for another word, and for a class that the library does not have."""
    word = precision.lower() if isinstance(precision, str) else precision
    if word not in CLASSES:
        raise InvalidArgumentError(f"set_precision: precision is {precision!r}, expected one of {', '.join(CLASSES)}")
    check(library().ab_set_precision(CLASSES.index(word)))


def get_precision():
    """The class in force for the calling thread."""
    return CLASSES[library().ab_get_precision()]


@contextlib.contextmanager
def precision(precision):
    """with precision("strict"): products of this thread are of that class, and of the earlier one afterwards."""
    before = get_precision()
    set_precision(precision)
    try:
        yield
    finally:
        set_precision(before)


def last_product():
    """How the thread's last product was computed, as a dict with the fields of ABProduct in words.

    `bound`: proven |error| <= bound 2^-53 |A||B| for each entry, before alpha, beta and the final rounding; 0: exact; negative: no proof."""
    product = Product(struct_size=ctypes.sizeof(Product))
    check(library().ab_last_product(product))
    fields = {name: getattr(product, name) for name, _ in Product._fields_ if name != "struct_size"}
    for name, words in (("precision", CLASSES), ("scheme", SCHEMES), ("engine", ENGINES)):
        fields[name] = words[fields[name]]
    for name in ("route_reason", "fallback_reason"):
        fields[name] = (fields[name] or b"").decode()
    return fields
