# SPDX-License-Identifier: MIT
"""Matrices that stay on the device, alone, from pools, and by name in sessions."""
import ctypes

import numpy as np

from ._arrays import check_out, deliver, landing, real_matrix, real_scalar, row_major
from ._errors import DimensionMismatchError, InvalidArgumentError
from ._library import MAX_ELEMENTS, Owner, check, created, integer, last_error, library, opened


def _shape(rows, cols, where):
    return integer(rows, f"{where}: rows"), integer(cols, f"{where}: cols")


def _created_matrix(handle, rows, cols):
    if not handle and (rows <= 0 or cols <= 0 or rows * cols > MAX_ELEMENTS):
        raise InvalidArgumentError(last_error())
    return created(handle)


def handle_of(value, what):
    if not isinstance(value, Matrix):
        raise TypeError(f"{what} is a {type(value).__name__}, expected a Matrix")
    return value._use()


def handles_of(values, names, where):
    return [handle_of(value, f"{where}: {name}") for value, name in zip(values, names)]


class Matrix(Owner):
    """A real matrix on the device that is the thread's current one at its creation; it has no contents until they are given."""

    _belongs_to = None

    def __init__(self, rows, cols):
        self._shape = _shape(rows, cols, "Matrix")
        loaded = opened()
        self._own(_created_matrix(loaded.ab_matrix_create(*self._shape), *self._shape), loaded.ab_matrix_destroy)

    @classmethod
    def from_array(cls, array):
        """A matrix with the shape and contents of an array."""
        data = real_matrix(array, "Matrix.from_array: array")
        matrix = cls(*data.shape)
        matrix.upload(data)
        return matrix

    @classmethod
    def _of_container(cls, handle, container):
        matrix = cls.__new__(cls)
        rows, cols = ctypes.c_int(), ctypes.c_int()
        library().ab_matrix_dims(handle, rows, cols)
        matrix._handle, matrix._shape = handle, (rows.value, cols.value)
        matrix._belongs_to = container, container._generation
        return matrix

    def _use(self):
        if self._belongs_to:
            container, generation = self._belongs_to
            container._use()
            if container._generation != generation:
                raise InvalidArgumentError("this Matrix was given back by its pool's reset")
        return super()._use()

    def close(self):
        """Gives the memory back; what belongs to a pool or session stays there."""
        if not self._belongs_to:
            super().close()

    @property
    def shape(self):
        return self._shape

    @property
    def rows(self):
        return self._shape[0]

    @property
    def cols(self):
        return self._shape[1]

    @property
    def size(self):
        """Number of elements."""
        return self.rows * self.cols

    def __repr__(self):
        return f"Matrix({self.rows}, {self.cols})"

    def upload(self, array, parallel=True):
        """Copies an array of the matrix's shape in. `parallel` is a hint."""
        data = require_shape(real_matrix(array, "Matrix.upload: array"), self.shape, "Matrix.upload: array")
        data = row_major(data)
        check(library().ab_matrix_upload(self._use(), data.ctypes.data, parallel))

    def download(self, out=None, parallel=True):
        """The contents, as a new array or in `out`."""
        check_out(out, self.shape, np.float64, "Matrix.download")
        result = landing(out, self.shape, np.float64)
        check(library().ab_matrix_download(self._use(), result.ctypes.data, parallel))
        return deliver(result, out)

    def zero(self):
        """All elements become +0."""
        check(library().ab_matrix_zero(self._use()))

    def copy_from(self, matrix):
        """The contents of another matrix of the same shape."""
        check(library().ab_matrix_copy(handle_of(matrix, "Matrix.copy_from: matrix"), self._use()))

    def scale(self, factor):
        """All elements times a number, in IEEE FP64."""
        check(library().ab_matrix_scale(real_scalar(factor, "Matrix.scale: factor"), self._use()))

    def _combined(self, other, function, shape):
        result = Matrix(*shape)
        check(function(self._use(), other._use(), result._use()))
        return result

    def __add__(self, other):
        return self._combined(other, library().ab_matrix_add, self.shape) if isinstance(other, Matrix) else NotImplemented

    def __sub__(self, other):
        return self._combined(other, library().ab_matrix_sub, self.shape) if isinstance(other, Matrix) else NotImplemented

    def __matmul__(self, other):
        if not isinstance(other, Matrix):
            return NotImplemented
        return self._combined(other, library().ab_dgemm, (self.rows, other.cols))

    __array_ufunc__ = None  # an array on the left does not take a matrix apart


def require_shape(data, shape, where):
    if data.shape != shape:
        raise DimensionMismatchError(f"{where} has shape {data.shape}, the matrix has {shape}")
    return data


class MemoryPool(Owner):
    """Matrices for reuse, at most POOL_CAPACITY; they live as long as the pool. `size_hint` is accepted and not needed."""

    _generation = 0

    def __init__(self, size_hint=16):
        hint = integer(size_hint, "MemoryPool: size_hint", 64)
        loaded = opened()
        self._own(loaded.ab_pool_create(hint), loaded.ab_pool_destroy)

    def get_matrix(self, rows, cols):
        """A matrix without contents. Raises AllocationError when the pool is full."""
        shape = _shape(rows, cols, "MemoryPool.get_matrix")
        handle = library().ab_pool_get_matrix(self._use(), *shape)
        return Matrix._of_container(_created_matrix(handle, *shape), self)

    def reset(self):
        """All matrices of the pool are free again; those that were handed out can no longer be used."""
        library().ab_pool_reset(self._use())
        self._generation += 1


def _name(name, what):
    """A name in the bytes of C, which ends it at a NUL."""
    encoded = name.encode() if isinstance(name, str) else name
    if not isinstance(encoded, bytes):
        raise TypeError(f"{what} is a {type(name).__name__}, expected a name")
    if b"\0" in encoded:
        raise InvalidArgumentError(f"{what} is {name!r}: a name has no NUL")
    return encoded


class Session(Owner):
    """Matrices by name, at most SESSION_CAPACITY; they live as long as the session. Unknown names raise InvalidArgumentError."""

    _generation = 0

    def __init__(self):
        loaded = opened()
        self._own(loaded.ab_session_create(), loaded.ab_session_destroy)

    def add(self, name, rows, cols):
        """A new matrix without contents under a new name of at most 63 bytes."""
        shape = _shape(rows, cols, "Session.add")
        check(library().ab_session_add(self._use(), _name(name, "Session.add: name"), *shape))

    def get(self, name):
        """The matrix of that name."""
        handle = library().ab_session_get(self._use(), _name(name, "Session.get: name"))
        if not handle:
            raise InvalidArgumentError(last_error())
        return Matrix._of_container(handle, self)

    def upload(self, name, array):
        """Copies an array of the matrix's shape in."""
        self.get(name).upload(array)

    def download(self, name, out=None):
        """The contents of a matrix, as a new array or in `out`."""
        return self.get(name).download(out)

    def dgemm(self, A, B, C):
        """C = A B, by names."""
        names = [_name(name, f"Session.dgemm: {what}") for name, what in zip((A, B, C), "ABC")]
        check(library().ab_session_dgemm(self._use(), *names))

    def zgemm(self, Ar, Ai, Br, Bi, Cr, Ci):
        """C = A B for complex matrices as real and imaginary parts, by names."""
        parts = zip((Ar, Ai, Br, Bi, Cr, Ci), ("Ar", "Ai", "Br", "Bi", "Cr", "Ci"))
        check(library().ab_session_zgemm(self._use(), *[_name(name, f"Session.zgemm: {what}") for name, what in parts]))
