"""The contract of what is said of the remedies and of the ladder of dtypes."""

from lib.experiment.choices import DTYPES
from lib.run.tally import ByName, Constant
from lib.variations.ladder import LadderTally, RungTally
from lib.variations.remedies import RemediesTally
from lib.variations.sentences import ladder_claim, ladder_reading, remedies_claim, why_remedies
from tests.contract import (
    Row,
    State,
    Subject,
    alone,
    approximate,
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


LADDERS = {
    "nothing yet": dict.fromkeys(DTYPES, "nothing yet"),
    "apart": dict.fromkeys(DTYPES, "apart"),
    "equal": dict.fromkeys(DTYPES, "equal"),
    "none finite": dict.fromkeys(DTYPES, "none finite"),
    "float16 overflows": dict.fromkeys(DTYPES, "apart") | {"float16": "some not finite"},
    "some only in float64": dict.fromkeys(DTYPES, "none finite") | {"float64": "some not finite"},
    "equal in float32": dict.fromkeys(DTYPES, "apart") | {"float32": "equal"},
}


def on_ladder(s: State) -> list[str]:
    """The dtypes that have a discrepancy to show."""
    return [dtype for dtype, name in s.f.items() if FOUND[name].different]


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
    Row("No discrepancy in any dtype.", lambda s: set(s.f.values()) == {"equal"}),
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
    Row("Components that are infinite or NaN are not counted: {any}.", lambda s: s.m["any"] == lost(s) != ""),
    Row(
        "The range of float16 is the narrowest: numbers that underflow lose digits, and lift its points.",
        lambda s: "float16" in on_ladder(s),
    ),
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
    Subject(remedies_claim, REMEDY, alone(TRIED, tried)),
    Subject(why_remedies, REMEDIES, of_choices),
]
