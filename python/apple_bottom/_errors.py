# SPDX-License-Identifier: MIT
"""Exceptions: one for each status of the C library, with its number in `.status`."""


class AppleBottomError(Exception):
    """What the library reported: `.status` is the number of the C status, the text is that of ab_last_error."""

    status = None

    def __init__(self, message, status=None):
        super().__init__(message)
        if status is not None:
            self.status = status


class LibraryNotFound(AppleBottomError):
    """No library could be loaded; the text lists what was tried. Its `.status` is None."""


class DeviceNotFoundError(AppleBottomError):
    """The device asked for is absent or refused, or the object is from before a shutdown."""

    status = -1


class AllocationError(AppleBottomError, MemoryError):
    """No memory, or a pool that is full."""

    status = -2


class DimensionMismatchError(AppleBottomError, ValueError):
    """Shapes that do not fit each other."""

    status = -3


class NotUploadedError(AppleBottomError):
    """A matrix without contents was to be read."""

    status = -4


class KernelExecutionError(AppleBottomError):
    """The device reported a failure."""

    status = -5


class InvalidArgumentError(AppleBottomError, ValueError):
    """An argument outside its range, an object that is closed, a batch in the wrong state."""

    status = -6


class ShaderCompileError(AppleBottomError):
    """The device does not load the library's kernels."""

    status = -7


class SingularMatrixError(AppleBottomError):
    """A pivot is exactly zero."""

    status = -8


OF_STATUS = {
    error.status: error
    for error in (DeviceNotFoundError, AllocationError, DimensionMismatchError, NotUploadedError, KernelExecutionError,
                  InvalidArgumentError, ShaderCompileError, SingularMatrixError)
}


def error_of(status, text):
    """The exception of a status of the C library."""
    return OF_STATUS.get(status, AppleBottomError)(text, status)
