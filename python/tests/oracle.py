# SPDX-License-Identifier: MIT
"""Right answers from rational arithmetic, and operands whose answers can be told."""
from fractions import Fraction

import numpy as np

UNIT = Fraction(1, 2**53)


def integers(rows, cols, seed, low=-1000, high=1000):
    """Small integers as float64: their products are exact in every class but dd, and there too while sums stay small."""
    return np.random.default_rng(seed).integers(low, high, (rows, cols)).astype(np.float64)


def gaussians(rows, cols, seed):
    return integers(rows, cols, seed) + 1j * integers(rows, cols, seed + 1000)


def exact_product(a, b):
    """A B of arrays of integers, without rounding."""
    return (a.astype(object) @ b.astype(object)).astype(a.dtype)


def spread(rows, cols, seed):
    """Doubles of both signs over a few binary orders."""
    random = np.random.default_rng(seed)
    return random.standard_normal((rows, cols)) * np.exp2(random.integers(-3, 4, (rows, cols)))


def worst_error(c, a, b, rounding=0):
    """The largest (|C - A B| - rounding |C|) / |A||B| over all entries, as a Fraction."""
    worst = Fraction(0)
    for i in range(a.shape[0]):
        row = [Fraction(x) for x in a[i].tolist()]
        for j in range(b.shape[1]):
            column = [Fraction(x) for x in b[:, j].tolist()]
            terms = [x * y for x, y in zip(row, column)]
            error = abs(Fraction(c[i, j].item()) - sum(terms)) - rounding * abs(Fraction(c[i, j].item()))
            worst = max(worst, error / sum(abs(term) for term in terms))
    return worst


def same_bits(x, y):
    """Whether two arrays have the same shape, dtype and bits, payloads of NaNs and signs of zeros included."""
    return x.shape == y.shape and x.dtype == y.dtype and np.ascontiguousarray(x).tobytes() == np.ascontiguousarray(y).tobytes()
