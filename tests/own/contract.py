"""The contract of what is said of two results of one's own: of made-up numbers, one tensor on each side."""

from math import floor, inf, isfinite, isnan, log10, nan
from typing import NamedTuple

import numpy as np
import torch

from lib.own.difference import SENTENCES, Difference
from lib.own.slope import Slope
from tests.sentences import Contract, Expected

UP = float(np.nextafter(np.float32(1), np.float32(2)))
RIGHT, WRONG = Slope(1.0, 1e-8, 1.0 + 1e-8, 1.003), Slope(2.0, 1e-8, 1.0, 1.0)
KINK, BLIND = Slope(2.0, inf, 1.0, 1.0), Slope(1.0, 1e-3, 1.0, 1.0)


class State(NamedTuple):
    """Both sides in float32, both in float64 or none, the slopes, and causes found; `is` is the kind by hand."""

    kind: str
    one: list[float]
    other: list[float]
    exact: tuple[list[float], list[float]] | None
    slopes: tuple[Slope, ...] = ()
    causes: str = ""
    unseen: str = ""


STATES = [
    State("equal", [1, 2], [1, 2], ([1, 2], [1, 2]), (RIGHT,)),
    State("equal", [1, 2], [1, 2], ([1, 2], [1, 2]), (KINK,)),
    State("equal", [0, 2], [0, 2], ([1e-9, 2], [1e-9, 2]), (BLIND,)),
    State("rounding", [1, 2], [UP, 2], ([1 + 2e-16, 2], [1, 2]), (RIGHT,)),
    State("rounding", [1, 2], [UP, 2], ([1.00000002, 2], [1.00000002, 2])),
    State("undecided", [1, 2], [UP, 2], ([1 + 1e-9, 2], [1, 2])),
    State("undecided", [1, 2], [UP, 2], None),
    State("undecided", [1, nan], [1, nan], ([1, nan], [1, nan])),
    State("undecided", [1, inf], [1, 2], ([1, 2], [1, 2])),
    State("not rounding", [1, inf], [1, 2], ([1, inf], [1, 2])),
    State("not rounding", [1, 2], [16, 32], ([1, 2], [16, 32]), (WRONG,)),
    State("not rounding", [1, 2], [1, 3], ([1, 2], [1, 3]), (), "detach() at net.py:3"),
    State("not rounding", [1, 2], [1, 3], ([1, 2], [1, 3])),
    State("not rounding", [1, 2], [1, 3], ([1, 2], [1, 3]), unseen="numpy() at net.py:3"),
    State("undecided", [1, 2], [UP, 2], ([1, 2], [UP, 2]), unseen="numpy() at net.py:3"),
]
MATRIX = State("not rounding", [1, 2, 3, 4], [1, 3, 2, 4], ([1, 2, 3, 4], [1, 3, 2, 4]))


def difference(s: State) -> Difference:
    def both(sides, dtype):
        shape = (2, 2) if len(s.one) == 4 else (-1,)
        return tuple((torch.tensor(side, dtype=dtype).reshape(shape),) for side in sides)

    own = both((s.one, s.other), torch.float32)
    wide = both(s.exact, torch.float64) if s.exact else None
    found = Difference("Gradient", "f", "g", ("x",), own, wide, own, s.slopes, s.causes, s.unseen)
    assert found.kind == s.kind, (s, found.kind)
    return found


def pairs(s: State) -> list[tuple[float, float]]:
    return list(zip(s.one, s.other, strict=True))


def finite(s: State) -> bool:
    return all(isfinite(a) and isfinite(b) for a, b in pairs(s))


def differ(s: State) -> int:
    return sum(a != b and not (isnan(a) and isnan(b)) for a, b in pairs(s))


def shown(when: object, **figures: object) -> Expected:
    return figures if when else None


def digits(s: State) -> int:
    found = [0]
    for slope in s.slopes:
        found = [0 if slope.error == inf else floor(-log10(30 * slope.error / abs(slope.by_gradient)))]
    return found[0]


def factor(s: State) -> bool:
    return s.other == [16 * a for a in s.one]


SAME = ("equal", "rounding")
ORACLES = [
    lambda s: shown(not differ(s), one="f", other="g"),
    lambda s: shown(
        any(isfinite(a) and isfinite(b) and a != b for a, b in pairs(s)),
        one="f",
        other="g",
        differing=str(differ(s)),
        components=str(len(s.one)),
        apart=lambda text: (text == "1") == (s.other[0] == UP),
    ),
    lambda s: shown(not finite(s), hidden="1"),
    lambda s: shown(s.exact and differ(s) and not s.unseen, remains=lambda text: float(text) >= 0, expected="1.9e-09"),
    lambda s: shown(s.unseen, unseen="numpy() at net.py:3", remains="1"),
    lambda s: shown(s.kind == "undecided" and finite(s)),
    lambda s: shown(WRONG in s.slopes, **{"wrong.measured": "2", "wrong.error": "1e-08", "wrong.by_gradient": "1"}),
    lambda s: shown(s.kind in SAME and digits(s) >= 3, digits=f"{digits(s)}", own_digits="2"),
    lambda s: shown(s.kind in SAME and s.slopes and digits(s) < 3),
    lambda s: shown(factor(s), other="g", factor="16", one="f"),
    lambda s: shown(factor(s), terms="16"),
    lambda s: shown(s == MATRIX, other="g", one="f"),
    lambda s: shown(s.causes, causes="detach() at net.py:3"),
    lambda s: shown(s.kind == "not rounding" and not s.causes and not factor(s) and s != MATRIX),
]

CONTRACTS = [Contract(SENTENCES, difference, lambda: [*STATES, MATRIX], ORACLES)]
