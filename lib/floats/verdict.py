"""The one verdict on two ways to compute the same numbers, in words for every card.

A study fills a `State` from its tally, at any moment of its run. `verdict` finds the outcome and
writes the texts, so that the cards of a tab, and of all tabs, cannot contradict each other or the
figures.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil

from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import FORMATS
from lib.floats.quantities import at_most, percent, power_of_two, rounded_up, significant

FEW_UNITS = 64
"""Without a proved bound, a difference of more rounding units is not called rounding: in 10^7
samples of the post's network it stayed below 4.3, and it grows as the square root of the number of
terms."""

LARGE = 0.01
"""A difference of this share of its sample's largest component is beyond the last digits."""

CANCELLED = 0.5
"""Terms cancel where at most this share of S, the sum of their sizes, is left."""

_CHECK = "`torch.testing.assert_close`"


class Outcome(StrEnum):
    UNKNOWN = "cannot be said"
    NOTHING = "nothing differs"
    ANOTHER = "not the same function"
    EXCESS = "more than rounding"
    LOST = "saturated or underflowed"
    CANCELLED = "cancellation"
    ROUNDING = "rounding"


@dataclass(frozen=True)
class State:
    """What was measured of two ways so far. Sizes are of components that are finite on both sides.

    Attributes:
        first, second: the names of the two ways.
        dtype: the name of the dtype.
        checks: how many vectors were compared.
        finite: components that are finite on both sides.
        different: those of them that differ.
        largest: the largest difference.
        relative: the largest difference relative to the largest component of its vector.
        units: the largest difference in rounding units. Where S is not measured, the largest error
            in unit roundoffs of the exact value.
        bound: how many rounding units are proved to be possible. None if nothing is proved, or only
            a bound above S.
        beyond: components above the bound.
        not_close: vectors in which `assert_close` fails with its defaults, in one order of its
            arguments or in both.
        kept: the largest share of S that is left in a component that fails so, or whose difference
            is `LARGE`.
        underflowed: vectors in which S is below the smallest normal number in such a component.
        lost: how often each way is 0, infinite, NaN or finite by mistake.
        closer: components by who is closer: first, second, tie, undecided.
        another: why the two are not the same function.
        instead: what to do then, or where no digit is right.
        equal: how to get equal values.
        zero: why the exact value is 0, if it is known to be.
        size: how large the difference is, where S is not measured.
        passes: an rtol and an atol with which `assert_close` never fails.
        unknown: why nothing can be said without a finite component.
        where: for which components the tolerance passes, if not for all.
        vectors, components: the names of one and of several.
    """

    first: str
    second: str
    dtype: str
    checks: int = 0
    finite: int = 0
    different: int = 0
    largest: float = 0.0
    relative: float = 0.0
    units: float = 0.0
    bound: float | None = None
    beyond: int = 0
    not_close: int = 0
    kept: float = 0.0
    underflowed: int = 0
    lost: tuple[int, int] = (0, 0)
    closer: Sequence[int] = (0, 0, 0, 0)
    another: str = ""
    instead: str = ""
    equal: str = ""
    zero: str = ""
    size: str = ""
    passes: tuple[float, float] | None = None
    unknown: str = "no component is finite on both sides"
    where: str = ""
    vectors: tuple[str, str] = ("sample", "samples")
    components: tuple[str, str] = ("component", "components")


@dataclass(frozen=True)
class Verdict:
    """The outcome, and what the cards say: whether it is a bug, which side is right, what to do."""

    outcome: Outcome
    bug: str
    right: str
    remedy: str

    @property
    def matter(self) -> str:
        """Whether the difference matters: what it is, and what to do."""
        return " ".join(filter(None, dict.fromkeys((self.bug, self.remedy))))


def verdict(state: State) -> Verdict:
    """Return the verdict on a state."""
    outcome = outcome_of(state)
    if outcome is Outcome.UNKNOWN and not state.finite:
        unknown = "Cannot be said yet: nothing is measured."
        if state.checks:
            unknown = f"Cannot be said: {state.unknown}."
        return Verdict(outcome, unknown, unknown, unknown)
    return Verdict(outcome, _bug(outcome, state), _right(outcome, state), _remedy(outcome, state))


