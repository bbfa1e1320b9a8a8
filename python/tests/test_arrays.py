# SPDX-License-Identifier: MIT
"""Layouts and dtypes that go in, and `out`."""
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from oracle import exact_product, gaussians, integers, same_bits

import apple_bottom as ab

SPECIAL = np.array([[0.0, -0.0, 5e-324, -2.2250738585072009e-308], [np.inf, -np.inf, 1.7976931348623157e308, 39.14223403241],
                    [np.nan, 0.1, -1e-310, 1.0]])
SPECIAL.view(np.uint64)[2, 0] = 0xFFF0000000BAD001  # a signalling NaN with a payload


def layouts(array):
    """(name, array equal to the one given) for every layout that numpy has."""
    rows, cols = array.shape
    wide = np.empty((2 * rows, 3 * cols), array.dtype)
    wide[::2, ::3] = array
    packed = np.empty((rows, cols), [("tag", "u1"), ("value", array.dtype)])
    packed["value"] = array
    unaligned = np.frombuffer(b"x" + array.tobytes(), np.uint8)[1:].view(array.dtype).reshape(rows, cols)
    read_only = array.copy()
    read_only.setflags(write=False)
    return [("C", array.copy()), ("Fortran", np.asfortranarray(array)), ("transposed", np.ascontiguousarray(array.T).T),
            ("strided", wide[::2, ::3]), ("reversed", np.ascontiguousarray(array[::-1, ::-1])[::-1, ::-1]), ("packed", packed["value"]),
            ("unaligned", unaligned), ("read-only", read_only), ("big-endian", array.astype(array.dtype.newbyteorder(">"))),
            ("big-endian Fortran", np.asfortranarray(array.astype(array.dtype.newbyteorder(">")))), ("block", np.pad(array, 2)[2:-2, 2:-2]),
            ("subclass", array.view(type("Subclass", (np.ndarray,), {})))]


@pytest.mark.parametrize("name, array", layouts(SPECIAL), ids=[name for name, _ in layouts(SPECIAL)])
def test_round_trip_keeps_every_bit(name, array):
    assert same_bits(ab.Matrix.from_array(array).download(), SPECIAL)
    assert same_bits(ab.DeviceBuffer.from_array(array).download(SPECIAL.shape), SPECIAL)


@pytest.mark.parametrize("index", range(len(layouts(SPECIAL))), ids=[name for name, _ in layouts(SPECIAL)])
@pytest.mark.parametrize("letter", "NTC")
def test_layouts_multiply_alike(index, letter):
    for make, multiply in ((integers, ab.dgemm), (gaussians, ab.zgemm)):
        a, b = make(5, 4, 1), make(4, 6, 2)
        stored_a = {"N": a, "T": a.T, "C": a.conj().T}[letter]
        stored_b = {"N": b, "T": b.T, "C": b.conj().T}[letter]
        operands = [layouts(np.ascontiguousarray(stored))[index][1] for stored in (stored_a, stored_b)]
        assert np.array_equal(multiply(*operands, transa=letter, transb=letter), exact_product(a, b))


