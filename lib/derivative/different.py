"""Whether a derivative written by hand is the derivative, or another function: no rounding explains that.

Two enclosures at the same x that have no number in common prove that the functions differ. If those at every x below
overlap, they may be the same, which is not proved. Some of the x are the study's own: a formula may be right near 0
and wrong where the study looks.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

from flint import arb

from lib.derivative import power_series
from lib.derivative.formulas import COMPUTED
from lib.derivative.power_series import Undecided
from lib.experiment import functions
from lib.experiment.parser import definitions, parse
from lib.experiment.query import Experiment
from lib.network import sampling
from lib.reference.balls import precision

_BITS = 256
_DIGITS = 6  # of values that differ so soon
_STUDIED = 128  # of the study's x
NEAR_0 = sorted(((2 * k + 1) / 16 for k in range(-64, 64)), key=abs)
"""Some x from −8 to 8, those nearest to 0 first."""


class Witness(NamedTuple):
    """An x at which two functions differ, and both values, to at least six digits and as many as tell them apart."""

    x: float
    one: str
    other: str


def witness(one: Callable[[arb], arb], other: Callable[[arb], arb], among: Iterable[float]) -> Witness | None:
    """The first of the x at which two functions are proved to differ, or None. Where one of them has no value, nothing
    is compared."""
    for x in among:
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


def disproof(experiment: Experiment, formula: str, worst: float | None = None) -> Witness | None:
    """An x at which a visitor's formula is proved not to be the derivative, with the derivative and the formula's
    value; None if there is no such x, or if the formula is another one. `worst` is the x of its largest error so
    far."""
    if not formula or formula != experiment.df:
        return None
    return _among_many(experiment, formula) or (None if worst is None else _at_one(experiment, formula, worst))


@lru_cache(maxsize=256)
def _among_many(experiment: Experiment, formula: str) -> Witness | None:
    studied = sampling.points(experiment, 0)[: min(_STUDIED, experiment.samples)]
    return witness(*_derivative_and(experiment, formula), [*NEAR_0, *studied.tolist()])


@lru_cache(maxsize=256)
def _at_one(experiment: Experiment, formula: str, x: float) -> Witness | None:
    return witness(*_derivative_and(experiment, formula), [x])


def _derivative_and(experiment: Experiment, formula: str) -> tuple[Callable[[arb], arb], Callable[[arb], arb]]:
    function = experiment.differentiated
    tree = parse(formula, definitions(functions.FUNCTIONS[function].where))
    return COMPUTED[function].exact, power_series.value(tree)
