"""The contract of what is said of a replay."""

from dataclasses import replace
from fractions import Fraction

from lib.replay.first_divergence import FirstDivergence
from lib.replay.operations import FIRST_DIVERGENCE, OTHER_METHOD, VERIFIED, facts
from lib.replay.replay import Replay
from tests.sentences import Contract

REPLAYED = Replay(
    4, 3, "float32", "functional", 1.5, 1.25, 1.25, True, True, dot_order="a", sum_order="b"
)
DIVERGENCE = FirstDivergence("sum", "h3", 1.5, (1.0, 0.25), Fraction(5, 4), None)
OPERATIONS = {
    "product": "where a product is rounded",
    "sum": "where an addition is rounded",
    "order": "where the terms are added in another order",
    "rounding": "where the sum is rounded to 16 bits",
    "slope": "where the slope of the activation is multiplied in",
    "sum of rows": "where the rows are added",
}
REPLAYS = [
    REPLAYED,
    replace(
        REPLAYED, jacobian_verified=False, reason="A gradient of this sample is infinite or NaN."
    ),
    replace(REPLAYED, backward_verified=False, reason="It is not revealed.", method="copies"),
    *(
        replace(REPLAYED, first_divergence=replace(DIVERGENCE, operation=name))
        for name in OPERATIONS
    ),
    replace(
        REPLAYED, first_divergence=replace(DIVERGENCE, exact=Fraction(5, 4) + Fraction(1, 2**70))
    ),
    replace(REPLAYED, jacobian_result=1.5, first_divergence=DIVERGENCE),
    replace(REPLAYED, jacobian_result=1.5, replayed="rows", method="jacfwd", method_result=1.75),
]
LABELS = {"functional": "functional.jacobian", "rows": "grad, row by row"}
PLACE = "component 3 of sample 4"


def replayed(s: Replay) -> bool:
    return s.backward_verified and s.jacobian_verified


def diverges(s: Replay) -> bool:
    return bool(s.first_divergence) and s.backward_result != s.jacobian_result


def exact(s: Replay) -> str:
    rounded = float(s.first_divergence.exact)
    return f"{rounded!r}" if Fraction(rounded) == s.first_divergence.exact else f"≈ {rounded!r}"


CONTRACTS = [
    Contract(
        FIRST_DIVERGENCE,
        facts,
        lambda: REPLAYS,
        [
            lambda s: None if replayed(s) else {"place": PLACE, "replay.reason": s.reason},
            lambda s: (
                {
                    "place": PLACE,
                    "label": LABELS[s.replayed],
                    "backward": "1.5",
                    "jacobian": str(s.jacobian_result),
                }
                if replayed(s)
                else None
            ),
            lambda s: (
                {"where": f"the gradient of h3, {OPERATIONS[s.first_divergence.operation]}"}
                if diverges(s)
                else None
            ),
            lambda s: {"there": "1.5", "rows": exact(s)} if diverges(s) else None,
        ],
    ),
    Contract(
        OTHER_METHOD,
        facts,
        lambda: REPLAYS,
        [
            lambda s: (
                {
                    "label": LABELS[s.replayed],
                    "replay.method": s.method,
                    "by_method": str(s.method_result),
                }
                if replayed(s) and s.method != s.replayed
                else None
            )
        ],
    ),
    Contract(
        VERIFIED,
        facts,
        lambda: REPLAYS,
        [lambda s: {"replay.dot_order": "a", "replay.sum_order": "b"} if replayed(s) else None],
    ),
]
