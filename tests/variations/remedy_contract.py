"""The contract of what is said of the remedies and of the ladder of dtypes."""

from functools import partial

import numpy as np

from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from lib.floats.exact_sum import ExactSum
from lib.network.emulated import EMULATIONS
from lib.run.tally import ByName, Constant
from lib.variations.ladder import LadderTally, RungTally
from lib.variations.remedies import RemediesTally
from lib.variations.sentences import emulated_reading, ladder_claim, ladder_reading, remedies_claim, why_remedies
from tests.contract import (
    Row,
    State,
    Subject,
    alone,
    always,
    approximate,
    between_kinks,
    both,
    each,
    linear_difference,
    many_sums,
    many_times,
    narrow,
    of_choices,
    one_pass,
    rows,
    times,
    truncated,
    zero_times,
)
from tests.states import FOUND


def rungs(found: dict[str, str]) -> LadderTally:
    """A ladder of the `FOUND` by their names, by dtype."""
    tallies = {dtype: RungTally(FOUND[name].tally()) for dtype, name in found.items()}
    return LadderTally(ByName(tallies), max(rung.discrepancy.samples for rung in tallies.values()))


EMULATED = [one.label for one in EMULATIONS.values()]
RUNGS = [*DTYPES, *EMULATED]
LADDERS = {
    "nothing yet": dict.fromkeys(RUNGS, "nothing yet"),
    "apart": dict.fromkeys(RUNGS, "apart"),
    "equal": dict.fromkeys(RUNGS, "equal"),
    "none finite": dict.fromkeys(RUNGS, "none finite"),
    "float16 overflows": dict.fromkeys(RUNGS, "apart") | {"float16": "some not finite"},
    "some only in float64": dict.fromkeys(RUNGS, "none finite") | {"float64": "some not finite"},
    "equal in float32": dict.fromkeys(RUNGS, "apart") | {"float32": "equal"},
    "apart only where emulated": dict.fromkeys(DTYPES, "equal") | dict.fromkeys(EMULATED, "apart"),
}


def on_ladder(s: State) -> list[str]:
    """The dtypes that have a discrepancy to show."""
    return [dtype for dtype, name in s.f.items() if dtype in DTYPES and FOUND[name].different]


def lost(s: State) -> str:
    """The components that are not finite, by dtype, as they are counted."""
    of = {dtype: FOUND[name] for dtype, name in s.f.items() if FOUND[name].nonfinite}
    parts = [
        f"{f.nonfinite} of {f.finite + f.nonfinite} in {dtype}" if f.finite else f"all {f.nonfinite} in {dtype}"
        for dtype, f in of.items()
    ]
    return " and ".join([", ".join(parts[:-1])] * (len(parts) > 1) + parts[-1:])


LADDER = [
    Row("The first samples in every dtype are on their way.", lambda s: s.f["float32"] == "nothing yet"),
    Row("No discrepancy in any dtype.", lambda s: {s.f[dtype] for dtype in DTYPES} == {"equal"}),
    Row("No component is finite in any dtype.", lambda s: set(s.f.values()) == {"none finite"}),
    Row(
        "The same network and points, rounded to each dtype: the largest difference is {any}.",
        lambda s: s.m["any"].count("1.12e-08 in ") == len(on_ladder(s)) > 0,
    ),
]

LADDER_READING = [
    Row(
        "On the dashed line the difference is proportional to eps, as rounding errors are within the range of a dtype.",
        lambda s: "float32" in on_ladder(s),
    ),
    Row(
        "The rows of a single call add up to {n} times the gradient in every dtype: that difference does not shrink "
        "with eps.",
        lambda s: many_times(s) and on_ladder(s) and s.number("n") == s.e.outputs,
    ),
    Row(
        "Finite differences have a truncation error besides, which is not proportional to eps.",
        lambda s: truncated(s) and on_ladder(s),
    ),
    Row(
        "Where the step crosses a kink, the error of finite differences is not proportional to eps.",
        lambda s: between_kinks(s) and on_ladder(s),
    ),
    Row(
        "With the step eps^(1/3), cancellation costs about u/h, which is proportional to eps^(2/3).",
        lambda s: approximate(s) and s.e.step is None and on_ladder(s),
    ),
    Row("Components that are infinite or NaN are not counted: {any}.", lambda s: s.m["any"] == lost(s) != ""),
    Row(
        "The range of float16 is the narrowest: numbers that underflow lose digits, and lift its points.",
        lambda s: "float16" in on_ladder(s),
    ),
    Row("Hollow marks are emulated.", lambda s: any(FOUND[s.f[name]].different for name in EMULATED)),
]

TIMES = {
    "nothing yet": None,
    "equal": dict.fromkeys(RUNGS, 0.0),
    "as far apart": dict.fromkeys(RUNGS, 1e-9),
    "farther apart": dict.fromkeys(DTYPES, 1e-9) | dict.fromkeys(EMULATED, 2.5e-6),
    "closer": dict.fromkeys(DTYPES, 1e-9) | dict.fromkeys(EMULATED, 5e-10),
    "equal without": dict.fromkeys(DTYPES, 0.0) | dict.fromkeys(EMULATED, 1e-9),
}
"""The mean difference of each rung."""


def means(found: dict[str, float] | None) -> LadderTally:
    """A ladder of these mean differences."""
    one = FOUND["apart"].tally()
    rungs = {name: RungTally(one, ExactSum.of(np.array([mean]))) for name, mean in (found or {}).items()}
    return LadderTally(ByName(rungs), 100 if found else 0)


