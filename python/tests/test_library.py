# SPDX-License-Identifier: MIT
"""Finding and loading the library, its life, threads and forks: where the process matters, in one of its own."""
import multiprocessing
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time
import unittest.mock

import numpy as np
import pytest

import apple_bottom as ab
from apple_bottom import __main__, _library

PACKAGE = pathlib.Path(ab.__file__).resolve().parent
LIBRARY = pathlib.Path(ab.info()["library"]).resolve()
NEEDS_PROC = pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="no /proc here")


def python(code, *arguments, path=PACKAGE.parent, **environment):
    """Runs code in a new process; None removes a variable."""
    variables = {**os.environ, "PYTHONPATH": str(path), **environment}
    variables = {name: value for name, value in variables.items() if value is not None}
    command = [sys.executable, *(arguments if code is None else ["-c", code, *arguments])]
    return subprocess.run(command, env=variables, capture_output=True, text=True, timeout=120, check=False)


def printed(*arguments, **keywords):
    result = python(*arguments, **keywords)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


# ---- import and search

@NEEDS_PROC
def test_importing_loads_nothing():
    code = "import apple_bottom; print('libapplebottom' in open('/proc/self/maps').read())"
    assert printed(code) == "False"


def test_without_library():
    code = """import apple_bottom as ab
for use in (ab.init, ab.version, lambda: ab.dgemm([[1]], [[1]]), lambda: ab.Matrix(1, 1), lambda: ab.MemoryPool(), ab.Session, ab.Batch,
            lambda: ab.DeviceBuffer(8), ab.devices, ab.get_precision):
    try:
        use()
    except ab.LibraryNotFound as error:
        assert isinstance(error, ab.AppleBottomError) and hasattr(error, "status")
        print(error)
"""
    lines = printed(code, AB_LIBRARY="/nowhere/libapplebottom.so").splitlines()
    assert len(lines) == 10 and all("/nowhere/libapplebottom.so" in line for line in lines)


def test_a_file_that_is_no_library(tmp_path):
    wrong = tmp_path / "libapplebottom.so"
    wrong.write_text("not a library")
    code = "import apple_bottom as ab\ntry: ab.init()\nexcept ab.LibraryNotFound as error: print(error)"
    assert str(wrong) in printed(code, AB_LIBRARY=str(wrong))
    other = "libSystem.dylib" if sys.platform == "darwin" else "libc.so.6"
    assert "ab_init" in printed(code, AB_LIBRARY=other)


def test_a_library_of_another_major_version():
    class Other:
        def __getattr__(self, name):
            return unittest.mock.Mock(return_value=b"3.0.0")

    with pytest.raises(AttributeError, match="3.0.0"):
        _library._declare(Other())


def copy_of_package(folder):
    shutil.copytree(PACKAGE, folder / "apple_bottom", ignore=shutil.ignore_patterns("__pycache__", "lib", "bin"))
    return folder


FILE = "import apple_bottom as ab; ab.init(); print(ab.info()['library'])"


def test_search_order(tmp_path):
    tree = tmp_path / "tree"
    path = copy_of_package(tree / "python")
    bundled = path / "apple_bottom" / "lib" / _library.FILE_NAME
    built = [tree / "build" / preset / _library.FILE_NAME for preset in ("release", "dev")]
    system = tmp_path / "system" / _library.LOADER_NAME
    (tree / "include").mkdir()
    (tree / "include" / "apple_bottom.h").touch()
    for file in (*built, bundled, system):
        file.parent.mkdir(parents=True)
        file.symlink_to(LIBRARY)
    loader = {"LD_LIBRARY_PATH": str(system.parent), "DYLD_LIBRARY_PATH": str(system.parent)}

    asked = tmp_path / "asked.so"
    asked.symlink_to(LIBRARY)
    assert printed(FILE, path=path, AB_LIBRARY=str(asked), **loader) == str(asked)
    for file in (bundled, *built):
        assert printed(FILE, path=path, AB_LIBRARY=None, **loader) == str(file)
        file.unlink()
    assert printed(FILE, path=path, AB_LIBRARY="", **loader) == _library.LOADER_NAME


def test_a_build_beside_an_installed_package_is_not_taken(tmp_path):
    path = copy_of_package(tmp_path / "site-packages")
    built = tmp_path / "build" / _library.FILE_NAME
    built.parent.mkdir()
    built.symlink_to(LIBRARY)
    code = "from apple_bottom import _library; print(*_library.candidates())"
    assert printed(code, path=path, AB_LIBRARY=None) == _library.LOADER_NAME


def test_a_broken_bundle_is_passed_over(tmp_path):
    path = copy_of_package(tmp_path)
    bundled = path / "apple_bottom" / "lib" / _library.FILE_NAME
    bundled.parent.mkdir()
    bundled.write_text("not a library")
    (tmp_path / "system").mkdir()
    (tmp_path / "system" / _library.LOADER_NAME).symlink_to(LIBRARY)
    assert printed(FILE, path=path, AB_LIBRARY=None, LD_LIBRARY_PATH=str(tmp_path / "system"), DYLD_LIBRARY_PATH=str(tmp_path / "system")) == _library.LOADER_NAME


