# SPDX-License-Identifier: MIT
"""The C library: where it is, what its functions take, and what they answer. Calls through ctypes.CDLL release the GIL."""
import ctypes
import operator
import os
import pathlib
import sys
import threading
from ctypes import POINTER, c_bool, c_char, c_char_p, c_double, c_int, c_size_t, c_uint64, c_void_p

from ._errors import AllocationError, DeviceNotFoundError, InvalidArgumentError, LibraryNotFound, error_of

MAX_ELEMENTS = 2**31 - 1
POOL_CAPACITY = 128
SESSION_CAPACITY = 64

FILE_NAME = "libapplebottom.dylib" if sys.platform == "darwin" else "libapplebottom.so"
LOADER_NAME = "libapplebottom.2.dylib" if sys.platform == "darwin" else "libapplebottom.so.2"


class Stats(ctypes.Structure):
    _fields_ = [("upload_time_ms", c_double), ("download_time_ms", c_double), ("kernel_time_ms", c_double),
                ("dgemm_count", c_uint64), ("zgemm_count", c_uint64), ("elements_converted", c_uint64)]


class DeviceTraits(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("index", c_int), ("id", c_char * 32), ("name", c_char * 128),
                ("memory_bytes", c_uint64), ("max_buffer_bytes", c_uint64), ("unified_memory", c_int), ("fp64", c_int),
                ("int8_matrix", c_int), ("trusted", c_int), ("reason", c_char * 160)]


class Product(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t), ("precision", c_int), ("scheme", c_int), ("engine", c_int), ("device", c_int),
                ("moduli", c_int), ("escalations", c_int), ("guard", c_int), ("complex_form", c_int), ("bound", c_double),
                ("route_reason", c_char_p), ("fallback_reason", c_char_p)]


_HANDLE = _POINTER = c_void_p
_GEMM = [c_int] * 5  # letters, m, n, k
_OPERAND = [_HANDLE, c_size_t, c_int]  # buffer, offset, leading dimension
_COMPLEX = POINTER(c_double)

# name: (result, arguments); a status is an int
SIGNATURES = {
    "ab_init": (c_int, []),
    "ab_shutdown": (None, []),
    "ab_is_initialized": (c_bool, []),
    "ab_device_name": (c_char_p, []),
    "ab_status_string": (c_char_p, [c_int]),
    "ab_version": (c_char_p, []),
    "ab_last_error": (c_char_p, []),
    "ab_device_count": (c_int, []),
    "ab_device_traits": (c_int, [c_int, POINTER(DeviceTraits)]),
    "ab_select_device": (c_int, [c_int]),
    "ab_current_device": (c_int, []),
    "ab_set_precision": (c_int, [c_int]),
    "ab_get_precision": (c_int, []),
    "ab_last_product": (c_int, [POINTER(Product)]),
    "ab_get_stats": (Stats, []),
    "ab_reset_stats": (None, []),
    "ab_print_stats": (None, []),
    "ab_matrix_create": (_HANDLE, [c_int, c_int]),
    "ab_matrix_destroy": (None, [_HANDLE]),
    "ab_matrix_dims": (None, [_HANDLE, POINTER(c_int), POINTER(c_int)]),
    "ab_matrix_upload": (c_int, [_HANDLE, _POINTER, c_bool]),
    "ab_matrix_download": (c_int, [_HANDLE, _POINTER, c_bool]),
    "ab_matrix_zero": (c_int, [_HANDLE]),
    "ab_matrix_copy": (c_int, [_HANDLE] * 2),
    "ab_matrix_add": (c_int, [_HANDLE] * 3),
    "ab_matrix_sub": (c_int, [_HANDLE] * 3),
    "ab_matrix_scale": (c_int, [c_double, _HANDLE]),
    "ab_dgemm": (c_int, [_HANDLE] * 3),
    "ab_dgemm_scaled": (c_int, [c_double, _HANDLE, _HANDLE, c_double, _HANDLE]),
    "ab_zgemm_ex": (c_int, [c_int] * 2 + [_HANDLE] * 6),
    "ab_dsyrk": (c_int, [_HANDLE] * 2),
    "ab_zherk": (c_int, [_HANDLE] * 4),
    "ab_dtrsm": (c_int, [c_int] * 4 + [c_double] + [_HANDLE] * 2),
    "ab_dgesv_mpir": (c_int, [_HANDLE] * 2),
    "ab_dgemm_async": (_HANDLE, [_HANDLE] * 3),
    "ab_zgemm_async": (_HANDLE, [_HANDLE] * 6),
    "ab_future_wait": (c_int, [_HANDLE]),
    "ab_future_is_ready": (c_bool, [_HANDLE]),
    "ab_future_status": (c_int, [_HANDLE]),
    "ab_future_destroy": (None, [_HANDLE]),
    "ab_batch_create": (_HANDLE, []),
    "ab_batch_destroy": (None, [_HANDLE]),
    "ab_batch_dgemm": (c_int, [_HANDLE] * 4),
    "ab_batch_dgemm_scaled": (c_int, [_HANDLE, c_double, _HANDLE, _HANDLE, c_double, _HANDLE]),
    "ab_batch_zgemm": (c_int, [_HANDLE] * 7),
    "ab_batch_barrier": (c_int, [_HANDLE]),
    "ab_batch_commit": (c_int, [_HANDLE]),
    "ab_batch_wait": (c_int, [_HANDLE]),
    "ab_pool_create": (_HANDLE, [c_size_t]),
    "ab_pool_destroy": (None, [_HANDLE]),
    "ab_pool_get_matrix": (_HANDLE, [_HANDLE, c_int, c_int]),
    "ab_pool_reset": (None, [_HANDLE]),
    "ab_session_create": (_HANDLE, []),
    "ab_session_destroy": (None, [_HANDLE]),
    "ab_session_add": (c_int, [_HANDLE, c_char_p, c_int, c_int]),
    "ab_session_get": (_HANDLE, [_HANDLE, c_char_p]),
    "ab_session_upload": (c_int, [_HANDLE, c_char_p, _POINTER]),
    "ab_session_download": (c_int, [_HANDLE, c_char_p, _POINTER]),
    "ab_session_dgemm": (c_int, [_HANDLE] + [c_char_p] * 3),
    "ab_session_zgemm": (c_int, [_HANDLE] + [c_char_p] * 6),
    "ab_dev_malloc": (_HANDLE, [c_size_t]),
    "ab_dev_free": (None, [_HANDLE]),
    "ab_dev_memcpy_h2d": (c_int, [_HANDLE, c_size_t, _POINTER, c_size_t]),
    "ab_dev_memcpy_d2h": (c_int, [_POINTER, _HANDLE, c_size_t, c_size_t]),
    "ab_dev_memcpy_d2d": (c_int, [_HANDLE, c_size_t, _HANDLE, c_size_t, c_size_t]),
    "ab_dev_memset": (c_int, [_HANDLE, c_size_t, c_int, c_size_t]),
    "ab_dev_dgemm_offset": (c_int, _GEMM + [c_double] + _OPERAND * 2 + [c_double] + _OPERAND),
    "ab_dev_zgemm_offset": (c_int, _GEMM + [_COMPLEX] + _OPERAND * 2 + [_COMPLEX] + _OPERAND),
}