def outcome_of(state: State) -> Outcome:
    """Return the first of these outcomes that holds of a state.

    1. ANOTHER: the two are proved to be different functions, such as the derivative of tanh and
       1 - tanh(x). This is so however close their values are.
    2. LOST: a value is 0, infinite, NaN or finite by mistake. 1 - tanh(x)**2 saturates: it is 0
       from x = 9.1 on in float32, and no digit is right, so that no tolerance makes sense.
    3. UNKNOWN: nothing is finite on both sides.
    4. NOTHING: no finite values differ.
    5. EXCESS: a difference is more than rounding is proved to allow.
    6. LOST: the terms of a component with a large difference underflow.
    7. CANCELLED: the exact value is 0, or the check fails or a difference is large, where little
       of S is left. Where S is not measured, an error is more than `FEW_UNITS` units: in bfloat16
       two roundings can exceed 1%, and in float16 they can fail the check. 1 - tanh(x)**2 at
       x = 5 and GELU's derivative at x = -5 are small differences of large numbers: some digits
       are right.
    8. UNKNOWN: no bound is proved, and there are too many rounding units to call it rounding.
    9. ROUNDING: anything else.
    """
    if state.another:
        return Outcome.ANOTHER
    if any(state.lost):
        return Outcome.LOST
    if not state.finite:
        return Outcome.UNKNOWN
    if not state.different:
        return Outcome.NOTHING
    if state.beyond:
        return Outcome.EXCESS
    if state.underflowed and not state.zero:
        return Outcome.LOST
    is_far = state.not_close > 0 or state.relative >= LARGE
    if state.size:
        is_far = state.units > FEW_UNITS
    if state.zero or is_far and state.kept <= CANCELLED:
        return Outcome.CANCELLED
    if state.bound is None and state.units > FEW_UNITS:
        return Outcome.UNKNOWN
    return Outcome.ROUNDING


def _bug(outcome: Outcome, state: State) -> str:
    checks = _counted(state.checks, state.vectors)
    components = _counted(state.beyond, state.components)
    match outcome:
        case Outcome.ANOTHER:
            return f"They are not the same function. {state.another}"
        case Outcome.LOST if state.underflowed:
            return (
                f"No sign of one: underflow. In {state.underflowed:,} of {checks} the terms of a "
                "component with a large difference add up, by size, to less than "
                f"{_smallest_normal(state.dtype)}, the smallest normal {state.dtype}. "
                f"{_in_units(state)}"
            )
        case Outcome.LOST:
            first, second = state.lost
            return (
                f"No digit is right at some {state.vectors[1]}: {state.first} is 0, infinite, NaN "
                f"or finite by mistake at {first:,} of {checks}, {state.second} at {second:,}."
            )
        case Outcome.UNKNOWN:
            return (
                f"Cannot be said: no bound below S is proved. {_in_units(state)}"
                f"{_in_float64(state)}"
            )
        case Outcome.EXCESS:
            return (
                f"Look into it: in {components} the difference is more than rounding is proved to "
                f"allow, up to {significant(rounded_up(state.units))} rounding units. "
                f"{_unit(state)} A bug, or a kernel that rounds more often."
            )
        case _ if state.size:
            return _KINDS[outcome] + state.size
        case Outcome.NOTHING:
            components = _counted(state.finite, state.components)
            return f"No sign of one: nothing differs in {components} with finite values."
        case Outcome.CANCELLED if state.zero:
            return (
                f"No sign of one. {state.zero} All that is shown is the noise that rounding "
                f"leaves, {at_most(state.largest)} apart at most."
            )
        case Outcome.CANCELLED:
            return f"No sign of one: terms cancel. {_cancellation(state)} {_in_units(state)}"
    return (
        f"No sign of one: rounding. In {checks} the difference is at most "
        f"{share_of(state.relative)} of the largest component of its {state.vectors[0]}. "
        f"{_in_units(state)}"
    )


_KINDS = {
    Outcome.NOTHING: "",
    Outcome.CANCELLED: "Digits are lost on the way. ",
    Outcome.ROUNDING: "Rounding. ",
}


