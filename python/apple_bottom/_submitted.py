# SPDX-License-Identifier: MIT
"""Products of matrices that may still run when the call returns: futures and batches."""
from ._arrays import real_scalar
from ._library import Owner, check, library, opened
from ._matrix import handles_of

_REAL = ("A", "B", "C")
_COMPLEX = ("Ar", "Ai", "Br", "Bi", "Cr", "Ci")


class Future(Owner):
    """A product that was submitted. The end of a `with` block and garbage collection wait for it."""

    def __init__(self):
        raise TypeError("futures come from dgemm_async and zgemm_async")

    @classmethod
    def _of(cls, handle):
        future = cls.__new__(cls)
        future._own(handle, library().ab_future_destroy)
        return future

    def wait(self):
        """Waits until the product is complete and raises what went wrong with it; more than once is fine."""
        check(library().ab_future_wait(self._use()))

    @property
    def ready(self):
        """Whether `wait` would return at once."""
        return library().ab_future_is_ready(self._use())

    @property
    def status(self):
        """The status number so far: 0 while pending and after success."""
        return library().ab_future_status(self._use())


def dgemm_async(A, B, C):
    """C = A B for matrices on the device; mistakes are raised by `wait`. Later operations on C wait for it."""
    return Future._of(library().ab_dgemm_async(*handles_of((A, B, C), _REAL, "dgemm_async")))


def zgemm_async(Ar, Ai, Br, Bi, Cr, Ci):
    """C = A B for complex matrices as real and imaginary parts."""
    return Future._of(library().ab_zgemm_async(*handles_of((Ar, Ai, Br, Bi, Cr, Ci), _COMPLEX, "zgemm_async")))


class Batch(Owner):
    """Products of matrices on the device, checked when added, run in that order once committed.

    The end of a `with` block discards a batch that was not committed and waits for one that was."""

    def __init__(self):
        loaded = opened()
        self._own(loaded.ab_batch_create(), loaded.ab_batch_destroy)

    def dgemm(self, A, B, C, alpha=1.0, beta=0.0):
        """Adds C = alpha A B + beta C."""
        a, b, c = handles_of((A, B, C), _REAL, "Batch.dgemm")
        scalars = real_scalar(alpha, "Batch.dgemm: alpha"), real_scalar(beta, "Batch.dgemm: beta")
        check(library().ab_batch_dgemm_scaled(self._use(), scalars[0], a, b, scalars[1], c))

    def zgemm(self, Ar, Ai, Br, Bi, Cr, Ci):
        """Adds C = A B for complex matrices as real and imaginary parts."""
        parts = handles_of((Ar, Ai, Br, Bi, Cr, Ci), _COMPLEX, "Batch.zgemm")
        check(library().ab_batch_zgemm(self._use(), *parts))

    def barrier(self):
        """What was added before is visible to what is added after."""
        check(library().ab_batch_barrier(self._use()))

    def commit(self):
        """Starts the work."""
        check(library().ab_batch_commit(self._use()))

    def wait(self):
        """Waits for a committed batch and raises its first failure; more than once is fine."""
        check(library().ab_batch_wait(self._use()))