@pytest.mark.parametrize("name", ["bool", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", ">u8", "f2", "f4", ">f4", ">f8"])
def test_narrower_numbers_are_converted_exactly(name):
    array = np.array([[1, 0, 1], [1, 1, 0]]).astype(name)
    wanted = np.array([[1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    assert same_bits(ab.Matrix.from_array(array).download(), wanted)
    assert same_bits(ab.matmul(array, wanted.T), wanted @ wanted.T)


def test_float32_keeps_its_value():
    array = np.array([[0.1, 16777217.0, 1e-45, 3.4e38]], np.float32)
    assert [Fraction(x) for x in ab.Matrix.from_array(array).download()[0].tolist()] == [Fraction(float(x)) for x in array[0]]


@pytest.mark.parametrize("numbers", [
    [2**53, -(2**53), 2**53 + 2, 2**62 + 2**10, -(2**63), 2**63 - 2**10],
    [2**53 - 1, 1 - 2**53, 0, 1, -1, 3 * 2**60],
])
def test_large_integers_that_fit(numbers):
    for value in (np.array([numbers]), [numbers], (tuple(numbers),)):
        assert [int(x) for x in ab.Matrix.from_array(value).download()[0]] == numbers


def test_unsigned_and_huge_integers_that_fit():
    numbers = [2**64 - 2**11, 2**63, 2**53 + 2]
    assert [int(x) for x in ab.Matrix.from_array(np.array([numbers], np.uint64)).download()[0]] == numbers
    huge = [[2**100, -(2**1023), 3]]
    assert [int(x) for x in ab.Matrix.from_array(huge).download()[0]] == huge[0]


@pytest.mark.parametrize("value", [
    np.array([[2**53 + 1]]), np.array([[1, -(2**53) - 1]]), np.array([[2**63 - 1]]), np.array([[2**64 - 1]], np.uint64),
    np.array([[2**53 + 1]], ">i8"), [[2**53 + 1]], [[0.5, 2**53 + 1]], [[0.5, -(2**63) + 1]], [[2**64 + 1, 1]], [[2**2000, 1]],
    [[np.uint64(2**64 - 1), np.int64(-1)]],
], ids=str)
def test_integers_that_do_not_fit(value):
    with pytest.raises(ValueError, match="float64 cannot hold"):
        ab.dgemm(value, [[1.0], [1.0]][:np.shape(value)[1]])


@pytest.mark.parametrize("value", [
    np.ones((2, 2), np.longdouble), [[np.longdouble(1), 2.0]], np.ones((2, 2), object), [[Fraction(1, 2)]], [[Decimal("0.1")]], [[None]],
    [["1.0"]], np.array([["1.0"]]), np.array([[b"1.0"]]), "1.0", np.array([["2026-12-01"]], "M8[D]"), np.zeros((1, 1), [("x", "f8")]),
    np.ma.masked_array([[1.0]], [[True]]), {}, None,
], ids=lambda value: f"{type(value).__name__} {getattr(value, 'dtype', '')}")
def test_what_is_no_number(value):
    for call in (lambda: ab.dgemm(value, [[1.0]]), lambda: ab.zgemm([[1.0]], value), lambda: ab.Matrix.from_array(value),
                 lambda: ab.dgemm([[1.0]], [[1.0]], beta=1.0, C="" if value is None else value)):
        with pytest.raises(TypeError, match="expected numbers"):
            call()


def test_long_complex_is_refused():
    for value in (np.ones((1, 1), np.clongdouble), [[np.clongdouble(1)]]):
        with pytest.raises(TypeError, match="expected numbers"):
            ab.zgemm(value, value)


def test_complex_numbers_in_real_operations():
    for call in (ab.dgemm, ab.dtrsm, ab.solve):
        with pytest.raises(TypeError, match="complex"):
            call(np.ones((1, 1), complex), np.ones((1, 1)))


def test_mixed_lists():
    assert same_bits(ab.matmul([[1, 0.5], [True, np.float32(0.25)]], np.eye(2)), np.array([[1.0, 0.5], [1.0, 0.25]]))
    assert same_bits(ab.matmul([[1, 2j]], [[1], [1]]), np.array([[1 + 2j]]))
    assert same_bits(ab.zgemm(np.array([[1 + 2j]], np.complex64), [[3]]), np.array([[3 + 6j]]))


def test_ragged_lists():
    with pytest.raises((ValueError, TypeError)):
        ab.dgemm([[1.0, 2.0], [3.0]], [[1.0]])


@pytest.mark.parametrize("alpha", ["1", None, [1.0], np.longdouble(1), 1j])
def test_scalars_are_one_real_number(alpha):
    with pytest.raises(TypeError):
        ab.dgemm([[1.0]], [[1.0]], alpha=alpha)
    with pytest.raises(TypeError):
        ab.dgemm([[1.0]], [[1.0]], beta=alpha, C=[[1.0]])


def test_scalars_that_float64_cannot_hold():
    with pytest.raises(ValueError, match="alpha"):
        ab.dgemm([[1.0]], [[1.0]], alpha=2**53 + 1)
    assert ab.dgemm([[1.0]], [[1.0]], alpha=np.float32(0.5))[0, 0] == 0.5


# ---- out

def outs(shape, dtype):
    """(name, writable array of that shape) for every layout."""
    return [("C", np.full(shape, 7, dtype)), ("Fortran", np.full(shape, 7, dtype, "F")), ("strided", np.full((shape[0] * 2, shape[1] * 3), 7, dtype)[::2, ::3]),
            ("reversed", np.full(shape, 7, dtype)[::-1]), ("packed", np.full(shape, 7, [("tag", "u1"), ("value", dtype)])["value"])]


@pytest.mark.parametrize("index", range(5))
def test_out_of_any_layout(index):
    a, b = integers(5, 4, 3), integers(4, 6, 4)
    za, zb = gaussians(5, 4, 5), gaussians(4, 6, 6)
    triangle, spd = np.triu(integers(5, 5, 7, 1, 9)), integers(5, 5, 8) + 5000 * np.eye(5)
    calls = [(ab.dgemm, (a, b), float), (ab.zgemm, (za, zb), complex), (ab.matmul, (za, b), complex), (ab.dsyrk, (a,), float),
             (ab.zherk, (za,), complex), (ab.dtrsm, (triangle, a), float), (ab.solve, (spd, a), float)]
    for call, operands, dtype in calls:
        wanted = call(*operands)
        out = outs(wanted.shape, dtype)[index][1]
        assert call(*operands, out=out) is out
        assert same_bits(out, wanted), call.__name__


def test_out_may_overlap_what_is_read():
    store = integers(10, 10, 9)
    for slices in (np.s_[:6, :6], np.s_[2:8, 1:7], np.s_[6:0:-1, :6], np.s_[:6, 6:0:-1]):
        memory = store.copy()
        a, b, c = memory[:6, :6], memory[3:9, 3:9], memory[1:7, 2:8]
        wanted = exact_product(a, b) + 2 * c
        untouched = memory.copy()
        out = memory[slices]
        assert ab.dgemm(a, b, 1.0, 2.0, c, out=out) is out
        assert np.array_equal(out, wanted)
        untouched[slices] = wanted
        assert np.array_equal(memory, untouched)
    square = integers(6, 6, 10)
    wanted = exact_product(square, square.T)
    assert np.array_equal(ab.dsyrk(square, out=square), wanted)
    z = gaussians(6, 6, 11)
    wanted = exact_product(z, z.T)
    assert np.array_equal(ab.zgemm(z, z, transb="T", out=z.T), wanted)
    assert np.array_equal(z.T, wanted)
    triangle = np.eye(6) * 4.0
    assert np.array_equal(ab.dtrsm(triangle, triangle, out=triangle), np.eye(6))
    matrix = np.eye(6) * 8.0
    assert np.array_equal(ab.solve(matrix, matrix, out=matrix), np.eye(6))


def test_c_is_not_changed_unless_it_is_out():
    c = integers(2, 2, 12)
    before = c.copy()
    ab.dgemm(np.eye(2), np.eye(2), 1.0, 3.0, c)
    assert same_bits(c, before)
    ab.dgemm(np.eye(2), np.eye(2), 1.0, 3.0, c, out=c)
    assert np.array_equal(c, 3.0 * before + np.eye(2))


@pytest.mark.parametrize("out, error, words", [
    (np.zeros((2, 3)), ab.DimensionMismatchError, r"\(2, 3\).*\(2, 2\)"),
    (np.zeros(4), ValueError, r"\(4,\).*\(2, 2\)"),
    (np.zeros((2, 2), np.float32), TypeError, "float32"),
    (np.zeros((2, 2), ">f8"), TypeError, ">f8"),
    (np.zeros((2, 2), complex), TypeError, "complex128"),
    (np.broadcast_to(np.zeros(2), (2, 2)), ValueError, "read-only"),
    ([[0.0, 0.0], [0.0, 0.0]], TypeError, "list"),
])
def test_out_that_cannot_take_the_result(out, error, words):
    a = np.eye(2)
    before = np.array(out)
    for call in (lambda: ab.dgemm(a, a, out=out), lambda: ab.matmul(a, a, out=out), lambda: ab.dsyrk(a, out=out), lambda: ab.dtrsm(a, a, out=out),
                 lambda: ab.solve(a, a, out=out), lambda: ab.Matrix.from_array(a).download(out)):
        with pytest.raises(error, match=words):
            call()
    assert np.array_equal(np.array(out), before)


def test_out_is_untouched_by_errors():
    out = np.full((2, 2), 7.0)
    with pytest.raises(ab.DimensionMismatchError):
        ab.dgemm(np.eye(2), np.ones((3, 2)), out=out)
    with pytest.raises(ab.SingularMatrixError):
        ab.solve(np.zeros((2, 2)), np.eye(2), out=out)
    with pytest.raises(ValueError):
        ab.dgemm(np.eye(2), np.eye(2), beta=1.0, out=out)
    assert (out == 7.0).all()
