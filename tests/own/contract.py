"""The contract of what is said of two results of one's own: of made-up numbers, one tensor on each side."""

from math import floor, inf, isfinite, isnan, log10, nan
from typing import NamedTuple

import numpy as np
import torch

from lib.own.difference import Difference
from lib.own.sentences import SENTENCES
from lib.own.slope import Slope
from lib.own.watch import Seen
from tests.sentences import Contract, Expected

UP = float(np.nextafter(np.float32(1), np.float32(2)))
RIGHT, WRONG = Slope(1.0, 1e-8, 1.0 + 1e-8), Slope(2.0, 1e-8, 1.0)
KINK, BLIND = Slope(2.0, inf, 1.0), Slope(1.0, 1e-3, 1.0)


class State(NamedTuple):
    """Both sides in float32, and in float64 or not, slopes, and what was seen; `kind` is by hand."""

    kind: str
    first: list[float]
    second: list[float]
    exact: tuple[list[float], list[float]] | None
    slopes: tuple[Slope, ...] = ()
    causes: str = ""
    unseen: str = ""
    overflow: bool = False
    off: bool = False


STATES = [
    State("equal", [1, 2], [1, 2], ([1, 2], [1, 2]), (RIGHT,)),
    State("equal", [1, 2], [1, 2], ([1, 2], [1, 2]), (KINK,)),
    State("equal", [0, 2], [0, 2], ([1e-9, 2], [1e-9, 2]), (BLIND,)),
    State("rounding", [1, 2], [UP, 2], ([1 + 2e-16, 2], [1, 2]), (RIGHT,)),
    State("rounding", [1, 2], [UP, 2], ([1.00000002, 2], [1.00000002, 2])),
    State("undecided", [1, 2], [UP, 2], ([1 + 1e-9, 2], [1, 2])),
    State("undecided", [1, 2], [UP, 2], None),
    State("not rounding", [1, nan], [1, nan], ([1, nan], [1, nan])),
    State("not rounding", [1, inf], [1, inf], ([1, inf], [1, inf])),
    State("undecided", [1, inf], [1, 2], ([1, 2], [1, 2])),
    State("undecided", [1, inf], [1, 2], None),
    State("not rounding", [1, inf], [1, 2], ([1, 2], [1, 2]), overflow=True),
    State("not rounding", [1, inf], [1, 2], ([1, inf], [1, 2])),
    State("not rounding", [1, 2], [16, 32], ([1, 2], [16, 32]), (WRONG,)),
    State("not rounding", [1, 2], [1, 2], ([1, 2], [1, 2]), (WRONG,), "detach() at net.py:3"),
    State("not rounding", [1, 2], [1, 3], ([1, 2], [1, 3]), (), "detach() at net.py:3"),
    State("not rounding", [1, 2], [1, 3], ([1, 2], [1, 3])),
    State("not rounding", [1, 2], [1, 3], ([1, 2], [1, 3]), unseen="numpy() at net.py:3"),
    State("undecided", [1, 2], [UP, 2], ([1, 2], [UP, 2]), unseen="numpy() at net.py:3"),
    State("not rounding", [3, 4], [3, 4], ([3, 4.05], [3, 4.05]), off=True),
]


def difference(s: State) -> Difference:
    def both(sides, dtype):
        return [[torch.tensor(side, dtype=dtype)] for side in sides]

    own = both((s.first, s.second), torch.float32)
    wide = both(s.exact, torch.float64) if s.exact else None
    spread = np.full((2, 2), 0.01 if s.off else nan) if s.off or s.overflow else None
    causes, unseen = ({text: None} if text else {} for text in (s.causes, s.unseen))
    seen = Seen(causes, unseen, "It begins.")
    result = Difference("Gradient", "f", "g", ("x",), own, wide, lambda: spread, s.slopes, seen)
    assert result.kind == s.kind, (s, result.kind)
    return result


def pairs(s: State) -> list[tuple[float, float]]:
    return list(zip(s.first, s.second, strict=True))


def finite(s: State) -> bool:
    return all(isfinite(a) and isfinite(b) for a, b in pairs(s))


def differ(s: State) -> int:
    return sum(a != b and not (isnan(a) and isnan(b)) for a, b in pairs(s))


def shown(when: object, **figures: object) -> Expected:
    return figures if when else None


def digits(s: State) -> int:
    return min(
        (floor(-log10(30 * slope.error)) if slope.error < 1 else 0 for slope in s.slopes), default=0
    )


def factor(s: State) -> bool:
    return s.second == [16 * a for a in s.first]


def lost(side: list[float]) -> int:
    return sum(not isfinite(value) for value in side)


def stay(s: State) -> int:
    pairs = zip(s.first, s.second, *s.exact, strict=True)
    return sum(not isfinite(a + b) and not isfinite(c + d) for a, b, c, d in pairs)


SAME = ("equal", "rounding")
ORACLES = [
    lambda s: shown(s.first == s.second and not any(map(isnan, s.first)), first="f", second="g"),
    lambda s: shown(
        any(isfinite(a) and isfinite(b) and a != b for a, b in pairs(s)),
        first="f",
        second="g",
        differing=str(differ(s)),
        components=str(len(s.first)),
        apart=lambda text: (text == "1") == (s.second[0] == UP),
    ),
    lambda s: shown(
        not finite(s),
        **{"lost[0]": str(lost(s.first)), "lost[1]": str(lost(s.second))},
        first="f",
        second="g",
        components="2",
    ),
    lambda s: shown(not finite(s) and s.exact, stay=lambda text: int(text) == stay(s)),
    lambda s: shown(s.overflow),
    lambda s: shown(not finite(s), **{"seen.begins": "It begins."}),
    lambda s: shown(
        s.exact and finite(s) and differ(s),
        throughout="except in numpy() at net.py:3" if s.unseen else "throughout",
        remains=lambda text: (float(text) > 0) == (s.kind != "rounding"),
    ),
    lambda s: shown(s.off, off=lambda text: 0.009 < float(text) < 0.011),
    lambda s: shown(
        WRONG in s.slopes,
        **{"wrong.measured": "2", "wrong.error": "1e-08", "wrong.by_gradient": "1"},
    ),
    lambda s: shown(s.kind in SAME and s.slopes, digits=f"{digits(s)}"),
    lambda s: shown(factor(s), second="g", factor="16", first="f"),
    lambda s: shown(s.causes, causes="detach() at net.py:3"),
    lambda s: shown(s.kind == "undecided"),
]

CONTRACTS = [Contract(SENTENCES, difference, lambda: STATES, ORACLES)]
