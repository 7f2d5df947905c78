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


@pytest.mark.parametrize(
    ("step", "expected"), list(zip(small_example()["steps"], EXPECTED, strict=True))
)
def test_each_operation_lands_where_numpy_rounds_it(step, expected):
    exact, rounded = expected
    assert np.float32(step["value"]) == rounded
    ulp = Fraction(float(np.spacing(rounded)))
    assert step["at"] - step["from"] == pytest.approx(
        float((Fraction(float(rounded)) - exact) / ulp), abs=1e-12
    )
    assert 0 < abs(step["at"] - step["from"]) < 0.5  # it moves, and from no tie


def test_both_ways_end_on_neighbouring_floats():
    first, second = THREE * ADDED, SMALL + LARGE
    assert np.nextafter(second, first) == first != second
    exact = 3 * (Fraction(float(TENTH)) + Fraction(float(OTHER)))
    assert small_example()["apart"].startswith("1 float apart; ◇ exact ")
    assert float(small_example()["apart"].split()[-1].rstrip("…")) == pytest.approx(
        float(exact), abs=1e-10
    )
    at = {step["kind"]: step["at"] for step in small_example()["steps"] if step["ruler"] == 3}
    assert at["first"] - at["second"] == 1  # on the ruler, too
    beyond = (exact - Fraction(float(second))) / Fraction(float(np.spacing(second)))
    assert small_example()["exact"] - at["second"] == pytest.approx(float(beyond), abs=1e-12)
    for side, end in zip(small_example()["results"]["sides"], (first, second), strict=True):
        assert int(side["bits"], 2) == end.view(np.uint32)