# ---- life

def test_life():
    code = """import apple_bottom as ab
assert not ab.is_initialized() and ab.get_device_name() == "Unknown"
ab.shutdown()
ab.init(); ab.init()
assert ab.is_initialized() and ab.get_device_name() == ab.devices()[ab.info()["device"]]["name"]
old = ab.Matrix.from_array([[2.0]])
future = ab.dgemm_async(old, old, ab.Matrix(1, 1))
ab.shutdown()
assert not ab.is_initialized()
future.wait()
for use in (old.download, old.zero):
    try: use()
    except ab.DeviceNotFoundError as error: assert error.status == -1 and str(error)
    else: raise SystemExit("used after shutdown")
old.close()
assert ab.dgemm([[3.0]], [[4.0]])[0, 0] == 12.0 and ab.is_initialized()
kept = ab.Matrix.from_array([[1.0]]), ab.MemoryPool(), ab.Session(), ab.Batch(), ab.DeviceBuffer(8)
print("right")
"""
    assert printed(code) == "right"  # and the process ends well with objects alive


def test_the_first_use_opens_the_device():
    code = """import apple_bottom as ab
for use in (lambda: ab.dgemm([[1.0]], [[1.0]]), lambda: ab.zgemm([[1.0]], [[1.0]]), lambda: ab.Matrix(1, 1), ab.MemoryPool, ab.Session, ab.Batch,
            lambda: ab.DeviceBuffer(8), lambda: ab.solve([[1.0]], [1.0])):
    before = ab.is_initialized()
    use()
    print(before, ab.is_initialized())
    ab.shutdown()
"""
    assert printed(code).splitlines() == ["False True"] * 8


def test_a_device_that_is_not_there():
    code = """import apple_bottom as ab
for use in (ab.init, lambda: ab.dgemm([[1.0]], [[1.0]]), lambda: ab.Matrix(1, 1), lambda: ab.DeviceBuffer(8)):
    try: use()
    except ab.DeviceNotFoundError as error: print(error.status, error)
"""
    lines = printed(code, AB_DEVICE="cuda:63").splitlines()
    assert len(lines) == 4 and all(line.startswith("-1 ") and "cuda:63" in line for line in lines)


def test_devices():
    listed = ab.devices()
    assert [device["index"] for device in listed] == list(range(len(listed))) and listed[0]["id"] == "cpu"
    assert [device["index"] for device in listed if device["current"]] == [ab.info()["device"]]
    assert set(listed[0]) == {"index", "id", "name", "memory_bytes", "max_buffer_bytes", "unified_memory", "fp64", "int8_matrix", "trusted", "reason", "current"}
    assert listed[0]["memory_bytes"] > 0 and listed[0]["unified_memory"] is True
    before = ab.info()["device"]
    ab.select_device(0)
    assert ab.info()["device"] == 0 and ab.devices()[0]["trusted"] is True
    ab.select_device(before)
    for wrong in (-1, len(listed), 2**32):
        with pytest.raises(ab.InvalidArgumentError):
            ab.select_device(wrong)
    with pytest.raises(TypeError):
        ab.select_device("cpu")
    assert ab.info()["device"] == before


def test_info():
    info = ab.info()
    assert set(info) == {"version", "library", "initialized", "precision", "device", "devices"}
    assert info["version"] == ab.version() and info["precision"] == "fp64" and info["devices"] == ab.devices()
    assert os.path.samefile(info["library"], os.environ.get("AB_LIBRARY", info["library"]))


def test_statistics():
    ab.reset_stats()
    names = ["upload_time_ms", "download_time_ms", "kernel_time_ms", "dgemm_count", "zgemm_count", "elements_converted"]
    assert list(ab.get_stats()) == names and not any(ab.get_stats().values())
    ab.dgemm(np.ones((2, 3)), np.ones((3, 4)))
    ab.zgemm(np.ones((2, 3)), np.ones((3, 4)))
    stats = ab.get_stats()
    assert (stats["dgemm_count"], stats["zgemm_count"]) == (1, 1) and stats["kernel_time_ms"] > 0
    assert stats["elements_converted"] == 26 + 52
    result = python("import apple_bottom as ab; ab.print_stats()")
    assert [line.split()[0] for line in result.stderr.splitlines()] == names and result.stdout == ""


# ---- errors

