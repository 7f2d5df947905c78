"""Where two pasted numbers lie, if their distance is known: two floats that fit all digits, and the order of the two.

See NOTE [the order of two] in `intervals`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from lib.paste.distances import Pair

Order = Literal["digits", "difference", "unknown"]
"""What tells which of two numbers is the larger one: their digits, the sign of their difference, or nothing."""


@dataclass(frozen=True)
class Placed:
    """Ordinals of two floats that the numbers may be, and what tells their order."""

    first: int
    second: int
    order: Order

    @property
    def apart(self) -> int:
        return abs(self.second - self.first)

    @property
    def middle(self) -> int:
        return (self.first + self.second) // 2

    @property
    def order_in_words(self) -> str:
        """Say what tells the order, unless the digits do."""
        if self.first == self.second or self.order == "digits":
            return ""
        if self.order == "unknown":
            return "which of the two is larger is not known"
        larger = "first" if self.first > self.second else "second"
        return f"your difference, read as first − second, puts {larger} on the right"


def placed(pair: Pair) -> Placed | None:
    """Return an example of the two numbers, as near to the middle of what is possible as can be.

    Return None if their distance is not certain.
    """
    low, high = pair.ulps
    if low != high:
        return None
    examples = {sign: _example(pair, sign * low) for sign in (1, -1)}
    possible = [sign for sign, first in examples.items() if first is not None]
    if not possible:
        return None
    order: Order = "digits" if low == 0 or len(possible) == 1 else "unknown"
    sign = possible[0]
    if order == "unknown" and pair.third and not pair.third_is_absolute:
        order, sign = "difference", 1 if pair.third.sign else -1
    first = examples[sign]
    return Placed(first, first + sign * low, order)


def _example(pair: Pair, step: int) -> int | None:
    """Return the first number's ordinal if the second one's is `step` more, or None if that cannot be."""
    form, least, greatest = pair.format, *pair.differences
    lowest = max(pair.first.lowest, pair.second.lowest - step)
    highest = min(pair.first.highest, pair.second.highest - step)
    middle = (lowest + highest) // 2
    fitting = (
        first
        for first in _candidates(lowest, highest, form.precision)
        if least <= abs(form.value(first + step) - form.value(first)) <= greatest
    )
    return min(fitting, key=lambda first: abs(first - middle), default=None)


def _candidates(lowest: int, highest: int, precision: int) -> Iterator[int]:
    """Return the middle of a range of ordinals, and of each of the binades in it, where all gaps are equal."""
    if lowest > highest:
        return
    yield (lowest + highest) // 2
    binade = 1 << (precision - 1)
    start = lowest
    while start <= highest:
        end = min((start // binade + 1) * binade - 1, highest)
        yield (start + end) // 2
        start = end + 1
