# SPDX-License-Identifier: MIT
"""Classes, their scope, and what is said of the last product."""
import threading

import numpy as np
import pytest
from oracle import integers, spread

import apple_bottom as ab


def test_words():
    before = ab.get_precision()
    for word in ("dd", "fast", "fp64", "strict", "STRICT"):
        ab.set_precision(word)
        assert ab.get_precision() == word.lower()
    ab.set_precision("default")
    assert ab.get_precision() == before == "fp64"


@pytest.mark.parametrize("word", ["double", "", None, 3])
def test_unknown_words(word):
    with pytest.raises(ab.InvalidArgumentError, match="expected one of"):
        ab.set_precision(word)
    with pytest.raises(ab.InvalidArgumentError):
        with ab.precision(word):
            pytest.fail("the block is not entered")
    assert ab.get_precision() == "fp64"


def test_contexts_nest_and_end():
    with ab.precision("strict"):
        with ab.precision("dd"):
            assert ab.get_precision() == "dd"
        assert ab.get_precision() == "strict"
        with pytest.raises(KeyError):
            with ab.precision("fast"):
                raise KeyError
        assert ab.get_precision() == "strict"
    assert ab.get_precision() == "fp64"


def test_exact_is_there_or_refused():
    try:
        with ab.precision("exact"):
            assert ab.get_precision() == "exact"
            assert ab.dgemm([[1e16, 1.0, -1e16]], [[1.0], [1.0], [1.0]])[0, 0] == 1.0
    except ab.InvalidArgumentError as error:
        assert "exact" in str(error)
    assert ab.get_precision() == "fp64"


def test_threads_have_their_own():
    seen = []
    with ab.precision("strict"):
        thread = threading.Thread(target=lambda: (seen.append(ab.get_precision()), ab.set_precision("dd"), seen.append(ab.last_product()["scheme"])))
        thread.start()
        thread.join()
        assert ab.get_precision() == "strict"
    assert seen == ["fp64", "none"]


def test_last_product_says_what_ran():
    a, b = spread(8, 30, 1), spread(30, 9, 2)
    ab.dgemm(a, b)
    product = ab.last_product()
    assert set(product) == {"precision", "scheme", "engine", "device", "moduli", "escalations", "guard", "complex_form", "bound", "route_reason",
                            "fallback_reason"}
    assert product["precision"] == "fp64" and product["scheme"].startswith("crt_") and product["engine"] == "device"
    assert product["device"] == ab.info()["device"] and product["moduli"] >= 14 and 0 < product["bound"] <= 30
    assert product["complex_form"] == 0 and product["route_reason"] == "resident" and product["fallback_reason"] == ""
    with ab.precision("dd"):
        ab.dgemm(a, b)
        assert ab.last_product()["scheme"] == "dd" and ab.last_product()["precision"] == "dd"
    ab.zgemm(a, b)
    assert ab.last_product()["complex_form"] in (3, 4)
    ab.dgemm(integers(3, 3, 3), integers(3, 3, 4))
    assert ab.last_product()["bound"] == 0.0
    ab.dgemm([[np.nan]], [[1.0]])
    product = ab.last_product()
    assert product["scheme"] == "ieee" and product["fallback_reason"] == "nonfinite" and product["bound"] < 0
