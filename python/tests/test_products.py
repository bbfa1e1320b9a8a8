# SPDX-License-Identifier: MIT
"""Products and solves of arrays against integers and fractions."""
from fractions import Fraction

import numpy as np
import pytest
from oracle import UNIT, exact_product, gaussians, integers, same_bits, spread, worst_error

import apple_bottom as ab

SHAPES = [(1, 1, 1), (1, 5, 3), (7, 1, 2), (3, 4, 1), (8, 9, 70), (33, 17, 65)]
LETTERS = [(ta, tb) for ta in "NTC" for tb in "NTC"]


def op(array, letter):
    return {"N": array, "T": array.T, "C": array.conj().T}[letter]


@pytest.mark.parametrize("m, n, k", SHAPES)
def test_integers_are_exact(m, n, k):
    for make, multiply in ((integers, ab.dgemm), (gaussians, ab.zgemm)):
        a, b, c = make(m, k, 1), make(k, n, 2), make(m, n, 3)
        exact = exact_product(a, b)
        result = multiply(a, b)
        assert np.array_equal(result, exact)
        assert result.flags.c_contiguous and result.flags.owndata and result.dtype == a.dtype
        assert np.array_equal(multiply(a, b, 3.0), 3 * exact)
        assert np.array_equal(multiply(a, b, -2.0, 5.0, c), 5 * c - 2 * exact)
        assert np.array_equal(ab.matmul(a, b), exact)


@pytest.mark.parametrize("ta, tb", LETTERS)
def test_letters(ta, tb):
    for make, multiply in ((integers, ab.dgemm), (gaussians, ab.zgemm)):
        a, b = make(6, 5, 4), make(5, 7, 5)
        stored = np.ascontiguousarray(op(a, ta)), np.ascontiguousarray(op(b, tb))
        assert np.array_equal(multiply(*stored, transa=ta, transb=tb.lower()), exact_product(a, b))


@pytest.mark.parametrize("order_a", "CF")
@pytest.mark.parametrize("order_b", "CF")
def test_storage_order_changes_no_bit(order_a, order_b):
    a, b = spread(9, 40, 6), spread(40, 11, 7)
    za, zb = a + 1j * spread(9, 40, 8), b - 1j * spread(40, 11, 9)
    for word in ("dd", "fast", "fp64", "strict"):
        with ab.precision(word):
            assert same_bits(ab.dgemm(np.asarray(a, order=order_a), np.asarray(b, order=order_b)), ab.dgemm(a, b))
            assert same_bits(ab.zgemm(np.asarray(za, order=order_a), np.asarray(zb, order=order_b)), ab.zgemm(za, zb))


def test_bits_are_those_of_matrices_on_the_device():
    a, b = spread(9, 40, 10), spread(40, 11, 11)
    for word in ("dd", "fast", "fp64", "strict"):
        with ab.precision(word):
            resident = ab.Matrix.from_array(a) @ ab.Matrix.from_array(b)
            assert same_bits(resident.download(), ab.dgemm(a, b))
            assert same_bits(ab.matmul(a, b), ab.dgemm(a, b))


@pytest.mark.parametrize("word, units, rounding", [
    ("dd", (3 * 37 + 13) * 2**5, 0), ("fast", (3 * 37 + 13) * 2**5, 0), ("fp64", 37, 0), ("strict", 5, UNIT),
])
def test_errors_are_within_the_bound_of_the_class(word, units, rounding):
    a, b = spread(6, 37, 12), spread(37, 5, 13)
    with ab.precision(word):
        c = ab.dgemm(a, b)
        bound = ab.last_product()["bound"]
    error = worst_error(c, a, b, rounding)
    assert error <= units * UNIT
    assert bound >= 0 and error <= Fraction(bound) * UNIT + UNIT
    assert worst_error(np.nextafter(c, np.inf) * (1 + 2.0**-20), a, b, rounding) > units * UNIT  # the judge can say no


def test_complex_scalars():
    a, b, c = gaussians(3, 4, 14), gaussians(4, 2, 15), gaussians(3, 2, 16)
    assert np.array_equal(ab.zgemm(a, b, 2 - 1j, 3j, c), (2 - 1j) * exact_product(a, b) + 3j * c)


def test_real_operands_of_zgemm():
    a, b = integers(3, 4, 17), gaussians(4, 2, 18)
    result = ab.zgemm(a, b)
    assert result.dtype == np.complex128 and np.array_equal(result, exact_product(a.astype(complex), b))
    assert ab.zgemm(a, a.T).dtype == np.complex128
    assert ab.matmul(a, b).dtype == np.complex128 and ab.matmul(a, a.T).dtype == np.float64


