# SPDX-License-Identifier: MIT
"""Library life, devices, statistics."""
import ctypes

from ._library import DeviceTraits, Stats, check, integer, library


def init():
    """Opens the thread's current device and tests it. Not needed: the first use does the same."""
    check(library().ab_init())


def shutdown():
    """Waits for all work and gives the device's memory back. What is still alive can only be closed; the next use opens the device anew."""
    library().ab_shutdown()


def is_initialized():
    return library().ab_is_initialized()


def get_device_name():
    """Name of the thread's current device; "Unknown" before the first use."""
    return library().ab_device_name().decode()


def version():
    """Version of the library that was loaded, e.g. "2.0.0-dev"."""
    return library().ab_version().decode()


def status_string(status):
    """What a status number means, in words."""
    return library().ab_status_string(integer(status, "status_string: status")).decode()


def _traits(index, current):
    traits = DeviceTraits(struct_size=ctypes.sizeof(DeviceTraits))
    check(library().ab_device_traits(index, traits))
    return {
        "index": traits.index,
        "id": traits.id.decode(),
        "name": traits.name.decode(),
        "memory_bytes": traits.memory_bytes,
        "max_buffer_bytes": traits.max_buffer_bytes,
        "unified_memory": traits.unified_memory == 1,
        "fp64": traits.fp64 == 1,
        "int8_matrix": traits.int8_matrix == 1,
        "trusted": None if traits.trusted < 0 else traits.trusted == 1,
        "reason": traits.reason.decode(),
        "current": index == current,
    }


def devices():
    """A dict for each device found. `trusted`: passed its self-test, or None while not tested; `reason`: why it was refused."""
    current = library().ab_current_device()
    return [_traits(index, current) for index in range(library().ab_device_count())]


def select_device(index):
    """Makes a device of `devices()` the current one of the calling thread. Raises InvalidArgumentError, DeviceNotFoundError."""
    check(library().ab_select_device(integer(index, "select_device: index")))


def info():
    """What is in use: version and file of the library, class and device of the calling thread, all devices."""
    from ._precision import get_precision

    return {
        "version": version(),
        "library": library()._name,
        "initialized": is_initialized(),
        "precision": get_precision(),
        "device": library().ab_current_device(),
        "devices": devices(),
    }


def get_stats():
    """Counts and times of the process since the start, `reset_stats` or `shutdown`; times in milliseconds."""
    stats = library().ab_get_stats()
    return {name: getattr(stats, name) for name, _ in Stats._fields_}


def reset_stats():
    library().ab_reset_stats()


def print_stats():
    """The same as six lines on stderr."""
    library().ab_print_stats()