_lock = threading.Lock()
_loaded = None


def candidates():
    """Files and names in the order in which they are tried: AB_LIBRARY alone where it is set; else the bundled library, the builds
    of the source tree that this package lies in, and the system's loader."""
    asked = os.environ.get("AB_LIBRARY")
    if asked:
        return [asked]
    files = [pathlib.Path(folder, "lib", FILE_NAME) for folder in sys.modules[__package__].__path__]
    tree = pathlib.Path(__file__).resolve().parents[2]
    if (tree / "include" / "apple_bottom.h").is_file():
        files += [tree / "build" / preset / FILE_NAME for preset in ("", "release", "dev", "ci")]
    return [str(file) for file in files if file.is_file()] + [LOADER_NAME]


def _declare(loaded):
    for name, (result, arguments) in SIGNATURES.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, arguments
    version = loaded.ab_version().decode()
    if version.split(".")[0] != "2":
        raise AttributeError(f"version {version}, expected 2.x")
    return loaded


def _load():
    failures = []
    for name in candidates():
        try:
            return _declare(ctypes.CDLL(name))
        except (OSError, AttributeError) as reason:
            failures.append(f"{name}: {reason}")
    raise LibraryNotFound("no apple-bottom library: " + "; ".join(failures))


def library():
    """The library, loaded at the first call. Raises LibraryNotFound."""
    global _loaded
    if _loaded is None:
        with _lock:
            if _loaded is None:
                _loaded = _load()
    return _loaded


def opened():
    """The library with the thread's current device open. Raises LibraryNotFound, DeviceNotFoundError and what else ab_init says."""
    loaded = library()
    check(loaded.ab_init())
    return loaded


def last_error():
    """What went wrong in this thread's last failed call; "" if nothing did."""
    return library().ab_last_error().decode(errors="replace")


def check(status):
    """Raises what a status means, with the text of ab_last_error."""
    if status != 0:
        raise error_of(status, last_error() or library().ab_status_string(status).decode())


def created(handle):
    """A handle that a creator returned. NULL: DeviceNotFoundError where no device is open, else AllocationError."""
    if handle:
        return handle
    raise (AllocationError if library().ab_is_initialized() else DeviceNotFoundError)(last_error())


def integer(value, what, bits=32):
    """An int that C's int (32 bits) or size_t (64) can hold: ctypes would cut it silently."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is {value!r}, expected an integer") from None
    low, high = (-(2**31), 2**31) if bits == 32 else (0, 2**64)
    if not low <= number < high:
        raise InvalidArgumentError(f"{what} is {number}, expected {low} to {high - 1}")
    return number


class Owner:
    """Owns a handle of the library from its creation until close, the end of a `with` block, or garbage collection."""

    _handle = None

    def _own(self, handle, destroy):
        self._handle, self._destroy = created(handle), destroy

    def _use(self):
        if self._handle is None:
            raise InvalidArgumentError(f"this {type(self).__name__} is closed")
        return self._handle

    def close(self):
        """Gives back what the object holds; more than once is fine."""
        handle, self._handle = self._handle, None
        if handle is not None:
            self._destroy(handle)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __del__(self):
        self.close()
