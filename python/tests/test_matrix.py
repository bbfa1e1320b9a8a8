# SPDX-License-Identifier: MIT
"""Matrices on the device, pools, sessions."""
import gc

import numpy as np
import pytest
from oracle import exact_product, gaussians, integers, same_bits

import apple_bottom as ab


def test_shape_and_contents():
    matrix = ab.Matrix(3, 4)
    assert (matrix.shape, matrix.rows, matrix.cols, matrix.size) == ((3, 4), 3, 4, 12)
    with pytest.raises(ab.NotUploadedError) as caught:
        matrix.download()
    assert caught.value.status == -4 and "ab_matrix_download" in str(caught.value)
    data = integers(3, 4, 1)
    for parallel in (True, False):
        matrix.upload(data, parallel=parallel)
        assert same_bits(matrix.download(parallel=parallel), data)
    matrix.zero()
    assert same_bits(matrix.download(), np.zeros((3, 4)))


def test_arithmetic():
    a, b, c = integers(3, 4, 2), integers(3, 4, 3), integers(4, 2, 4)
    on_device = [ab.Matrix.from_array(x) for x in (a, b, c)]
    assert np.array_equal((on_device[0] + on_device[1]).download(), a + b)
    assert np.array_equal((on_device[0] - on_device[1]).download(), a - b)
    product = on_device[0] @ on_device[2]
    assert isinstance(product, ab.Matrix) and np.array_equal(product.download(), exact_product(a, c))
    assert np.array_equal((on_device[0] + on_device[0]).download(), 2 * a)
    on_device[0].scale(0.1)
    assert same_bits(on_device[0].download(), 0.1 * a)
    copy = ab.Matrix(3, 4)
    copy.copy_from(on_device[1])
    on_device[1].zero()
    assert same_bits(copy.download(), b)


def test_scale_is_ieee():
    matrix = ab.Matrix.from_array([[np.inf, 1.0]])
    matrix.scale(0)
    assert np.isnan(matrix.download()[0, 0]) and matrix.download()[0, 1] == 0.0


def test_operators_want_matrices():
    matrix = ab.Matrix.from_array(np.eye(2))
    for other in (np.eye(2), 1.0, None):
        for operate in (lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x @ y):
            with pytest.raises(TypeError):
                operate(matrix, other)
            with pytest.raises(TypeError):
                operate(other, matrix)
    with pytest.raises(TypeError, match="Matrix"):
        matrix.copy_from(np.eye(2))


def test_shapes_that_do_not_fit_are_both_named():
    a, b = ab.Matrix.from_array(np.ones((3, 4))), ab.Matrix.from_array(np.ones((5, 2)))
    for operate in (lambda: a + b, lambda: a - b, lambda: a @ b, lambda: a.copy_from(b)):
        with pytest.raises(ab.DimensionMismatchError, match="3x4.*5x2|5x2.*3x4"):
            operate()
    with pytest.raises(ab.DimensionMismatchError, match=r"\(4, 3\).*\(3, 4\)"):
        a.upload(np.ones((4, 3)))
    with pytest.raises(ab.DimensionMismatchError, match=r"\(12,\)"):
        a.upload(np.ones(12))
    with pytest.raises(ab.DimensionMismatchError, match=r"\(4, 3\).*\(3, 4\)"):
        a.download(np.ones((4, 3)))
    assert (a.download() == 1).all()


@pytest.mark.parametrize("rows, cols", [(0, 1), (1, 0), (-1, 1), (46341, 46341), (2**31, 1), (2**32 + 1, 1), (1, -(2**63))])
def test_shapes_that_cannot_be(rows, cols):
    for create in (ab.Matrix, ab.MemoryPool().get_matrix, lambda r, c: ab.Session().add("name", r, c)):
        with pytest.raises(ab.InvalidArgumentError) as caught:
            create(rows, cols)
        assert caught.value.status == -6 and str(caught.value)


def test_shapes_that_are_no_integers():
    for wrong in (1.0, "1", None):
        with pytest.raises(TypeError):
            ab.Matrix(wrong, 1)


def test_the_end_of_a_block_frees():
    with ab.Matrix(2, 2) as matrix:
        matrix.zero()
    matrix.close()
    for operate in (matrix.zero, matrix.download, lambda: matrix + matrix, lambda: matrix.upload(np.eye(2))):
        with pytest.raises(ab.InvalidArgumentError, match="closed"):
            operate()
    assert matrix.shape == (2, 2)


def test_memory_comes_back():
    """512 MiB in matrices that are dropped, one after the other."""
    def resident_kib():
        return int(next(line for line in open("/proc/self/status") if line.startswith("VmRSS")).split()[1])

    try:
        before = resident_kib()
    except OSError:
        pytest.skip("no /proc here")
    for _ in range(16):
        ab.Matrix(2048, 2048).zero()
    assert resident_kib() - before < 256 * 1024


# ---- pools

def test_pool_gives_matrices_for_reuse():
    with ab.MemoryPool() as pool:
        first = pool.get_matrix(3, 4)
        first.upload(np.ones((3, 4)))
        pool.reset()
        again = pool.get_matrix(3, 4)
        assert again._handle == first._handle
        with pytest.raises(ab.NotUploadedError):
            again.download()
        other = pool.get_matrix(2, 2)
        assert other.shape == (2, 2)


