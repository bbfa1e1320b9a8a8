# SPDX-License-Identifier: MIT
"""Raw device memory and products on it: column-major, with offsets and leading dimensions, as the BLAS has them."""
import ctypes

import numpy as np

from ._arrays import as_scalar, complex_numbers, letter, numbers, real_scalar
from ._errors import InvalidArgumentError
from ._library import Owner, check, integer, library, opened

TRANSPOSES = {"N": 0, "T": 1, "C": 2}


def _pair(value, where):
    number = as_scalar(complex_numbers(value, where), where)
    return (ctypes.c_double * 2)(number.real, number.imag)


class DeviceBuffer(Owner):
    """`nbytes` bytes on the device that is the thread's current one at its creation. Arrays lie in it column after column."""

    def __init__(self, nbytes):
        self._nbytes = integer(nbytes, "DeviceBuffer: nbytes", 64)
        loaded = opened()
        if self._nbytes == 0:
            raise InvalidArgumentError("DeviceBuffer: nbytes is 0, expected at least 1")
        self._own(loaded.ab_dev_malloc(self._nbytes), loaded.ab_dev_free)

    @classmethod
    def from_array(cls, array):
        """A buffer with the contents of an array of numbers, as float64 or complex128."""
        data = numbers(array, "DeviceBuffer.from_array: array")
        buffer = cls(data.nbytes)
        buffer.upload(data)
        return buffer

    @property
    def nbytes(self):
        return self._nbytes

    def upload(self, array, offset=0):
        """Copies an array in from byte `offset` on, as float64 or complex128."""
        data = np.require(numbers(array, "DeviceBuffer.upload: array"), requirements=["F", "A"])
        self._write(data, integer(offset, "DeviceBuffer.upload: offset", 64))

    def _write(self, data, offset=0):
        check(library().ab_dev_memcpy_h2d(self._use(), offset, data.ctypes.data, data.nbytes))

    def download(self, shape, dtype=np.float64, offset=0):
        """A new column-major array of float64 or complex128 with the contents from byte `offset` on."""
        if np.dtype(dtype) not in (np.dtype(np.float64), np.dtype(np.complex128)):
            raise TypeError(f"DeviceBuffer.download: dtype is {np.dtype(dtype)}, expected float64 or complex128")
        start = integer(offset, "DeviceBuffer.download: offset", 64)
        result = np.empty(shape, dtype, order="F")
        self._read(result, start)
        return result

    def _read(self, result, offset=0):
        check(library().ab_dev_memcpy_d2h(result.ctypes.data, self._use(), offset, result.nbytes))

    def _rest(self, nbytes, offset, what):
        start = integer(offset, f"{what}: offset", 64)
        return start, max(self._nbytes - start, 0) if nbytes is None else integer(nbytes, f"{what}: nbytes", 64)

    def copy_from(self, source, nbytes=None, offset=0, source_offset=0):
        """Bytes of another buffer, or of this one even where they overlap; default: all from `source_offset` on."""
        if not isinstance(source, DeviceBuffer):
            raise TypeError(f"DeviceBuffer.copy_from: source is a {type(source).__name__}, expected a DeviceBuffer")
        start, count = source._rest(nbytes, source_offset, "DeviceBuffer.copy_from: source")
        to = integer(offset, "DeviceBuffer.copy_from: offset", 64)
        check(library().ab_dev_memcpy_d2d(self._use(), to, source._use(), start, count))

    def fill(self, value=0, nbytes=None, offset=0):
        """Bytes of `value & 0xff`; default: all from `offset` on."""
        start, count = self._rest(nbytes, offset, "DeviceBuffer.fill")
        check(library().ab_dev_memset(self._use(), start, integer(value, "DeviceBuffer.fill: value"), count))

    def dgemm(self, A, B, m, n, k, alpha=1.0, beta=0.0, transa="N", transb="N", lda=None, ldb=None, ldc=None, a_offset=0, b_offset=0,
              c_offset=0):
        """This buffer's m x n matrix C = alpha op(A) op(B) + beta C of real buffers. Offsets in elements; leading dimensions
        default to the number of rows of each stored matrix."""
        scalars = real_scalar(alpha, "DeviceBuffer.dgemm: alpha"), real_scalar(beta, "DeviceBuffer.dgemm: beta")
        self._product("dgemm", (A, B), (m, n, k), (transa, transb), scalars, (lda, ldb, ldc), (a_offset, b_offset, c_offset))

    def zgemm(self, A, B, m, n, k, alpha=1.0, beta=0.0, transa="N", transb="N", lda=None, ldb=None, ldc=None, a_offset=0, b_offset=0,
              c_offset=0):
        """The same for complex buffers; offsets in complex elements."""
        scalars = _pair(alpha, "DeviceBuffer.zgemm: alpha"), _pair(beta, "DeviceBuffer.zgemm: beta")
        self._product("zgemm", (A, B), (m, n, k), (transa, transb), scalars, (lda, ldb, ldc), (a_offset, b_offset, c_offset))

    def _product(self, name, operands, sizes, letters, scalars, leading, offsets):
        where = f"DeviceBuffer.{name}"
        for operand, argument in zip(operands, "AB"):
            if not isinstance(operand, DeviceBuffer):
                raise TypeError(f"{where}: {argument} is a {type(operand).__name__}, expected a DeviceBuffer")
        m, n, k = (integer(size, f"{where}: {what}") for size, what in zip(sizes, "mnk"))
        a, b = (letter(word, f"{where}: trans{what}", TRANSPOSES) for word, what in zip(letters, "ab"))
        rows = (k if a else m, n if b else k, m)
        ld = [max(1, row) if given is None else integer(given, f"{where}: ld{what}") for given, row, what in zip(leading, rows, "abc")]
        at = [integer(offset, f"{where}: {what}_offset", 64) for offset, what in zip(offsets, "abc")]
        function = getattr(library(), f"ab_dev_{name}_offset")
        check(function(a, b, m, n, k, scalars[0], operands[0]._use(), at[0], ld[0], operands[1]._use(), at[1], ld[1], scalars[1],
                       self._use(), at[2], ld[2]))