def test_errors():
    assert ab.status_string(0) == "Success" and ab.status_string(-8) == "Matrix is singular" and ab.status_string(99) == "Unknown error"
    kinds = {-1: ab.DeviceNotFoundError, -2: ab.AllocationError, -3: ab.DimensionMismatchError, -4: ab.NotUploadedError, -5: ab.KernelExecutionError,
             -6: ab.InvalidArgumentError, -7: ab.ShaderCompileError, -8: ab.SingularMatrixError}
    for status, kind in kinds.items():
        error = _library.error_of(status, "text")
        assert type(error) is kind and isinstance(error, ab.AppleBottomError) and error.status == status and str(error) == "text"
    unknown = _library.error_of(-99, "text")
    assert type(unknown) is ab.AppleBottomError and unknown.status == -99


def test_the_text_is_that_of_the_library():
    with pytest.raises(ab.DimensionMismatchError) as caught:
        ab.Matrix.from_array(np.ones((3, 4))) @ ab.Matrix.from_array(np.ones((5, 2)))
    assert str(caught.value) == ab.last_error() and "ab_dgemm" in str(caught.value)


# ---- threads and processes

def product_and_turns(n):
    """Seconds of one product on the cpu device, and how often another thread had its turn meanwhile."""
    a, begun, seconds = np.ones((n, n)), threading.Event(), []

    def multiply():
        ab.select_device(0)
        begin = time.monotonic()
        begun.set()
        ab.dgemm(a, a)
        seconds.append(time.monotonic() - begin)

    thread = threading.Thread(target=multiply)
    thread.start()
    begun.wait()
    turns = 0
    while not seconds:
        time.sleep(0.001)
        turns += 1
    thread.join()
    return seconds[0], turns


def test_calls_release_the_interpreter():
    n = 300
    while n < 8000:
        seconds, turns = product_and_turns(n)
        if seconds > 0.2:
            break
        n = n * 3 // 2
    assert turns > 10


def test_threads_do_not_disturb_each_other():
    right = []

    def work(seed):
        random = np.random.default_rng(seed)
        for _ in range(20):
            a, b = random.integers(-99, 99, (9, 8)), random.integers(-99, 99, (8, 7))
            with ab.precision(("dd", "fast", "fp64", "strict")[seed % 4]):
                right.append(np.array_equal(ab.dgemm(a, b), a @ b))
            try:
                ab.dgemm(np.ones((seed + 1, 2)), np.ones((3, 1)))
            except ab.DimensionMismatchError as error:
                right.append(f"({seed + 1}, 2)" in str(error))
            try:
                ab.Matrix.from_array(np.ones((seed + 1, 2))) @ ab.Matrix.from_array(np.ones((3, 1)))
            except ab.DimensionMismatchError as error:
                right.append(f"{seed + 1}x2" in str(error))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(right) == 8 * 60 and all(right)


def product_of_child(size):
    a = np.arange(float(size * size)).reshape(size, size)
    return bool((ab.dgemm(a, a) == a @ a).all()) and ab.zgemm([[1j]], [[1j]])[0, 0] == -1


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_forked_children_compute():
    assert product_of_child(5)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(product_of_child, range(1, 9)).get(timeout=100) == [True] * 8
    assert product_of_child(6)


# ---- python -m apple_bottom

def test_prints_what_the_command_line_prints():
    program = next((file for file in (LIBRARY.parent / "applebottom", LIBRARY.parents[1] / "bin" / "applebottom") if file.is_file()), None)
    if program is None:
        pytest.skip(f"no command line belongs to {LIBRARY}")
    quick = {"VK_DRIVER_FILES": "/nonexistent", "VK_ICD_FILENAMES": "/nonexistent"}  # software renderers take long to test
    for options in ([], ["--json"]):
        wanted = subprocess.run([program, "info", *options], env={**os.environ, **quick}, capture_output=True, text=True, timeout=120, check=True)
        result = python(None, "-m", "apple_bottom", *options, **quick)
        assert (result.returncode, result.stdout) == (0, wanted.stdout)
        assert "AB_MODE" in wanted.stdout


def test_the_command_line_is_found_beside_the_library(tmp_path):
    library = tmp_path / "lib" / _library.FILE_NAME
    library.parent.mkdir()
    shutil.copy(LIBRARY, library)
    program = tmp_path / "bin" / "applebottom"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "$@"\nexit 7\n')
    program.chmod(0o755)
    result = python(None, "-m", "apple_bottom", "--json", AB_LIBRARY=str(library))
    assert (result.returncode, result.stdout) == (7, "info --json\n")
    assert __main__.command_line(str(library)) and os.path.samefile(__main__.command_line(str(library)), program)
    program.unlink()
    result = python(None, "-m", "apple_bottom", AB_LIBRARY=str(library), PATH="/nonexistent")
    assert result.returncode == 3 and str(library) in result.stderr and result.stdout == ""


def test_the_module_without_library():
    result = python(None, "-m", "apple_bottom", AB_LIBRARY="/nowhere/lib.so")
    assert result.returncode == 3 and "/nowhere/lib.so" in result.stderr and "Traceback" not in result.stderr
