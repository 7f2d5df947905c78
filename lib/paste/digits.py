"""How far a printed number may be from its text.

NOTE [what digits tell]: a number with at least four significant digits (three in e-notation), or
four after its point, or as many after its point as all those beside it (two at least), was rounded
to its last digit. It stands for all floats within half a unit of that digit. A shorter number has
lost zeros or was typed: it is as precise as the longest number beside it, and never more precise
than if all had four digits. Zero in e-notation, and 0 or 0.0, is zero; 0.00 was rounded. Whole
numbers among whole numbers are whole. In addition every text stands for the float nearest to it,
which may have been printed in the fewest digits that read back.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lib.paste.printed import Printed

Array = np.ndarray[Any, Any]

_LEAST_DIGITS = 4  # PyTorch prints four decimals


@dataclass(frozen=True)
class Beside:
    """What the numbers printed together tell of each: the most digits and decimals that one of them
    has, whether all are whole, and whether all have as many decimals."""

    digits: int = 0
    decimals: int = 0
    whole: bool = True
    alike: bool = False

    @classmethod
    def of(cls, numbers: Sequence[Printed]) -> "Beside":
        rounded = [number for number in numbers if number.digits is not None]
        after_point = [-(number.place or 0) if number.decimals is None else number.decimals for number in rounded]
        return cls(
            max((number.digits or 0 for number in rounded), default=0),
            max(after_point, default=0),
            all(number.whole for number in rounded),
            len(numbers) > 1 and len({number.decimals for number in rounded}) == 1,
        )


def width(number: Printed, beside: Beside) -> float:
    """Return how far a number may be from its text: NOTE [what digits tell]."""
    if number.digits is None or number.place is None:
        return 0.0
    if number.whole and (beside.whole or number.digits == 0):
        return 0.0
    in_e = number.decimals is None
    enough = 2 if number.digits == 0 or beside.alike else _LEAST_DIGITS
    is_fixed = (number.decimals or 0) >= enough or in_e and number.digits == _LEAST_DIGITS - 1
    if number.digits == 0 and not is_fixed:
        return 0.0
    is_dotted = number.text.endswith((".", ".0"))
    place = number.place
    if not is_fixed and (number.digits < _LEAST_DIGITS or is_dotted):
        place += number.digits - max(_LEAST_DIGITS, beside.digits)
        place = place if in_e else max(place, -max(_LEAST_DIGITS, beside.decimals))
    return 10.0 ** min(place, 308) / 2


def widths(numbers: Sequence[Printed], together: bool) -> Array:
    """Return how far each number may be from its text, float64.

    Args:
        numbers: the printed numbers, n of them.
        together: whether they were printed together, so that each tells of the others.
    """
    every = Beside.of(numbers)
    beside = [every if together else replace(Beside.of([number]), alike=False) for number in numbers]
    return np.array([width(number, each) for number, each in zip(numbers, beside, strict=True)])
