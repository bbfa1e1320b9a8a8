# SPDX-License-Identifier: MIT
"""Arrays in, arrays out: products and solves on the thread's current device, in its precision class."""
import contextlib
from dataclasses import dataclass
from typing import Callable, Optional

import numpy as np

from ._arrays import (as_matrix, as_scalar, check_out, complex_numbers, deliver, letter, numbers, real_matrix, real_numbers,
                      real_scalar)
from ._device_buffer import TRANSPOSES, DeviceBuffer
from ._errors import DimensionMismatchError, InvalidArgumentError
from ._library import check, library
from ._matrix import Matrix

_SIDES = {"L": 0, "R": 1}
_TRIANGLES = {"U": 0, "L": 1}
_DIAGONALS = {"N": 0, "U": 1}
_TRANSPOSED, _CONJUGATED = TRANSPOSES["T"], TRANSPOSES["C"]


@dataclass(frozen=True)
class _Field:
    """The numbers of a product, and how it is called."""

    name: str
    dtype: type
    convert: Callable
    run: Callable

    def matrix(self, value, argument):
        where = f"{self.name}: {argument}"
        return as_matrix(self.convert(value, where), where)

    def scalar(self, value, argument):
        where = f"{self.name}: {argument}"
        return as_scalar(self.convert(value, where), where)


def _sizes(name, a, b, trans):
    """m, n, k of op(A) op(B)."""
    (m, k), (rows, n) = (array.shape[::-1] if flag else array.shape for array, flag in zip((a, b), trans))
    if k != rows:
        raise DimensionMismatchError(f"{name}: A has shape {a.shape}{' transposed' if trans[0] else ''}, B has shape {b.shape}"
                                     f"{' transposed' if trans[1] else ''}: inner dimensions {k} and {rows} differ")
    return m, n, k


@dataclass(frozen=True)
class _Product:
    """alpha op(A) op(B) + beta C, checked; c is None where it is not read."""

    a: np.ndarray
    b: np.ndarray
    trans: list
    sizes: tuple
    alpha: complex
    beta: complex
    c: Optional[np.ndarray]


def _checked(field, operands, scalars, C, letters, out):
    a, b = (field.matrix(value, argument) for value, argument in zip(operands, "AB"))
    trans = [letter(word, f"{field.name}: {argument}", TRANSPOSES) for word, argument in zip(letters, ("transa", "transb"))]
    m, n, k = _sizes(field.name, a, b, trans)
    alpha, beta = (field.scalar(value, argument) for value, argument in zip(scalars, ("alpha", "beta")))
    if C is None and beta != 0:
        raise ValueError(f"{field.name}: beta is {beta}, and there is no C to multiply with it")
    c = None if C is None else field.matrix(C, "C")
    if c is not None and c.shape != (m, n):
        raise DimensionMismatchError(f"{field.name}: C has shape {c.shape}, the result has {(m, n)}")
    check_out(out, (m, n), field.dtype, field.name)
    return _Product(a, b, trans, (m, n, k), alpha, beta, c if beta != 0 else None)


def _multiply(field, *arguments, out):
    product = _checked(field, *arguments, out)
    if 0 in product.sizes:
        return deliver(_scaled_c(product, field.dtype), out)
    return field.run(product, out)


def _scaled_c(product, dtype):
    """What remains of a product without terms."""
    if product.c is None:
        return np.zeros(product.sizes[:2], dtype)
    return np.array(product.c if product.beta == 1 else product.beta * product.c, order="C")


def _run_real(product, out):
    """On matrices, which are row-major as arrays mostly are."""
    a, b = (array.T if trans else array for array, trans in zip((product.a, product.b), product.trans))
    m, n, _ = product.sizes
    with Matrix.from_array(a) as left, Matrix.from_array(b) as right, Matrix(m, n) as result:
        if product.c is not None:
            result.upload(product.c)
        check(library().ab_dgemm_scaled(product.alpha, left._use(), right._use(), product.beta, result._use()))
        return result.download(out)


