# SPDX-License-Identifier: MIT
"""Futures and batches."""
import gc
import threading

import numpy as np
import pytest
from oracle import exact_product, gaussians, integers

import apple_bottom as ab


def matrices(*arrays):
    return [ab.Matrix.from_array(array) for array in arrays]


def parts(array):
    return matrices(array.real, array.imag)


def test_future():
    a, b = integers(30, 40, 1), integers(40, 20, 2)
    result = ab.Matrix(30, 20)
    with ab.dgemm_async(*matrices(a, b), result) as future:  # the operands are dropped at once
        gc.collect()
        future.wait()
        future.wait()
        assert future.ready is True and future.status == 0
        assert np.array_equal(result.download(), exact_product(a, b))
        assert ab.last_product()["bound"] == 0.0
    with pytest.raises(ab.InvalidArgumentError, match="closed"):
        future.wait()


def test_complex_future():
    a, b = gaussians(6, 7, 3), gaussians(7, 8, 4)
    results = [ab.Matrix(6, 8), ab.Matrix(6, 8)]
    ab.zgemm_async(*parts(a), *parts(b), *results).wait()
    assert np.array_equal(results[0].download() + 1j * results[1].download(), exact_product(a, b))


def test_later_operations_wait():
    a = integers(60, 60, 5, -9, 9)
    matrix, first, second = ab.Matrix.from_array(a), ab.Matrix(60, 60), ab.Matrix(60, 60)
    futures = [ab.dgemm_async(matrix, matrix, first), ab.dgemm_async(first, matrix, second)]
    assert np.array_equal(second.download(), exact_product(exact_product(a, a), a))
    assert all(future.ready for future in futures)


def test_a_future_that_fails():
    a, b, c = ab.Matrix.from_array(np.ones((2, 3))), ab.Matrix.from_array(np.ones((2, 3))), ab.Matrix.from_array(np.eye(2))
    future = ab.dgemm_async(a, b, c)
    for _ in range(2):
        with pytest.raises(ab.DimensionMismatchError, match="2x3") as caught:
            future.wait()
        assert caught.value.status == -3
    assert future.ready and future.status == -3
    assert np.array_equal(c.download(), np.eye(2))
    with pytest.raises(ab.NotUploadedError):
        ab.dgemm_async(ab.Matrix(2, 2), c, ab.Matrix(2, 2)).wait()


def test_a_future_is_waited_for_in_any_thread():
    a = integers(20, 20, 6)
    result = ab.Matrix(20, 20)
    future = ab.dgemm_async(*matrices(a, a), result)
    thread = threading.Thread(target=future.wait)
    thread.start()
    thread.join()
    assert future.ready and np.array_equal(result.download(), exact_product(a, a))


def test_futures_want_matrices():
    with pytest.raises(TypeError, match="dgemm_async: B"):
        ab.dgemm_async(ab.Matrix(1, 1), np.eye(1), ab.Matrix(1, 1))
    with pytest.raises(TypeError, match="dgemm_async"):
        ab.Future()


def test_batch():
    a, b, c = integers(5, 6, 7), integers(6, 7, 8), integers(5, 7, 9)
    x, y, z = matrices(a, b, c)
    total = ab.Matrix(5, 7)
    with ab.Batch() as batch:
        batch.dgemm(x, y, total)
        batch.barrier()
        batch.dgemm(x, y, z, alpha=-2, beta=3)
        batch.commit()
        batch.wait()
        batch.wait()
        assert np.array_equal(total.download(), exact_product(a, b))
        assert np.array_equal(z.download(), 3 * c - 2 * exact_product(a, b))


def test_complex_batch():
    a, b = gaussians(3, 4, 10), gaussians(4, 5, 11)
    results = [ab.Matrix(3, 5), ab.Matrix(3, 5)]
    batch = ab.Batch()
    batch.zgemm(*parts(a), *parts(b), *results)
    gc.collect()
    batch.commit()
    batch.wait()
    assert np.array_equal(results[0].download() + 1j * results[1].download(), exact_product(a, b))


def test_later_entries_read_what_earlier_ones_write():
    a = integers(8, 8, 12, -9, 9)
    matrix, first, second = ab.Matrix.from_array(a), ab.Matrix(8, 8), ab.Matrix(8, 8)
    batch = ab.Batch()
    batch.dgemm(matrix, matrix, first)
    batch.dgemm(first, matrix, second)
    batch.commit()
    batch.wait()
    assert np.array_equal(second.download(), exact_product(exact_product(a, a), a))


def test_states():
    matrix, result = ab.Matrix.from_array(np.eye(2)), ab.Matrix(2, 2)
    batch = ab.Batch()
    with pytest.raises(ab.InvalidArgumentError):
        batch.wait()
    with pytest.raises(ab.DimensionMismatchError):
        batch.dgemm(matrix, ab.Matrix.from_array(np.ones((3, 2))), result)
    with pytest.raises(ab.InvalidArgumentError):
        batch.dgemm(matrix, matrix, matrix)
    batch.dgemm(matrix, matrix, result)
    batch.commit()
    for operate in (batch.commit, batch.barrier, lambda: batch.dgemm(matrix, matrix, result)):
        with pytest.raises(ab.InvalidArgumentError):
            operate()
    batch.wait()
    assert np.array_equal(result.download(), np.eye(2))


def test_an_open_batch_is_discarded():
    matrix, result = ab.Matrix.from_array(np.eye(2)), ab.Matrix(2, 2)
    with ab.Batch() as batch:
        batch.dgemm(matrix, matrix, result)
    with pytest.raises(ab.NotUploadedError):
        result.download()
    with pytest.raises(ab.InvalidArgumentError, match="Batch is closed"):
        batch.commit()


def test_a_committed_batch_is_waited_for():
    matrix, result = ab.Matrix.from_array(np.eye(2)), ab.Matrix(2, 2)
    with ab.Batch() as batch:
        batch.dgemm(matrix, matrix, result)
        batch.commit()
    assert np.array_equal(result.download(), np.eye(2))


def test_the_class_is_that_of_adding():
    a = np.full((1, 1), 1 / 3)
    matrix, result = ab.Matrix.from_array(a), ab.Matrix(1, 1)
    batch = ab.Batch()
    with ab.precision("dd"):
        batch.dgemm(matrix, matrix, result)
    batch.commit()
    batch.wait()
    assert ab.last_product()["precision"] == "dd"


def test_scalars_of_batches():
    matrix = ab.Matrix.from_array(np.eye(2))
    with pytest.raises(TypeError, match="Batch.dgemm: alpha"):
        ab.Batch().dgemm(matrix, matrix, ab.Matrix(2, 2), alpha="1")
