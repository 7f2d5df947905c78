"""How to make the discrepancy go away: each remedy by name, as the two ways to compute the gradient that it compares.

Some remedies change one side, and some both.

NOTE [row by row]: one `backward()` per output adds its row to `x.grad`, so there the rows are added one after the
other, in the order of the outputs. The rows of a Jacobian that is computed row by row too, added in that same order,
give the same bits. Their `J.sum(0)` need not: of 16-bit rows it keeps the sum in float32 and rounds once at the end,
and of many rows it adds several at a time. Nor is any of them the gradient of one `backward()` with ones, which adds
up the outputs' parts before it goes through the earlier layers.
"""

from dataclasses import replace

from lib.experiment.choices import DTYPES
from lib.network.comparison import (
    BACKWARD,
    BACKWARD_ROW_BY_ROW,
    BY_METHOD,
    JACOBIAN,
    PLAIN,
    Comparison,
    Way,
    add_in_order,
    by,
    in_float64,
)

_ROWS_IN_ORDER = Way("J[0] + J[1] + …", lambda subject, x: add_in_order(subject.jacobian(x, "rows")))

REMEDIES = {
    PLAIN: BY_METHOD,
    "summed-output": Comparison("sum the outputs before the Jacobian", BACKWARD, by("summed-output")),
    "rows-in-order": Comparison(
        "backward row by row, the rows added in the same order", BACKWARD_ROW_BY_ROW, _ROWS_IN_ORDER
    ),
    "rows-summed": Comparison(
        "backward row by row, but J.sum(0)", BACKWARD_ROW_BY_ROW, replace(by("rows"), code="J.sum(0)")
    ),
    "float64": Comparison(
        "compute both in float64 and round once",
        in_float64(BACKWARD),
        in_float64(JACOBIAN),
        code_of_both="both with net.double(), x.double(); then {rounding}",
    ),
}
"""`{rounding}` in the code stands for how a remedy rounds from float64: see `code_in`."""

_ROUNDINGS = {
    "float64": "nothing to round: float64 is the widest dtype",
    "float32": ".to(torch.float32)",
    # PyTorch's own .to rounds twice from float64 to 16 bits: `round_once`.
    **{name: f"round once to {name}, which .to(torch.{name}) does not" for name in DTYPES if DTYPES[name].narrow},
}


def code_in(dtype: str | None, remedy: Comparison) -> str:
    """The code of a remedy for an experiment in that dtype, None where it is not known yet."""
    return remedy.code.replace("{rounding}", _ROUNDINGS.get(dtype, "round once"))