class _Columns(DeviceBuffer):
    """A copy of a complex operand, and the letter that makes op(array) of it when it is read column after column."""

    def __init__(self, array, trans):
        by_rows = array.flags.c_contiguous and array.flags.aligned and trans != _CONJUGATED
        data = array if by_rows else np.require(array, requirements=["F", "A"])
        super().__init__(data.nbytes)
        self._write(data)
        self.letter = "NTC"[_TRANSPOSED - trans if by_rows else trans]
        self.ld = array.shape[1 if by_rows else 0]


def _run_complex(product, out):
    """On buffers, which are column-major: the result is turned on its way out."""
    m, n, k = product.sizes
    host = out if out is not None and out.flags.f_contiguous and out.flags.aligned else np.empty((m, n), np.complex128, order="F")
    with contextlib.ExitStack() as buffers:
        a, b = (buffers.enter_context(_Columns(array, trans)) for array, trans in zip((product.a, product.b), product.trans))
        result = buffers.enter_context(DeviceBuffer(host.nbytes))
        if product.c is not None:
            result.upload(product.c)
        result.zgemm(a, b, m, n, k, product.alpha, product.beta, a.letter, b.letter, a.ld, b.ld)
        result._read(host)
    return deliver(np.ascontiguousarray(host) if out is None else host, out)


_REAL = _Field("dgemm", np.float64, real_numbers, _run_real)
_COMPLEX = _Field("zgemm", np.complex128, complex_numbers, _run_complex)


def dgemm(A, B, alpha=1.0, beta=0.0, C=None, transa="N", transb="N", out=None):
    """alpha op(A) op(B) + beta C for real arrays: a new array, or `out`, which may overlap A, B and C.

    op(A) is m x k, op(B) k x n, C and the result m x n; op is the array itself ("N") or its transpose ("T", "C"). beta = 0 does not
    read C. Raises DimensionMismatchError, ValueError (beta without C, an integer beyond float64), TypeError (other numbers)."""
    return _multiply(_REAL, (A, B), (alpha, beta), C, (transa, transb), out=out)


def zgemm(A, B, alpha=1.0, beta=0.0, C=None, transa="N", transb="N", out=None):
    """The same for complex arrays; "C" is the conjugate transpose.

    zgemm(Ar, Ai, Br, Bi): real arrays as real and imaginary parts; returns (Cr, Ci). transa and transb may be given with them."""
    if np.ndim(alpha) == 0:
        return _multiply(_COMPLEX, (A, B), (alpha, beta), C, (transa, transb), out=out)
    if C is not None or out is not None:
        raise TypeError("zgemm: parts are multiplied without C and out")
    return _product_of_parts((A, B, alpha, beta), (transa, transb))


def _product_of_parts(parts, letters):
    arrays = [real_matrix(part, f"zgemm: {name}") for part, name in zip(parts, ("Ar", "Ai", "Br", "Bi"))]
    for real, imaginary, name in ((arrays[0], arrays[1], "A"), (arrays[2], arrays[3], "B")):
        if real.shape != imaginary.shape:
            raise DimensionMismatchError(f"zgemm: {name}r has shape {real.shape}, {name}i has shape {imaginary.shape}")
    trans = [letter(word, f"zgemm: {argument}", TRANSPOSES) for word, argument in zip(letters, ("transa", "transb"))]
    m, n, k = _sizes("zgemm", arrays[0], arrays[2], trans)
    if 0 in (m, n, k):
        return np.zeros((m, n)), np.zeros((m, n))
    with contextlib.ExitStack() as stack:
        operands = [stack.enter_context(Matrix.from_array(array)) for array in arrays]
        results = [stack.enter_context(Matrix(m, n)) for _ in range(2)]
        check(library().ab_zgemm_ex(*trans, *[matrix._use() for matrix in operands + results]))
        return tuple(matrix.download() for matrix in results)


