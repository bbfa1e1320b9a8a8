# SPDX-License-Identifier: MIT
"""What may be an operand and what a result: conversions to float64 and complex128 that lose no bit, or an exception."""
import numpy as np

from ._errors import DimensionMismatchError, InvalidArgumentError

_ONE, _LIMIT = np.uint64(1), np.uint64(2**53)
_INTEGERS = (int, np.integer, np.bool_)
_REALS = (float, np.float32, np.float16)
_COMPLEXES = (complex, np.complex64)


def _refuse(where, what):
    raise TypeError(f"{where} holds {what}, expected numbers that float64 or complex128 can hold")


def _require_exact_integers(array, where):
    words = np.atleast_1d(array).astype(np.uint64)
    magnitude = np.where(np.atleast_1d(array) < 0, ~words + _ONE, words)
    large = magnitude[magnitude > _LIMIT]
    # Without its trailing zeros, what fits has at most 53 bits.
    if np.any(large // (large & (~large + _ONE)) > _LIMIT):
        raise ValueError(f"{where} holds an integer that float64 cannot hold")


def _exact(value, where):
    """A number of a list as float or complex."""
    if isinstance(value, _INTEGERS):
        try:
            number = float(int(value))
        except OverflowError:
            number = None
        if number is None or int(number) != int(value):
            raise ValueError(f"{where} holds the integer {value}, which float64 cannot hold")
        return number
    if isinstance(value, _REALS):
        return float(value)
    if isinstance(value, _COMPLEXES):
        return complex(value)
    return _refuse(where, f"a {type(value).__name__}")


def _array_of_list(value, where):
    natural = np.asarray(value)
    if natural.dtype.kind in "biuUSMmV" or natural.dtype.char in "gG":
        return natural
    # numpy may have rounded integers to go with other numbers: each is looked at as it was written.
    objects = np.array(value, dtype=object)
    numbers = [_exact(number, where) for number in objects.flat]
    kind = np.complex128 if any(isinstance(number, complex) for number in numbers) else np.float64
    return np.array(numbers, dtype=kind).reshape(objects.shape)


def numbers(value, where):
    """The value as an array of float64 or complex128 in this machine's byte order, copied only when it must be."""
    if isinstance(value, np.ma.MaskedArray):
        _refuse(where, "masked entries")
    array = np.asarray(value) if hasattr(value, "__array__") else _array_of_list(value, where)
    kind = array.dtype.kind
    if kind in "iu":
        _require_exact_integers(array, where)
    elif kind not in "bfc" or array.dtype.char in "gG":
        _refuse(where, f"dtype {array.dtype}")
    return array.astype(np.complex128 if kind == "c" else np.float64, copy=False)


def real_numbers(value, where):
    array = numbers(value, where)
    if array.dtype != np.float64:
        _refuse(where, "complex numbers in a real operation: zgemm, zherk and matmul take these, or real ones")
    return array


def complex_numbers(value, where):
    return numbers(value, where).astype(np.complex128, copy=False)


def as_matrix(array, where):
    """The array, if it has two dimensions."""
    if array.ndim != 2:
        raise DimensionMismatchError(f"{where} has shape {array.shape}, expected two dimensions")
    return array


def real_matrix(value, where):
    return as_matrix(real_numbers(value, where), where)


def as_scalar(array, where):
    """The number in an array without dimensions, as float or complex."""
    if array.ndim != 0:
        raise TypeError(f"{where} has shape {array.shape}, expected one number")
    return array.item()


def real_scalar(value, where):
    return as_scalar(real_numbers(value, where), where)


def row_major(array):
    """The array as the library reads it: rows one after the other, aligned."""
    return np.require(array, requirements=["C", "A"])


def letter(value, where, choices):
    """The number that stands for a letter of BLAS in either case."""
    word = value.upper() if isinstance(value, str) else value
    if not isinstance(word, str) or word not in choices:
        raise InvalidArgumentError(f"{where} is {value!r}, expected one of {', '.join(choices)}")
    return choices[word]


def check_out(out, shape, dtype, where):
    """Whether `out` may take a result of this shape and dtype; None may."""
    if out is None:
        return
    if not isinstance(out, np.ndarray):
        raise TypeError(f"{where}: out is a {type(out).__name__}, expected an array")
    if out.dtype != dtype:
        raise TypeError(f"{where}: out has dtype {out.dtype}, expected {np.dtype(dtype)}")
    if out.shape != shape:
        raise DimensionMismatchError(f"{where}: out has shape {out.shape}, the result has {shape}")
    if not out.flags.writeable:
        raise ValueError(f"{where}: out is read-only")


def landing(out, shape, dtype):
    """Where the library may write a result of this shape: in `out` itself when its layout permits it, else in a new array."""
    if out is not None and out.flags.c_contiguous and out.flags.aligned:
        return out
    return np.empty(shape, dtype)


def deliver(result, out):
    """The result, in `out` when there is one."""
    if out is None or result is out:
        return result
    out[...] = result
    return out
