"""The contract of what is said of the pitfall."""

from dataclasses import dataclass
from math import log10

import numpy as np

from lib.pitfall.errors import keys
from lib.pitfall.sentences import pitfall_claim, pitfall_rows, why_the_sum
from lib.pitfall.study import PitfallTally
from lib.run.tally import Extreme, Histogram, Place
from tests.contract import ROWS, Row, State, Subject, always, each, has, of_choices, running
from tests.states import counted


@dataclass(frozen=True)
class Entries:
    """`differing` samples have rows that differ; `off` and `off_sum` are the largest distances of an entry.
    Of the entries `compared` with the exact ones, all are off by `right`, and those of the single call by `single`."""

    samples: int = 100
    entries: int = 1000
    differing: int = 0
    rows: int = 200
    backward: int = 150
    off: float = 3.3e-2
    off_sum: float = 2e-9
    compared: int = 1000
    right: float = 1e-9
    single: float = 1.9e-2

    def tally(self) -> PitfallTally:
        place = Place(0, 0, 0)
        return PitfallTally(
            seen=counted({1: self.samples - self.differing, 0: self.differing}),
            backward=counted({1: self.backward, 0: self.rows - self.backward}),
            against_rows=counted({7: self.entries}),
            worst=Extreme(self.off, place if self.off else None),
            worst_sum=Extreme(self.off_sum, place if self.off_sum else None),
            right_errors=Histogram.of(keys(np.full(self.compared, self.right))),
            single_errors=Histogram.of(keys(np.full(self.compared, self.single))),
        )


ENTRIES = {
    "nothing yet": Entries(0, 0, 0, 0, 0, 0, 0, compared=0),
    "none finite": Entries(entries=0, off=0, off_sum=0, compared=0),
    "far off": Entries(),
    "off by no more than their sum": Entries(off=3e-9),
    "the sum itself": Entries(off_sum=0, backward=200),
    "all zero": Entries(off=0, off_sum=0, right=0.0, single=0.0),
    "right rows that are exact": Entries(right=0.0),
    "rows that add little": Entries(right=1e-3, single=2e-3),
    "right rows in float64": Entries(right=2e-18),
    "none compared": Entries(compared=0),
    "rows that differ": Entries(differing=3),
}

CALL = "One call of `torch.autograd.grad` for all rows"


def equal_rows(s: State) -> bool:
    return s.f.entries > 0 == s.f.differing and s.e.outputs > 1


def far(s: State) -> bool:
    return equal_rows(s) and s.number("n") == s.e.outputs and s.f.off <= s.number("x") <= 1.01 * s.f.off


PITFALL = [
    Row(f"{CALL}: the first samples are on their way.", running),
    Row(f"{CALL} gave no finite entries.", has(lambda f: f.samples and not f.entries)),
    Row(
        f"{CALL} is right with one output: there is one row, and it is the sum.",
        lambda s: s.e.outputs == 1 and s.f.entries > 0,
    ),
    Row(f"{CALL} gave rows that differ in {{n}} of {{k}} samples.", lambda s: s.f.differing == s.number("n") > 0),
    Row(
        f"{CALL} gave {{n}} equal rows, and here all rows are equal to their sum.",
        lambda s: equal_rows(s) and s.f.off == 0 and s.number("n") == s.e.outputs,
    ),
    Row(
        f"{CALL} gave {{n}} equal rows, each the sum of all: up to {{x}} off the right row.",
        lambda s: far(s) and (s.f.off_sum == 0 or s.f.off < 2 * s.f.off_sum),
    ),
    Row(
        f"{CALL} gave {{n}} equal rows, each the sum of all: up to {{x}} off the right row, and {{y}} decades closer "
        "to the sum of the rows.",
        lambda s: far(s) and abs(s.number("y") - log10(s.f.off / s.f.off_sum)) <= 0.25 and s.number("y") > 0,
    ),
]

RIGHT_ROWS = [
    Row(
        "Of the {n} rows that one call gave, {p} equal the gradient that `backward()` gives.",
        lambda s: s.number("n") == s.f.rows > 0 and s.share("p", s.f.backward, s.f.rows),
    ),
    Row("The right rows come from {code}.", lambda s: s.e.method in ROWS),
    Row(
        "The right rows come from {code}, since {code2} returns none.",
        lambda s: s.e.method not in ROWS and s.m["code2"] == f"`{s.e.method}`",
    ),
]

MEETING = [
    Row("Gradients flow from the outputs back to the leaf, and add up where paths meet.", always),
    Row("All outputs come from the one x, so all rows meet there.", always),
    Row("However often you ask x, their sum is all it has.", always),
    Row("With one output there is nothing to do: its row is the sum.", lambda s: s.e.outputs == 1),
    Row(
        "Go back once per row: in a loop, or with `is_grads_batched=True` and the identity as `grad_outputs`.",
        lambda s: s.e.outputs > 1,
    ),
    Row(
        "Or give each output a leaf of its own *before* the forward pass: a copy made later is not in the graph.",
        lambda s: s.e.outputs > 1,
    ),
]

SUBJECTS = [
    Subject(pitfall_claim, PITFALL, each(ENTRIES, Entries.tally)),
    Subject(pitfall_rows, RIGHT_ROWS, each(ENTRIES, Entries.tally)),
    Subject(why_the_sum, MEETING, of_choices),
]
