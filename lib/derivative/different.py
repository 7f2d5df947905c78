"""Whether a derivative written by hand is the derivative, or another function: no rounding explains that.

Two enclosures at the same x that have no number in common prove that the functions differ. If those at every x below
overlap, they may be the same, which is not proved.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

from flint import arb

from lib.derivative import power_series
from lib.derivative.formulas import FUNCTIONS
from lib.derivative.series_arithmetic import Undecided
from lib.experiment import functions
from lib.experiment.parser import definitions, parse
from lib.experiment.query import Experiment
from lib.reference.balls import precision

_BITS = 256
_DIGITS = 6  # of values that differ so soon
_AT = sorted(((2 * k + 1) / 16 for k in range(-64, 64)), key=abs)


class Witness(NamedTuple):
    """An x at which two functions differ, and both values, to at least six digits and as many as tell them apart."""

    x: float
    one: str
    other: str


def witness(one: Callable[[arb], arb], other: Callable[[arb], arb], beside: Iterable[float] = ()) -> Witness | None:
    """An x near 0 or one of those in `beside` at which two functions are proved to differ, or None. Where one of them
    has no value, nothing is compared."""
    for x in (*_AT, *beside):
        with precision(_BITS):
            try:
                balls = one(arb(x)), other(arb(x))
            except Undecided:
                continue
            if all(ball.is_finite() for ball in balls) and not balls[0].overlaps(balls[1]):
                return Witness(x, *_apart(*balls))
    return None


def _apart(*balls: arb) -> list[str]:
    for digits in range(_DIGITS, _BITS):
        texts = [ball.str(digits, radius=False) for ball in balls]
        if len(set(texts)) > 1:
            break
    return texts


def disproof(experiment: Experiment, formula: str) -> Witness | None:
    """An x at which a visitor's formula is proved not to be the derivative, with the derivative and the formula's
    value; None if there is no such x, or if the formula is another one."""
    return _disproof(experiment.differentiated, formula) if formula and formula == experiment.df else None


@lru_cache(maxsize=256)
def _disproof(function: str, formula: str) -> Witness | None:
    tree = parse(formula, definitions(functions.FUNCTIONS[function].where))
    return witness(FUNCTIONS[function].exact, power_series.value(tree))