def _cancellation(state: State) -> str:
    """Say where terms cancel, and how much of S is left there."""
    where = []
    if state.not_close:
        where.append(f"{_CHECK} fails")
    if state.relative >= LARGE:
        where.append(f"they differ by 1% of the largest component of their {state.vectors[0]}")
    kept = f"at most {share_of(state.kept)}" if state.kept else "nothing"
    return f"Where {' or '.join(where)}, {kept} of S is left."


def _right(outcome: Outcome, state: State) -> str:
    first, second, tie, undecided = state.closer
    judged = sum(state.closer)
    components = _counted(judged, state.components)
    texts = []
    if state.zero:
        texts.append("Exactly 0 is right.")
    elif outcome is Outcome.ANOTHER:
        texts.append(f"{state.first[:1].upper()}{state.first[1:]}, but for rounding.")
    if not judged:
        texts.append("None of them has been judged.")
    elif judged == tie and not state.different:
        texts.append(f"Both gave the same values in {components}.")
    else:
        texts.append(
            f"Of {components}, {state.first} is closer in {percent(first, judged)}, "
            f"{state.second} in {percent(second, judged)}; {percent(tie, judged)} tie."
        )
        if undecided:
            texts.append(f"Undecided: {percent(undecided, judged)}.")
    return " ".join(texts)


def _remedy(outcome: Outcome, state: State) -> str:
    digits = ""
    match outcome:
        case Outcome.LOST if state.underflowed:
            digits = "If you need its digits, compute in a dtype that reaches smaller numbers."
        case Outcome.ANOTHER | Outcome.LOST:
            return state.instead
        case Outcome.UNKNOWN | Outcome.EXCESS:
            return "Look for the cause first: a tolerance would hide it."
        case Outcome.NOTHING:
            return "" if state.size else "Nothing to remove: no difference was seen."
        case Outcome.CANCELLED if state.size or state.kept and not state.zero:
            digits = "If you need its digits, compute in more precision."
    return " ".join(filter(None, (digits, _tolerance(state), state.equal)))


def _in_units(state: State) -> str:
    limit = ""
    if state.bound is not None:
        limit = f", of the {significant(state.bound)} that rounding is proved to allow"
    units = significant(rounded_up(state.units))
    return f"They differ by {units} rounding units at most{limit}. {_unit(state)}"


def _in_float64(state: State) -> str:
    return "" if state.dtype == "float64" else " In float64 rounding shrinks and a bug stays."


def _unit(state: State) -> str:
    """What a rounding unit is, and S."""
    u = power_of_two(-FORMATS[state.dtype].precision)
    return (
        f"A rounding unit is {u}·S and what underflow may lose; S adds up the sizes of all terms."
    )


def _tolerance(state: State) -> str:
    """Which tolerance passes. A difference of `atol` does in every dtype: rounding is monotonic."""
    rtol, atol = DTYPES[state.dtype].tolerances
    defaults = f"its defaults for {state.dtype}, rtol={rtol:g} and atol={atol:g}"
    where = f", {state.where}" if state.where else ""
    if not state.not_close:
        return f"In a test, {_CHECK} passes with {defaults}{where}."
    passes = state.passes or (0.0, state.largest)
    limits = [at_most(limit) if limit else "0" for limit in passes]
    return (
        f"In a test, {_CHECK} fails with {defaults}, in {state.not_close:,} of "
        f"{_counted(state.checks, state.vectors)}, in one order of its arguments or in both. It "
        f"passes with rtol={limits[0]} and atol={limits[1]}{where}."
    )


def _counted(number: int, names: tuple[str, str]) -> str:
    return f"{number:,} {names[number != 1]}"


def _smallest_normal(dtype: str) -> str:
    return significant(float(FORMATS[dtype].value(1 << (FORMATS[dtype].precision - 1))))


def share_of(share: float) -> str:
    """Write a share as an upper bound, in per cent from 1% on."""
    if share >= LARGE:
        return f"{ceil(1000 * share) / 10:g}%"
    return at_most(share) if share else "0"
