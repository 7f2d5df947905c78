"""The contract of what is said of one component, against fractions."""

from collections.abc import Iterator
from dataclasses import fields
from fractions import Fraction
from itertools import product
from math import inf, isfinite, nan

from lib.discrepancy.component import Component
from lib.discrepancy.sentences import ENDS
from tests.sentences import Contract, when

State = tuple[tuple[float, float], Fraction | None]
"""Both values, whole numbers that count floats, and the exact value."""

VALUES = [(0.0, -0.0), (1.0, 2.0), (2.0, 1.0), (-3.0, 4.0), (3.0, 3.0), (inf, 1.0), (1.0, nan)]
EXACT = [None, Fraction(0), Fraction(3, 2), Fraction(7, 4), Fraction(10), Fraction(1, 2)]


def states() -> Iterator[State]:
    return product(VALUES, EXACT)


def component(state: State) -> Component:
    (backward, jacobian), exact = state
    known = dict.fromkeys((field.name for field in fields(Component)), None)
    ulps = int(backward - jacobian) if finite(state) else None
    known |= {"backward": backward, "jacobian": jacobian, "ulps": ulps}
    return Component(**known | {"exact": exact, "radius": Fraction()})


def finite(state: State) -> bool:
    return all(map(isfinite, state[0]))


def nearer(state: State) -> float | None:
    """How much nearer the first value is to the exact one; None if that is not known."""
    (backward, jacobian), exact = state
    if not finite(state) or exact is None:
        return None
    return abs(Fraction(jacobian) - exact) - abs(Fraction(backward) - exact)


ORACLES = [
    lambda state: when(not finite(state)),
    lambda state: when(finite(state) and state[1] is None),
    lambda state: when(state[0][0] == state[0][1]),
    lambda state: when((nearer(state) or 0) > 0),
    lambda state: when((nearer(state) or 0) < 0),
    lambda state: when(nearer(state) == 0 and state[0][0] != state[0][1]),
]

CONTRACTS = [Contract(ENDS, component, states, ORACLES)]
