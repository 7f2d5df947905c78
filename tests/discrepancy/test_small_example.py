"""The small example against NumPy's float32."""

from fractions import Fraction

import numpy as np
import pytest

from lib.discrepancy.small_example import small_example

THREE, TENTH, OTHER = np.float32(3), np.float32(0.1), np.float32(0.7)
ADDED, SMALL, LARGE = TENTH + OTHER, THREE * TENTH, THREE * OTHER
EXPECTED = [
    (Fraction(float(TENTH)) + Fraction(float(OTHER)), ADDED),
    (3 * Fraction(float(ADDED)), THREE * ADDED),
    (3 * Fraction(float(TENTH)), SMALL),
    (3 * Fraction(float(OTHER)), LARGE),
    (Fraction(float(SMALL)) + Fraction(float(LARGE)), SMALL + LARGE),
]


def floats(number: Fraction, result: np.float32) -> float:
    """How many floats a result is above a number."""
    return float((Fraction(float(result)) - number) / Fraction(float(np.spacing(result))))


def test_each_operation_lands_where_numpy_rounds_it():
    for step, (exact, rounded) in zip(small_example()["steps"], EXPECTED, strict=True):
        assert np.float32(step["value"]) == rounded
        moved = step["at"] - step["start"]
        assert moved == pytest.approx(floats(exact, rounded), abs=1e-12)
        assert 0 < abs(moved) < 0.5  # it moves, and from no tie
        assert step["moved"].replace("−", "-") == f"{moved:+.2f} of a float"


def test_both_ways_end_on_neighbouring_floats():
    example = small_example()
    first, second = THREE * ADDED, SMALL + LARGE
    assert np.nextafter(second, first) == first != second
    exact = 3 * (Fraction(float(TENTH)) + Fraction(float(OTHER)))
    apart, text = example["apart"].split("; ◇ exact ")
    assert apart == "1 float apart"
    assert float(text.rstrip("…")) == pytest.approx(float(exact), abs=1e-10)
    at = {step["kind"]: step["at"] for step in example["steps"] if step["ruler"] == 3}
    assert at["first"] - at["second"] == 1  # on the ruler, too
    assert at["second"] - example["exact"] == pytest.approx(floats(exact, second), abs=1e-12)
    ends = [int(side["bits"], 2) for side in example["results"]["sides"]]
    assert ends == [first.view(np.uint32), second.view(np.uint32)]