def test_zgemm_of_parts():
    a, b = gaussians(5, 8, 19), gaussians(8, 3, 20)
    cr, ci = ab.zgemm(a.real, a.imag, b.real, b.imag)
    exact = exact_product(a, b)
    assert np.array_equal(cr, exact.real) and np.array_equal(ci, exact.imag)
    for ta, tb in LETTERS:
        stored = op(a, ta), op(b, tb)
        cr, ci = ab.zgemm(stored[0].real, stored[0].imag, stored[1].real, stored[1].imag, transa=ta, transb=tb)
        assert np.array_equal(cr + 1j * ci, exact)


def test_zgemm_of_parts_that_do_not_fit():
    ones = np.ones
    with pytest.raises(ab.DimensionMismatchError, match=r"\(2, 3\).*\(3, 2\)"):
        ab.zgemm(ones((2, 3)), ones((3, 2)), ones((3, 2)), ones((3, 2)))
    with pytest.raises(ab.DimensionMismatchError, match=r"\(3, 2\).*\(2, 3\)"):
        ab.zgemm(ones((2, 3)), ones((2, 3)), ones((3, 2)), ones((2, 3)))
    with pytest.raises(ab.DimensionMismatchError, match=r"\(2, 3\).*\(4, 2\)"):
        ab.zgemm(ones((2, 3)), ones((2, 3)), ones((4, 2)), ones((4, 2)))
    with pytest.raises(TypeError):
        ab.zgemm(ones((2, 3)) * 1j, ones((2, 3)), ones((3, 2)), ones((3, 2)))
    with pytest.raises(TypeError, match="C and out"):
        ab.zgemm(ones((2, 2)), ones((2, 2)), ones((2, 2)), ones((2, 2)), C=ones((2, 2)))


@pytest.mark.parametrize("call", [ab.dgemm, ab.zgemm, ab.matmul])
def test_shapes_that_do_not_fit_are_both_named(call):
    with pytest.raises(ab.DimensionMismatchError, match=r"\(3, 4\).*\(5, 2\)") as caught:
        call(np.ones((3, 4)), np.ones((5, 2)))
    assert caught.value.status == -3
    for wrong in (np.ones(3), np.ones((1, 3, 3)), 1.0):
        with pytest.raises(ab.DimensionMismatchError, match="two dimensions"):
            call(wrong, np.ones((3, 3)))


@pytest.mark.parametrize("call", [ab.dgemm, ab.zgemm])
def test_arguments_of_products(call):
    square = np.ones((2, 2))
    with pytest.raises(ab.DimensionMismatchError, match=r"\(3, 4\) transposed.*\(4, 2\)"):
        call(np.ones((3, 4)), np.ones((4, 2)), transa="T")
    with pytest.raises(ab.DimensionMismatchError, match=r"C has shape \(2, 3\).*\(2, 2\)"):
        call(square, square, 1.0, 1.0, np.ones((2, 3)))
    with pytest.raises(ValueError, match="beta is .*no C"):
        call(square, square, beta=1.0)
    with pytest.raises(ValueError, match="beta"):
        call(square, square, beta=float("nan"))
    for wrong in ("R", "", "NN", 1, None):
        with pytest.raises(ab.InvalidArgumentError, match="transb"):
            call(square, square, transb=wrong)


def test_beta_zero_does_not_read_c():
    for call in (ab.dgemm, ab.zgemm):
        assert np.array_equal(call(np.eye(2), np.eye(2), 1.0, 0.0, np.full((2, 2), np.nan)), np.eye(2))
        assert np.array_equal(call(np.full((2, 2), np.nan), np.eye(2), 0.0, 2.0, np.eye(2)), 2 * np.eye(2))


def test_special_values():
    a = np.array([[np.nan, 1.0], [np.inf, 0.0], [1e300, 1.0]])
    b = np.array([[1.0, 0.0], [1e-300, 1.0]])
    c = ab.dgemm(a, b)
    assert np.isnan(c[0]).all() and c[1, 0] == np.inf and np.isnan(c[1, 1]) and c[2, 0] == 1e300
    assert ab.dgemm([[1e-200]], [[1e-110]])[0, 0] == 1e-310


@pytest.mark.parametrize("m, n, k", [(0, 3, 2), (3, 0, 2), (3, 2, 0), (0, 0, 0)])
def test_empty_operands(m, n, k):
    for call, dtype in ((ab.dgemm, float), (ab.zgemm, complex), (ab.matmul, float)):
        result = call(np.ones((m, k), dtype), np.ones((k, n), dtype))
        assert same_bits(result, np.zeros((m, n), dtype))
    c = integers(m, n, 21)
    assert np.array_equal(ab.dgemm(np.ones((m, k)), np.ones((k, n)), 1.0, 2.0, c, out=c), c)
    cr, ci = ab.zgemm(np.ones((m, k)), np.ones((m, k)), np.ones((k, n)), np.ones((k, n)))
    assert cr.shape == ci.shape == (m, n) and not cr.any()
    assert same_bits(ab.dsyrk(np.ones((m, k))), np.zeros((m, m))) or m * k
    assert ab.zherk(np.ones((m, 0))).shape == (m, m)
    assert ab.dtrsm(np.eye(m), np.ones((m, 0))).shape == (m, 0)
    assert ab.solve(np.eye(m), np.ones((m, 0))).shape == (m, 0)