def deep() -> list[Experiment]:
    """Networks with sums of up to 257 terms."""
    return [Experiment(inputs=inputs, hidden=hidden) for inputs in (5, 64) for hidden in ((), (10,), (255,), (7, 256))]


def times_as_far(name: str, sign: int, s: State) -> bool:
    """Whether the mean difference of an emulation, or the other way round, is so many times that of its dtype."""
    times = (s.f[name] / s.f[s.m["word"]]) ** sign
    return EMULATIONS_OF[name] == s.m["word"] and times >= 1 and abs(s.number("x") - times) < 0.05 * times


EMULATIONS_OF = {"TF32 (emulated)": "float32", "bfloat16 accumulator (emulated)": "bfloat16"}
EMULATED_READING = [
    Row(
        "Two rows emulate what a graphics card may do in a matrix product: TF32 rounds its factors to 11 significant "
        "bits, with products and sums in float32; a bfloat16 accumulator rounds each partial sum to bfloat16, term by "
        "term.",
        always,
    ),
    Row("Their eps is that of the numbers so rounded.", always),
    Row(
        "Not emulated are the order in which a card adds and the accumulator of its tensor cores, which does not round "
        "to nearest.",
        always,
    ),
    *(
        row
        for name in EMULATED
        for row in (
            Row(f"Mean difference with {name}: {{x}} times that in {{word}}.", partial(times_as_far, name, 1)),
            Row(f"Mean difference in {{word}}: {{x}} times that with {name}.", partial(times_as_far, name, -1)),
        )
    ),
    Row(
        "In a bfloat16 accumulator a sum of ones stands still at 256: 257 lies halfway to the next float, 258, and is "
        "rounded back.",
        lambda s: s.f is not None and 256 in s.e.hidden,
    ),
    Row("The longest sum here has {n} terms.", lambda s: 256 in s.e.hidden and s.number("n") == 257),
]

TRIED = {
    "nothing yet": [],
    "none helps": ["apart"] * 5,
    "all help": ["apart", *["equal"] * 4],
    "none finite": ["none finite"] * 5,
    "two help": ["apart", "equal", "equal", "apart", "none finite"],
}


def tried(names: list[str]) -> RemediesTally:
    found = {f"{'none' if not k else k}": FOUND[name].tally() for k, name in enumerate(names)}
    return RemediesTally(
        ByName(found), max((tally.samples for tally in found.values()), default=0), Constant("float32")
    )


REMEDY = [
    Row("The first samples under each remedy are on their way.", lambda s: not s.f),
    Row(
        "Of {n} remedies, {k} leave no difference in {x} samples.",
        lambda s: s.number("n") == len(s.f) - 1 and s.number("k") == s.f[1:].count("equal"),
    ),
]

REMEDIES = [
    Row(
        "Two results are certain to be equal if both take the same operations in the same order, or if nothing is "
        "rounded.",
        rows,
    ),
    Row("A tolerance does not make a difference go away: it accepts it, as PyTorch's own tests do.", rows),
    Row(
        "For equal values, make both sides do the same additions in the same order, or compute both in float64 and "
        "round once.",
        both(rows, lambda s: narrow(s)),
    ),
    Row(
        "For equal values, make both sides do the same additions in the same order.",
        both(rows, lambda s: not narrow(s)),
    ),
    Row("There is nothing to remove: both sides do the same additions in the same order.", one_pass),
    Row(
        "Change nothing, but compare with a tolerance all the same: another machine or version of PyTorch may use "
        "other kernels.",
        one_pass,
    ),
    Row(
        "No order of additions and no precision turns {k} times a gradient into the gradient.", both(many_times, times)
    ),
    Row("Compute the rows one by one, or sum the outputs first.", many_sums),
    Row(
        "The remedies below that do so leave at most rounding errors; float64 with the same call does not help.",
        many_times,
    ),
    Row(
        "No step makes finite differences and `backward()` round alike, and on paper the two are different numbers.",
        truncated,
    ),
    Row(
        "No step makes finite differences and `backward()` round alike, and where a step crosses a kink the two are "
        "different numbers on paper.",
        between_kinks,
    ),
    Row(
        "Choose a step long enough for cancellation and short enough for the kinks: the section *Which step?* has the "
        "curve.",
        between_kinks,
    ),
    Row("On paper the two are equal, as {any}.", linear_difference),
    Row("But no step makes finite differences and `backward()` round alike.", linear_difference),
    Row("On paper both sides are 0, so only rounding is left to remove.", zero_times),
    Row("But the rows of the single call are not the rows of a Jacobian: each is the sum of all.", zero_times),
    Row(
        "Choose the step where truncation and cancellation balance: the section *Which step?* has the curve.", truncated
    ),
    Row("Choose a longer step: the section *Which step?* has the curve.", linear_difference),
    Row(
        "Or compute in a wider dtype, or use autograd: the remedies below that replace the method leave at most "
        "rounding errors.",
        approximate,
    ),
]

SUBJECTS = [
    Subject(ladder_claim, LADDER, each(LADDERS, rungs)),
    Subject(ladder_reading, LADDER_READING, each(LADDERS, rungs)),
    Subject(emulated_reading, EMULATED_READING, each(TIMES, means, deep)),
    Subject(remedies_claim, REMEDY, alone(TRIED, tried)),
    Subject(why_remedies, REMEDIES, of_choices),
]
