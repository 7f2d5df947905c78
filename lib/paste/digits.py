"""How far a printed number may be from its text.

NOTE [what digits tell]: a number stands for all floats within half a unit of its last digit.
NumPy and Python drop zeros at the end, so a number with fewer than four significant digits, and
fewer than four after its point, is as precise as the longest number beside it, and at least as if
all had four digits; unless all numbers have as many digits after the point, two or more: then they
were rounded to them. Whole numbers among whole numbers are whole, and zero in e-notation is zero.
In addition every text stands for the float nearest to it, which may have been printed in the
fewest digits that read back.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lib.paste.printed import Printed

Array = np.ndarray[Any, Any]

LEAST_DIGITS = 4
"""PyTorch prints four decimals: shorter numbers were typed, or have lost zeros."""


def widths(numbers: Sequence[Printed]) -> Array:
    """Return how far each of some numbers that stand together may be from its text, float64."""
    rounded = [number for number in numbers if number.digits is not None]
    all_whole = all(number.whole for number in rounded)
    alike = len(rounded) > 1 and len({number.decimals for number in rounded}) == 1
    most_digits = max([LEAST_DIGITS, *(number.digits or 0 for number in rounded)])
    most_decimals = max([LEAST_DIGITS, *(-number.place for number in rounded)])

    def width(number: Printed) -> float:
        digits = number.digits
        is_zero_in_e = digits == 0 and number.decimals is None
        if digits is None or is_zero_in_e or all_whole:
            return 0.0
        place = number.place
        enough = 2 if alike or digits == 0 else LEAST_DIGITS
        is_short = digits < LEAST_DIGITS or number.whole
        if is_short and number.decimals is not None and number.decimals < enough:
            place = max(place + digits - most_digits, -most_decimals)
        return 10.0 ** min(place, 308) / 2

    return np.array([width(number) for number in numbers])
