"""The verdict on two ways to compute the same numbers, in words, the same for all tabs.

It follows from the outcome of the measured state, so that the answers of a tab, and of all tabs,
cannot contradict each other or the figures.
"""

from dataclasses import dataclass

from lib.experiment.choices import DTYPES
from lib.floats.outcome import Outcome, State, outcome_of
from lib.floats.quantities import at_most, percent, rounded_up, share_of, significant

_CHECK = "`torch.testing.assert_close`"
_LOOK = "Look for the cause first: a tolerance would hide it."
_ZERO = "Exactly 0 is right."
_PRECISION = "If you need these digits, compute in higher precision."


@dataclass(frozen=True)
class Verdict:
    """The outcome, and three answers: whether it is a bug, which side is right, what to do.

    An answer may be "".
    """

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
        right = _ZERO if state.zero else ""
        remedy = state.instead if state.approximates else ""
        return Verdict(outcome, unknown, right, remedy)
    bug, remedy = _bug_and_remedy(outcome, state)
    return Verdict(outcome, bug, _right(outcome, state), remedy)


def _bug_and_remedy(outcome: Outcome, state: State) -> tuple[str, str]:
    checks = _counted(state.checks, state.vectors)
    match outcome:
        case Outcome.ANOTHER:
            return f"They are not the same function. {state.another}", state.instead
        case Outcome.APPROXIMATION:
            return (
                f"A difference is expected. {state.approximates} {_relative(state)}",
                state.instead,
            )
        case Outcome.LOST:
            first, second = state.lost
            return (
                f"At some {state.vectors[1]}, a value is 0, infinite, NaN or finite by mistake: "
                f"{state.first} at {first:,} of {checks}, {state.second} at {second:,}."
            ), state.instead
        case Outcome.UNKNOWN:
            wider = " In float64 rounding errors shrink, and a bug stays."
            return (
                f"Cannot be said: no useful bound is proved. {_in_units(state)}"
                f"{'' if state.dtype == 'float64' else wider}"
            ), _LOOK
        case Outcome.EXCESS:
            return (
                f"Look into it: in {_counted(state.beyond, state.components)} the difference is "
                "more than rounding is proved to allow, up to "
                f"{significant(rounded_up(state.units))} rounding units. It is a bug, or code with "
                "more roundings than the bound counts."
            ), _LOOK
        case Outcome.NOTHING if state.size:
            return state.size, ""
        case Outcome.NOTHING:
            components = _counted(state.finite, state.components)
            return (
                f"No sign of one{state.where}: the values are equal in {components}.",
                f"Nothing to do: no difference was seen{state.where}.",
            )
        case Outcome.CANCELLED if state.size:
            more_digits = "Another formula or higher precision may give more digits."
            return f"More than the last digit is off. {state.size}", _tolerance(state, more_digits)
        case Outcome.CANCELLED if state.zero:
            return (
                f"No sign of one. {state.zero} All that is shown is rounding noise, at most "
                f"{at_most(state.largest)}."
            ), _tolerance(state)
        case Outcome.CANCELLED:
            return (
                f"No sign of one: terms cancel. {_cancellation(state)} {_in_units(state)}"
            ), _tolerance(state, _PRECISION if state.kept else "")
        case _ if state.size:
            return f"Rounding fits. {state.size}", _tolerance(state)
    return f"No sign of one: rounding. {_relative(state)} {_in_units(state)}", _tolerance(state)


def _relative(state: State) -> str:
    """Say how large the differences are, relative to the largest number of their vectors."""
    return (
        f"In {_counted(state.checks, state.vectors)} the two numbers of a component differ by at "
        f"most {share_of(state.relative)} of the largest component of their {state.vectors[0]}."
    )


def _cancellation(state: State) -> str:
    """Say where terms cancel, and how much of the sum of their sizes is left there."""
    kept = f"at most {share_of(state.kept)}" if state.kept else "nothing"
    return (
        f"Where {_CHECK} fails or values differ by 1% of the largest component of their "
        f"{state.vectors[0]}, cancellation leaves {kept} of the sum of the terms' sizes."
    )


def _right(outcome: Outcome, state: State) -> str:
    first, second, tie, undecided = state.closer
    judged = sum(state.closer)
    components = _counted(judged, state.components)
    texts = []
    if state.zero:
        texts.append(_ZERO)
    elif outcome is Outcome.ANOTHER:
        texts.append(f"{state.first[:1].upper()}{state.first[1:]}, up to rounding.")
    if not judged:
        texts.append("None has been judged.")
    elif judged == tie and not state.different:
        texts.append(f"Both gave the same values in {components}.")
    else:
        texts.append(
            f"Of {components}, {state.first} is closer in {percent(first, judged)}, "
            f"{state.second} in {percent(second, judged)}."
        )
        if undecided:
            texts.append(f"Undecided: {percent(undecided, judged)}.")
        if tie:
            texts.append("The others tie.")
    return " ".join(texts)


def _in_units(state: State) -> str:
    limit = ""
    if state.bound is not None:
        limit = f"; the proved limit for rounding is {significant(state.bound)}"
    units = significant(rounded_up(state.units))
    return f"They differ by at most {units} rounding units{limit}."


def _tolerance(state: State, digits: str = "") -> str:
    """Say how to get more digits, which tolerance passes, and how to get equal values.

    If `atol` is the largest difference, the check passes in every dtype, since rounding is
    monotonic.
    """
    rtol, atol = DTYPES[state.dtype].tolerances
    defaults = f"its defaults for {state.dtype}, rtol={rtol:g} and atol={atol:g}"
    if state.not_close:
        passes = state.passes or (0.0, state.largest)
        limits = [at_most(limit) if limit else "0" for limit in passes]
        tolerance = (
            f"In a test, {_CHECK} fails with {defaults}, in {state.not_close:,} of "
            f"{_counted(state.checks, state.vectors)}, in one order of its arguments or in both. "
            f"It passes with rtol={limits[0]} and atol={limits[1]}{state.where}."
        )
    else:
        tolerance = f"In a test, {_CHECK} passes with {defaults}{state.where}."
    return " ".join(filter(None, (digits, tolerance, state.equal)))


def _counted(number: int, names: tuple[str, str]) -> str:
    return f"{number:,} {names[number != 1]}"
