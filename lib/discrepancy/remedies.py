"""How to make the discrepancy go away: each remedy, tried on the same samples.

A remedy is a comparison: some remedies change one side, some both.

NOTE [row by row]: one `backward()` per output adds its row to `x.grad`, so the rows are added one
after the other, in the order of the outputs. If a Jacobian is also computed row by row and its rows
are added in that same order, the bits are the same. `J.sum(0)` need not have these bits: it keeps
the sum of 16-bit rows in float32 and rounds once at the end, and it adds many rows several at a
time. Nor need either of them have the bits of a single `backward()` with ones, which adds up the
outputs' parts before it goes through the earlier layers.

What a remedy costs is a time on this machine at this moment, and so not part of the tally: see
`relative_costs`.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from statistics import median

import pandas as pd

from lib.discrepancy.variants import Variants, VariantsTally
from lib.experiment.query import Experiment
from lib.floats.quantities import size
from lib.network import comparison, network, sampling
from lib.network.comparison import (
    BACKWARD,
    BACKWARD_ROW_BY_ROW,
    PLAIN,
    Comparison,
    Subject,
    Way,
    by,
    in_float64,
)
from lib.network.machine import matmul_flags
from lib.network.timing import in_turns
from lib.reference.compared import Plan

_ROWS_IN_ORDER = Way(
    "J[0] + J[1] + …", lambda subject, x: comparison.add_in_order(subject.jacobian(x, "rows"))
)

REMEDIES = {
    PLAIN: comparison.BY_METHOD,
    "summed-output": Comparison(
        "sum the outputs before the Jacobian", BACKWARD, by("summed-output")
    ),
    "rows-in-order": Comparison(
        "backward row by row, the rows added in the same order", BACKWARD_ROW_BY_ROW, _ROWS_IN_ORDER
    ),
    "rows-summed": Comparison(
        "backward row by row, but J.sum(0)",
        BACKWARD_ROW_BY_ROW,
        replace(by("rows"), code="J.sum(0)"),
    ),
    "float64": Comparison(
        "compute both gradients in float64 and round once",
        in_float64(BACKWARD),
        in_float64(comparison.JACOBIAN),
        # `.to` goes from float64 to 16 bits through float32, and so rounds twice.
        code_of_both="both gradients from net.double() and x.double(), rounded once",
    ),
}
"""The remedies by name."""

_ROUNDS = 7


class Remedies(Variants):
    """Measures each sample under every remedy."""

    @staticmethod
    def variants(experiment: Experiment) -> list[Plan]:
        return [Plan(experiment, REMEDIES)]


def relative_costs(experiment: Experiment) -> dict[str, float]:
    """Return the time of both sides under each remedy, as a multiple of the time without one.

    These are medians over some rounds, on the first sample, or on the first block if batched.
    """
    subject = Subject(experiment, network.build(experiment))
    samples = sampling.block(experiment, 0)
    x = samples if experiment.evaluation == "batched" else samples[0].clone()
    calls = {name: partial(remedy.sides, subject, x) for name, remedy in REMEDIES.items()}
    with matmul_flags(experiment):
        rounds = in_turns(calls, _ROUNDS)
    return {name: median(seconds[name] / seconds[PLAIN] for seconds in rounds) for name in REMEDIES}


def claim(tally: VariantsTally) -> str:
    """Count the remedies that leave no difference, as a sentence."""
    equal = tally.equal_of(name for name in REMEDIES if name != PLAIN)
    return tally.why_no_claim or f"Remedies that leave no difference: {equal}."


def table(tally: VariantsTally, costs: Mapping[str, float]) -> pd.DataFrame:
    """Return a table to read: each remedy, its code, its time, and what it leaves."""
    about = {
        name: {"remedy": remedy.label, "code": remedy.code, "time": f"× {size(costs[name])}"}
        for name, remedy in REMEDIES.items()
    }
    return tally.table(about)
