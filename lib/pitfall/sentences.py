"""What the tab says: the claim, why, what one call gave, the three cards, and what each method costs."""

from dataclasses import dataclass

import pandas as pd

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.floats.quantities import counted, microseconds, percent
from lib.floats.sentences import Sentence, Why
from lib.pitfall.costs import rivals
from lib.pitfall.populations import far_apart, typical_sizes
from lib.pitfall.study import PitfallTally, rows_method


@dataclass(frozen=True)
class Facts:
    """What was found: `differing` samples have rows that differ, `compared` entries were held against the exact one,
    `far` says whether the single call is far off, and `exact` whether the right rows typically are not off at all."""

    outputs: int
    samples: int
    entries: int
    compared: int
    differing: int
    alike: str
    rows: int
    backward: str
    right: str
    single: str
    exact: bool
    far: bool
    call: str

    @classmethod
    def of(cls, tally: PitfallTally, experiment: Experiment) -> "Facts":
        far, (right, single) = far_apart(tally, experiment), typical_sizes(tally)
        return cls(
            outputs=experiment.outputs,
            samples=tally.samples,
            entries=tally.entries,
            compared=tally.right_errors.total,
            differing=tally.seen[0],
            alike=percent(tally.seen[1], tally.samples),
            rows=tally.backward.total,
            backward=percent(tally.backward[1], tally.backward.total),
            right=right,
            single=single,
            exact=tally.typical_errors[0] == 0 < tally.typical_errors[1],
            far=far,
            call=METHODS[rows_method(experiment)].call,
        )

    @property
    def several(self) -> bool:
        """Whether there are several rows."""
        return self.outputs > 1

    @property
    def summed(self) -> bool:
        """Whether several rows came back equal wherever one looked."""
        return self.several and self.entries > 0 == self.differing


HEADLINE = (
    Sentence("With one output, one call is right: its row is the sum.", lambda f: not f.several),
    Sentence("Ask for all rows in one call: what comes back?", lambda f: f.several and not f.entries),
    Sentence("Ask for all rows in one call, and every row is the sum.", lambda f: f.summed),
    Sentence(
        "Ask for all rows in one call: they differ in {f.differing:,} of {f.samples:,} samples.",
        lambda f: f.several and f.entries > 0 and f.differing,
    ),
)

REASON = (
    Sentence("`grad(y, x)` sends one gradient back to x: nothing is added to it.", lambda f: not f.several),
    Sentence(
        "`grad([y[0], y[1], …], [x, x, …])` adds up the gradients of all outputs and returns that sum for every x.",
        lambda f: f.several,
    ),
)

ROWS = (
    Sentence(
        "Of the {f.rows:,} rows that one call gave, {f.backward} equal the gradient that `backward()` gives.",
        lambda f: f.rows,
    ),
    Sentence("The right rows come from `{f.call}`."),
)

ROUNDING = (
    Sentence(
        "Yes: with one output the sum is the row, typically off by {f.single}.", lambda f: f.compared and not f.several
    ),
    Sentence(
        "No. Wrong rows are typically off by {f.single}; the right ones, by rounding alone, by {f.right}.",
        lambda f: f.far,
    ),
    Sentence(
        "No. One call is typically off by {f.single}, and the right rows are typically exact.",
        lambda f: f.several and f.exact,
    ),
    Sentence(
        "It cannot be told here: one call is typically off by {f.single}, the right rows by {f.right}.",
        lambda f: f.compared and f.several and not f.far and not f.exact,
    ),
)

FIX = (
    Sentence("None is needed: there is one row, and it is the sum.", lambda f: not f.several),
    Sentence(
        "One call per row: {f.outputs} for your network. Or `is_grads_batched=True`, with the identity matrix as "
        "`grad_outputs`.",
        lambda f: f.several,
    ),
)

NOTICE = (
    Sentence("There is nothing to notice: a single row has no other to equal.", lambda f: not f.several),
    Sentence("Here all rows are equal in {f.alike} of {f.samples:,} samples.", lambda f: f.several and f.samples),
    Sentence("Equal rows are a warning sign, not a proof: right rows can be equal, too.", lambda f: f.several),
)

WHY = Why(
    "Gradients flow from the outputs back to the leaf, and add up where paths meet. All outputs come from the one x, "
    "so all rows meet there. However often you ask x, their sum is all it has.",
    "Go back once per row: in a loop, or with `is_grads_batched=True` and the identity as `grad_outputs`. Or give each "
    "output a leaf of its own *before* the forward pass: a copy made later is not in the graph.",
    {"torch.autograd.grad": "generated/torch.autograd.grad.html"},
)


@dataclass(frozen=True)
class Timed:
    """What was timed with this many `outputs`: the `best` method, its `time`, and the `rivals` whose timings overlap.
    From `vmap` outputs on a batch of cotangents beats the loop; from `forward` on forward mode does, with one pass for
    each of the `inputs`; None if it does not."""

    outputs: str
    best: str
    time: str
    rivals: str
    inputs: str
    vmap: str | None
    forward: str | None

    @classmethod
    def of(cls, costs: pd.DataFrame, experiment: Experiment) -> "Timed":
        known = rivals(costs, experiment.outputs)
        best = None if known.empty else known.iloc[0]
        others = [] if best is None else known[1:][known[1:]["low"] <= best["high"]]["method"]
        medians = costs.pivot(index="outputs", columns="method", values="median")

        def beats_loop(method: str) -> str | None:
            one, loop = (medians.reindex(columns=[name])[name] for name in (method, "rows"))
            faster = (one < loop)[::-1].cummin()  # from the largest number of outputs down
            return counted(int(faster.index[faster].min()), "output") if faster.any() else None

        return cls(
            outputs=counted(experiment.outputs, "output"),
            best="" if best is None else best["method"],
            time="" if best is None else microseconds(best["median"]),
            rivals=", ".join(f"`{method}`" for method in others),
            inputs=counted(experiment.inputs, "input"),
            vmap=beats_loop("batched-grad"),
            forward=beats_loop("jacfwd"),
        )


FASTEST = (
    Sentence("What does one Jacobian cost, with {f.outputs}?", lambda f: not f.best),
    Sentence("With {f.outputs}, `{f.best}` is fastest: {f.time} a Jacobian.", lambda f: f.best),
)

COSTS = (
    Sentence("As fast, as far as these timings tell: {f.rivals}.", lambda f: f.rivals),
    Sentence(
        "All rows at once, by vmap (`batched-grad`), are faster than one by one (`rows`) from {f.vmap} on.",
        lambda f: f.vmap,
    ),
    Sentence(
        "With {f.inputs}, forward mode (`jacfwd`) beats one pass per output (`rows`) from {f.forward} on: it takes one "
        "per input.",
        lambda f: f.forward,
    ),
)
