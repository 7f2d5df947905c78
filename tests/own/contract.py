"""The contract of what is said of two results of one's own: of made-up numbers, one tensor on each side."""

from math import floor, inf, isclose, isfinite, isnan, log10, nan
from typing import NamedTuple

import numpy as np
import torch

from lib.own.difference import Difference
from lib.own.report import MEAN, SENTENCES, Facts, Report
from lib.own.slope import Slope
from tests.sentences import Contract, Expected, read

UP = float(np.nextafter(np.float32(1), np.float32(2)))
RIGHT, WRONG = Slope(1.0, 1e-8, 1.0 + 1e-8), Slope(2.0, 1e-8, 1.0)
KINK, BLIND = Slope(2.0, inf, 1.0), Slope(1.0, 1e-3, 1.0)


class State(NamedTuple):
    """Both sides in float32, both in float64 or none, the slopes, and causes found; `is` is the kind by hand."""

    kind: str
    one: list[float]
    other: list[float]
    exact: tuple[list[float], list[float]] | None
    slopes: tuple[Slope, ...] = ()
    causes: tuple[str, ...] = ()


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
    State("not rounding", [1, 2], [1, 3], ([1, 2], [1, 3]), (), ("detach() at net.py:3", "Mine.backward")),
    State("not rounding", [1, 2], [1, 3], ([1, 2], [1, 3])),
]
MATRIX = State("not rounding", [1, 2, 3, 4], [1, 3, 2, 4], ([1, 2, 3, 4], [1, 3, 2, 4]))


def difference(s: State) -> Difference:
    def both(sides, dtype):
        shape = (2, 2) if len(s.one) == 4 else (-1,)
        return tuple((torch.tensor(side, dtype=dtype).reshape(shape),) for side in sides)

    own = both((s.one, s.other), torch.float32)
    wide = both(s.exact, torch.float64) if s.exact else None
    return Difference("Gradient", ("f", "g"), ("x",), own, wide, None, s.slopes, s.causes)


def facts(s: State) -> Facts:
    found = Facts.of(difference(s))
    assert found.kind == s.kind, (s, found.kind)
    return found


def pairs(s: State) -> list[tuple[float, float]]:
    return list(zip(s.one, s.other, strict=True))


def finite(s: State) -> bool:
    return all(isfinite(a) and isfinite(b) for a, b in pairs(s))


def unmatched(s: State) -> bool:
    return any(not (isfinite(a) and isfinite(b)) and not (isnan(a) and isnan(b)) and a != b for a, b in pairs(s))


def differ(s: State) -> int:
    return sum(a != b and not (isnan(a) and isnan(b)) for a, b in pairs(s))


def shown(when: object, **figures: object) -> Expected:
    return figures if when else None


def named(when: object, figures: dict[str, object]) -> Expected:
    return figures if when else None


def digits(s: State) -> int:
    found = [0]
    for slope in s.slopes:
        found = [0 if slope.error == inf else floor(-log10(30 * slope.error / abs(slope.by_gradient)))]
    return found[0]


def factor(s: State) -> bool:
    return s.other == [16 * a for a in s.one]


def transposed(s: State) -> bool:
    return s == MATRIX


def lost(s: State) -> bool:
    return bool(s.exact) and s.one[0] == 0 != s.exact[0][0]


def reads(text: str, expected: float) -> bool:
    return isclose(read(text), expected, rel_tol=0.05)


SAME = ("equal", "rounding")
ORACLES = [
    lambda s: shown(not differ(s), one="f", other="g"),
    lambda s: shown(
        any(isfinite(a) and isfinite(b) and a != b for a, b in pairs(s)),
        one="f",
        other="g",
        differ=f"{differ(s)} of {len(s.one)} components",
        apart=lambda text: text == "1 float" if s.other[0] == UP else text.endswith("floats"),
    ),
    lambda s: shown(unmatched(s)),
    lambda s: shown(s.kind == "undecided" and not finite(s)),
    lambda s: shown(s.exact and differ(s), remains=lambda text: text != "", expected="1.9 × 10⁻⁹"),
    lambda s: shown(s.kind == "undecided" and s.exact and finite(s)),
    lambda s: shown(s.kind == "undecided" and not s.exact),
    lambda s: shown(WRONG in s.slopes, measured="2 ± 1e-08, not 1"),
    lambda s: shown(s.kind in SAME and digits(s) >= 3, digits=f"{digits(s)}"),
    lambda s: shown(s.kind in SAME and s.slopes and digits(s) < 3),
    lambda s: shown(s.kind == "not rounding" and factor(s), other="g", factor="16", one="f"),
    lambda s: shown(transposed(s), other="g", one="f"),
    lambda s: shown(s.causes, causes="detach() at net.py:3 and Mine.backward"),
    lambda s: shown(s.kind == "not rounding" and not s.causes and not factor(s) and not transposed(s)),
    lambda s: shown(s.kind in SAME and lost(s), lost="1 component", example="x[0] is 0, there 1e-09"),
    lambda s: named(
        s.kind == "rounding",
        {
            "errors[0]": lambda text: reads(text, max(map(abs, np.subtract(s.one, np.mean(s.exact, 0))))),
            "errors[1]": lambda text: reads(text, max(map(abs, np.subtract(s.other, np.mean(s.exact, 0))))),
            "one": "f",
            "other": "g",
            "closer[0]": "1",
            "closer[1]": "0",
        },
    ),
]

CONTRACTS = [
    Contract(SENTENCES, facts, lambda: [*STATES, MATRIX], ORACLES),
    Contract(
        [MEAN],
        lambda terms: Report((), (), (), "input", terms),
        lambda: [0, 1, 2, 1000],
        [lambda terms: shown(terms > 1, mean_of=f"{terms:,}")],
    ),
]
