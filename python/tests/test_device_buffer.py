# SPDX-License-Identifier: MIT
"""Raw device memory and products on it."""
import numpy as np
import pytest
from oracle import exact_product, gaussians, integers, same_bits

import apple_bottom as ab


def test_contents():
    data = integers(3, 4, 1)
    with ab.DeviceBuffer(12 * 8) as buffer:
        assert buffer.nbytes == 96
        buffer.upload(data)
        assert same_bits(buffer.download((3, 4)), data)
        assert same_bits(buffer.download(12), data.ravel("F"))  # column after column
        assert same_bits(buffer.download((3, 2), offset=6 * 8), data[:, 2:])
        buffer.upload([[7]], offset=8)
        assert buffer.download(2)[1] == 7.0
        z = gaussians(2, 3, 2)
        buffer.upload(z)
        assert same_bits(buffer.download((2, 3), complex), z)
    with pytest.raises(ab.InvalidArgumentError, match="DeviceBuffer is closed"):
        buffer.download(1)


def test_fills_and_copies():
    buffer = ab.DeviceBuffer.from_array(np.arange(6.0))
    buffer.fill(offset=8, nbytes=16)
    assert buffer.download(6).tolist() == [0.0, 0.0, 0.0, 3.0, 4.0, 5.0]
    buffer.copy_from(buffer, nbytes=16, offset=8, source_offset=32)
    assert buffer.download(6).tolist() == [0.0, 4.0, 5.0, 3.0, 4.0, 5.0]
    buffer.copy_from(buffer, nbytes=40, offset=8, source_offset=0)  # overlapping
    assert buffer.download(6).tolist() == [0.0, 0.0, 4.0, 5.0, 3.0, 4.0]
    other = ab.DeviceBuffer(48)
    other.copy_from(buffer)
    assert same_bits(other.download(6), buffer.download(6))
    other.fill(0xFF)
    assert other.download(6).tobytes() == b"\xff" * 48


def test_ranges():
    buffer = ab.DeviceBuffer.from_array(np.arange(4.0))
    for operate in (lambda: buffer.upload(np.ones(5)), lambda: buffer.upload([1.0], offset=25), lambda: buffer.download(1, offset=32),
                    lambda: buffer.download(5), lambda: buffer.fill(offset=33), lambda: buffer.fill(nbytes=33),
                    lambda: buffer.copy_from(buffer, nbytes=8, source_offset=2**63), lambda: buffer.download(1, offset=-1),
                    lambda: buffer.upload([1.0], offset=2**64)):
        with pytest.raises(ab.InvalidArgumentError):
            operate()
    assert buffer.download(4).tolist() == [0.0, 1.0, 2.0, 3.0]
    for nbytes in (0, -1, 2**64):
        with pytest.raises(ab.InvalidArgumentError):
            ab.DeviceBuffer(nbytes)
    with pytest.raises(ab.AllocationError):
        ab.DeviceBuffer(2**62)
    for wrong in (np.float32, int, ">f8"):
        with pytest.raises(TypeError):
            buffer.download(1, wrong)
    with pytest.raises(TypeError):
        buffer.copy_from(np.ones(4))


@pytest.mark.parametrize("ta", "NTC")
@pytest.mark.parametrize("tb", "NTC")
def test_products(ta, tb):
    m, n, k = 3, 5, 4
    for make, name, alpha, beta in ((integers, "dgemm", -2.0, 3.0), (gaussians, "zgemm", 2 - 1j, 1j)):
        a, b, c = make(m, k, 3), make(k, n, 4), make(m, n, 5)
        turn = {"N": lambda x: x, "T": lambda x: x.T, "C": lambda x: x.conj().T}
        buffers = [ab.DeviceBuffer.from_array(x) for x in (turn[ta](a), turn[tb](b), c)]
        getattr(buffers[2], name)(buffers[0], buffers[1], m, n, k, alpha, beta, ta, tb)
        assert np.array_equal(buffers[2].download((m, n), c.dtype), alpha * exact_product(a, b) + beta * c)


def test_blocks_of_one_buffer():
    whole = integers(10, 10, 6)
    buffer = ab.DeviceBuffer.from_array(whole)
    buffer.dgemm(buffer, buffer, 2, 3, 4, lda=10, ldb=10, ldc=10, a_offset=1, b_offset=40, c_offset=75)
    expected = whole.copy(order="F")
    expected.T.reshape(-1)[np.add.outer(np.arange(2), 10 * np.arange(3)) + 75] = exact_product(whole[1:3, :4], whole[:4, 4:7])
    assert same_bits(buffer.download((10, 10)).copy(), expected.copy())


def test_arguments_of_products():
    a, c = ab.DeviceBuffer.from_array(np.eye(2)), ab.DeviceBuffer.from_array(np.eye(2))
    for arguments in ({"m": 3}, {"k": -1}, {"lda": 1}, {"ldc": 2**31}, {"a_offset": 1}, {"c_offset": -1}, {"transa": "X"}, {"m": 2**32}):
        with pytest.raises(ab.InvalidArgumentError):
            c.dgemm(**{"A": a, "B": a, "m": 2, "n": 2, "k": 2, **arguments})
    with pytest.raises(TypeError, match="DeviceBuffer.dgemm: B"):
        c.dgemm(a, np.eye(2), 2, 2, 2)
    with pytest.raises(TypeError, match="alpha"):
        c.dgemm(a, a, 2, 2, 2, alpha=1j)
    assert same_bits(c.download((2, 2)).copy(), np.eye(2))
