# SPDX-License-Identifier: MIT
"""Certified FP64 matrix products on hardware without fast FP64: numpy arrays over the C library apple-bottom.

Importing loads nothing. The first use loads the library and opens the thread's current device, or raises LibraryNotFound or
DeviceNotFoundError. docs/python.md has a tour."""
from ._device_buffer import DeviceBuffer
from ._errors import (AllocationError, AppleBottomError, DeviceNotFoundError, DimensionMismatchError, InvalidArgumentError,
                      KernelExecutionError, LibraryNotFound, NotUploadedError, ShaderCompileError, SingularMatrixError)
from ._library import MAX_ELEMENTS, POOL_CAPACITY, SESSION_CAPACITY, last_error
from ._lifecycle import (devices, get_device_name, get_stats, info, init, is_initialized, print_stats, reset_stats, select_device,
                         shutdown, status_string, version)
from ._matrix import Matrix, MemoryPool, Session
from ._precision import get_precision, last_product, precision, set_precision
from ._products import dgemm, dsyrk, dtrsm, matmul, solve, zgemm, zherk
from ._submitted import Batch, Future, dgemm_async, zgemm_async

__version__ = "2.0.0.dev0"

__all__ = [
    "AllocationError", "AppleBottomError", "Batch", "DeviceBuffer", "DeviceNotFoundError", "DimensionMismatchError", "Future",
    "InvalidArgumentError", "KernelExecutionError", "LibraryNotFound", "MAX_ELEMENTS", "Matrix", "MemoryPool", "NotUploadedError",
    "POOL_CAPACITY", "SESSION_CAPACITY", "Session", "ShaderCompileError", "SingularMatrixError", "devices", "dgemm", "dgemm_async",
    "dsyrk", "dtrsm", "get_device_name", "get_precision", "get_stats", "info", "init", "is_initialized", "last_error", "last_product",
    "matmul", "precision", "print_stats", "reset_stats", "select_device", "set_precision", "shutdown", "solve", "status_string",
    "version", "zgemm", "zgemm_async", "zherk",
]