def test_a_pool_that_was_reset_takes_its_matrices_back():
    pool = ab.MemoryPool(size_hint=32)
    stale = pool.get_matrix(64, 64)
    pool.reset()
    reused = pool.get_matrix(2, 2)  # in the memory of the first
    assert reused._handle == stale._handle and reused.shape == (2, 2)
    with pytest.raises(ab.InvalidArgumentError, match="reset"):
        stale.upload(np.ones((64, 64)))
    reused.upload(np.eye(2))
    assert same_bits(reused.download(), np.eye(2))


def test_what_belongs_to_a_pool_is_not_freed():
    pool = ab.MemoryPool()
    with pool.get_matrix(2, 2) as matrix:
        matrix.upload(np.eye(2))
    matrix.close()
    assert same_bits(matrix.download(), np.eye(2))
    handle = matrix._handle
    del matrix
    gc.collect()
    pool.reset()
    assert pool.get_matrix(2, 2)._handle == handle


def test_a_matrix_keeps_its_pool():
    matrix = ab.MemoryPool().get_matrix(2, 2)
    gc.collect()
    matrix.upload(np.eye(2))
    assert same_bits((matrix @ matrix).download(), np.eye(2))


def test_a_closed_pool():
    pool = ab.MemoryPool()
    matrix = pool.get_matrix(2, 2)
    pool.close()
    pool.close()
    for operate in (matrix.zero, pool.reset, lambda: pool.get_matrix(1, 1)):
        with pytest.raises(ab.InvalidArgumentError, match="MemoryPool is closed"):
            operate()


def test_a_full_pool():
    pool = ab.MemoryPool(0)
    kept = [pool.get_matrix(1, 1) for _ in range(ab.POOL_CAPACITY)]
    with pytest.raises(ab.AllocationError, match="full") as caught:
        pool.get_matrix(1, 1)
    assert caught.value.status == -2 and isinstance(caught.value, MemoryError) and len(kept) == 128


def test_arguments_of_pools():
    for wrong in (-1, 2**64):
        with pytest.raises(ab.InvalidArgumentError, match="size_hint"):
            ab.MemoryPool(wrong)
    with pytest.raises(TypeError):
        ab.MemoryPool("16")


# ---- sessions

def test_session():
    a, b = integers(3, 4, 5), integers(4, 5, 6)
    with ab.Session() as session:
        for name, shape in (("A", (3, 4)), ("B", (4, 5)), ("C", (3, 5))):
            session.add(name, *shape)
        session.upload("A", np.asfortranarray(a))
        session.upload("B", b)
        session.dgemm("A", "B", "C")
        assert np.array_equal(session.download("C"), exact_product(a, b))
        out = np.zeros((5, 3)).T
        assert session.download("C", out=out) is out and np.array_equal(out, exact_product(a, b))
        assert session.get("C").shape == (3, 5)
        assert np.array_equal((session.get("A") @ session.get("B")).download(), exact_product(a, b))


def test_complex_session():
    a, b = gaussians(3, 4, 7), gaussians(4, 5, 8)
    session = ab.Session()
    parts = {"Ar": a.real, "Ai": a.imag, "Br": b.real, "Bi": b.imag}
    for name, part in parts.items():
        session.add(name, *part.shape)
        session.upload(name, part)
    session.add("Cr", 3, 5)
    session.add("Ci", 3, 5)
    session.zgemm("Ar", "Ai", "Br", "Bi", "Cr", "Ci")
    assert np.array_equal(session.download("Cr") + 1j * session.download("Ci"), exact_product(a, b))


def test_names():
    session = ab.Session()
    session.add("größe", 1, 1)
    session.add(b"bytes", 1, 1)
    session.upload("größe", [[3]])
    assert session.download("größe".encode())[0, 0] == 3.0
    for wrong in ("größe", "", "x" * 64, "a\0b"):
        with pytest.raises(ab.InvalidArgumentError):
            session.add(wrong, 1, 1)
    session.add("x" * 63, 1, 1)
    for call in (lambda: session.get("none"), lambda: session.upload("none", [[1]]), lambda: session.download("none"),
                 lambda: session.dgemm("bytes", "none", "größe"), lambda: session.get("bytes\0"),
                 lambda: session.zgemm("bytes", "bytes", "bytes", "bytes", "größe", "none")):
        with pytest.raises(ab.InvalidArgumentError, match="none|NUL") as caught:
            call()
        assert caught.value.status == -6
    for wrong in (None, 3):
        with pytest.raises(TypeError):
            session.get(wrong)


def test_session_shapes():
    session = ab.Session()
    session.add("A", 2, 3)
    with pytest.raises(ab.DimensionMismatchError, match=r"\(3, 2\).*\(2, 3\)"):
        session.upload("A", np.ones((3, 2)))
    with pytest.raises(ab.NotUploadedError):
        session.download("A")


def test_a_full_session():
    session = ab.Session()
    for number in range(ab.SESSION_CAPACITY):
        session.add(str(number), 1, 1)
    with pytest.raises(ab.InvalidArgumentError, match="full"):
        session.add("one more", 1, 1)


def test_a_closed_session():
    with ab.Session() as session:
        session.add("A", 1, 1)
        matrix = session.get("A")
        matrix.close()
        matrix.zero()
    for operate in (matrix.zero, lambda: session.get("A"), lambda: session.add("B", 1, 1), lambda: session.dgemm("A", "A", "A")):
        with pytest.raises(ab.InvalidArgumentError, match="Session is closed"):
            operate()