def test_beta_scales_c_when_k_is_zero():
    c = integers(3, 2, 22)
    assert np.array_equal(ab.dgemm(np.ones((3, 0)), np.ones((0, 2)), 1.0, 2.0, c), 2 * c)


def test_rank_k_results_are_full():
    a, z = integers(9, 13, 23), gaussians(9, 13, 24)
    assert np.array_equal(ab.dsyrk(a), exact_product(a, a.T))
    hermitian = ab.zherk(z)
    assert np.array_equal(hermitian, exact_product(z, z.conj().T)) and not hermitian.diagonal().imag.any()
    assert np.array_equal(ab.zherk(a), exact_product(a, a.T))
    real = spread(9, 40, 25)
    symmetric = ab.dsyrk(real)
    assert same_bits(symmetric, symmetric.T.copy())
    assert same_bits(np.triu(symmetric), np.triu(ab.dgemm(real, real, transb="T")))


@pytest.mark.parametrize("side", "LR")
@pytest.mark.parametrize("uplo", "UL")
@pytest.mark.parametrize("trans", "NTC")
@pytest.mark.parametrize("diag", "NU")
def test_triangular_solves(side, uplo, trans, diag):
    order, other = 6, 4
    x = integers(*((order, other) if side == "L" else (other, order)), 26)
    a = integers(order, order, 27, 1, 9)
    np.fill_diagonal(a, [1, 2, 4, 8, -1, -2])
    read = np.triu(a) if uplo == "U" else np.tril(a)
    if diag == "U":
        np.fill_diagonal(read, 1)
    t = read if trans == "N" else read.T
    b = exact_product(t, x) if side == "L" else exact_product(x, t)
    a[np.tril(np.ones_like(a), -1) > 0 if uplo == "U" else np.triu(np.ones_like(a), 1) > 0] = np.nan  # what must not be read
    if diag == "U":
        np.fill_diagonal(a, np.nan)
    before = a.copy()
    assert np.array_equal(ab.dtrsm(a, b, side, uplo, trans, diag), x)
    assert np.array_equal(ab.dtrsm(a, b, side.lower(), uplo.lower(), trans.lower(), diag.lower(), alpha=-2), -2 * x)
    assert same_bits(a, before)


def test_arguments_of_triangular_solves():
    with pytest.raises(ab.DimensionMismatchError, match=r"\(3, 3\).*\(4, 3\)"):
        ab.dtrsm(np.eye(3), np.ones((4, 3)))
    assert ab.dtrsm(np.eye(3), np.ones((4, 3)), side="R").shape == (4, 3)
    with pytest.raises(ab.DimensionMismatchError, match=r"\(3, 4\)"):
        ab.dtrsm(np.ones((3, 4)), np.ones((3, 3)))
    for argument in ("side", "uplo", "trans", "diag"):
        with pytest.raises(ab.InvalidArgumentError, match=argument):
            ab.dtrsm(np.eye(2), np.eye(2), **{argument: "X"})


def test_solve():
    random = np.random.default_rng(28)
    a = random.integers(-9, 9, (12, 12)) + 40.0 * np.eye(12)
    x = random.integers(-99, 99, (12, 3)).astype(float)
    before = a.copy()
    found = ab.solve(a, a @ x)
    assert found.shape == (12, 3) and np.allclose(found, x, rtol=0, atol=1e-11)
    assert ab.solve(a, (a @ x)[:, 0]).shape == (12,)
    assert same_bits(ab.solve(a, (a @ x)[:, 0]), ab.solve(a, (a @ x)[:, :1])[:, 0])
    assert same_bits(a, before)


def test_what_cannot_be_solved():
    with pytest.raises(ab.SingularMatrixError) as caught:
        ab.solve([[1.0, 2.0], [2.0, 4.0]], [1.0, 1.0])
    assert caught.value.status == -8 and "ab_dgesv_mpir" in str(caught.value)
    with pytest.raises(ab.InvalidArgumentError, match=r"\(2, 3\)"):
        ab.solve(np.ones((2, 3)), np.ones(2))
    with pytest.raises(ab.DimensionMismatchError, match=r"\(2, 2\).*\(3,\)"):
        ab.solve(np.eye(2), np.ones(3))


def test_complex_bits_are_those_of_parts():
    a, b = spread(9, 40, 29) + 1j * spread(9, 40, 30), spread(40, 11, 31) + 1j * spread(40, 11, 32)
    for word in ("dd", "fast", "fp64", "strict"):
        with ab.precision(word):
            cr, ci = ab.zgemm(a.real, a.imag, b.real, b.imag)
            c = ab.zgemm(a, b)
            assert same_bits(c.real.copy(), cr) and same_bits(c.imag.copy(), ci)
            assert same_bits(ab.matmul(a, b), c)