def matmul(A, B, out=None):
    """A B by dtype: complex when one of them is, else real."""
    a, b = numbers(A, "matmul: A"), numbers(B, "matmul: B")
    field = _COMPLEX if np.iscomplexobj(a) or np.iscomplexobj(b) else _REAL
    return _multiply(field, (a, b), (1.0, 0.0), None, "NN", out=out)


def dsyrk(A, out=None):
    """A A^T for a real array, the full symmetric matrix."""
    a = real_matrix(A, "dsyrk: A")
    n = a.shape[0]
    check_out(out, (n, n), np.float64, "dsyrk")
    full = np.zeros((n, n))
    if a.size:
        with Matrix.from_array(a) as matrix, Matrix(n, n) as result:
            check(library().ab_dsyrk(matrix._use(), result._use()))
            result.download(full)
        np.copyto(full, full.T.copy(), where=np.tri(n, k=-1, dtype=bool))
    return deliver(full, out)


def zherk(A, out=None):
    """A A^H for a complex array, the full Hermitian matrix; its diagonal is real."""
    a = as_matrix(complex_numbers(A, "zherk: A"), "zherk: A")
    n = a.shape[0]
    check_out(out, (n, n), np.complex128, "zherk")
    full = np.zeros((n, n), np.complex128)
    if a.size:
        with Matrix.from_array(a.real) as real, Matrix.from_array(a.imag) as imaginary, Matrix(n, n) as cr, Matrix(n, n) as ci:
            check(library().ab_zherk(real._use(), imaginary._use(), cr._use(), ci._use()))
            cr.download(full.real)
            ci.download(full.imag)
    return deliver(full, out)


def dtrsm(A, B, side="L", uplo="U", trans="N", diag="N", alpha=1.0, out=None):
    """X of op(A) X = alpha B (side "L") or X op(A) = alpha B ("R"), for a triangular A of which only the triangle `uplo` is read.

    diag "U": its diagonal is taken for ones. There is no test for singularity: a zero on the diagonal gives Inf or NaN."""
    a, b = real_matrix(A, "dtrsm: A"), real_matrix(B, "dtrsm: B")
    numbers_of_letters = [letter(side, "dtrsm: side", _SIDES), letter(uplo, "dtrsm: uplo", _TRIANGLES),
                          letter(trans, "dtrsm: trans", TRANSPOSES), letter(diag, "dtrsm: diag", _DIAGONALS)]
    factor = real_scalar(alpha, "dtrsm: alpha")
    order = b.shape[1 if numbers_of_letters[0] else 0]
    if a.shape != (order, order):
        raise DimensionMismatchError(f"dtrsm: A has shape {a.shape}, B has shape {b.shape}: A should be {(order, order)} on side {side}")
    check_out(out, b.shape, np.float64, "dtrsm")
    return _solved(a, b, out, lambda matrix, result: library().ab_dtrsm(*numbers_of_letters, factor, matrix, result))


def solve(A, B, out=None):
    """X of A X = B for a real square A, by mixed-precision refinement at FP64 level; B may have one dimension.

    Raises SingularMatrixError, InvalidArgumentError (A is not square), DimensionMismatchError."""
    a, b = real_matrix(A, "solve: A"), real_numbers(B, "solve: B")
    if a.shape[0] != a.shape[1]:
        raise InvalidArgumentError(f"solve: A has shape {a.shape}, expected a square matrix")
    if b.ndim not in (1, 2) or b.shape[0] != a.shape[0]:
        raise DimensionMismatchError(f"solve: A has shape {a.shape}, B has shape {b.shape}")
    check_out(out, b.shape, np.float64, "solve")
    return _solved(a, b, out, library().ab_dgesv_mpir)


def _solved(a, b, out, solver):
    """What a solver leaves in B's place."""
    host = np.array(b, order="C")
    if b.size:
        columns = host.reshape(host.shape[0], -1)
        with Matrix.from_array(a) as matrix, Matrix.from_array(columns) as result:
            check(solver(matrix._use(), result._use()))
            result.download(columns)
    return deliver(host, out)
