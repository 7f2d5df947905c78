"""Tell whether two ways to compute the same numbers differ by rounding or by something else.

A study fills a `State` from its tally, at any moment of its run. `verdict` writes the words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from lib.floats.exact_floats import FORMATS

FEW_UNITS = 64
"""Without a proved bound, a difference of more rounding units than this is not called rounding.
In 10^7 samples of the default network it stayed below 4.3, and in 10^5 batched samples of the
networks 64 64 2, 5 256 2 and 5 10 10 10 10 2 below 4.6."""

LARGE = 0.01
"""A difference of at least this share of the largest component of its sample counts as large."""

CANCELLED = 0.5
"""Terms cancel where their sum is at most this share of the sum of their sizes."""


class Outcome(Enum):
    """What a difference is: see `outcome_of`."""

    UNKNOWN = auto()
    NOTHING = auto()
    ANOTHER = auto()
    EXCESS = auto()
    APPROXIMATION = auto()
    LOST = auto()
    CANCELLED = auto()
    ROUNDING = auto()


@dataclass(frozen=True)
class State:
    """What was measured of two ways so far. Sizes are of components that are finite on both sides.

    S is the sum of the absolute values of all terms of a component.

    Attributes:
        first, second: the names of the two ways.
        dtype: the name of the dtype.
        checks: how many vectors were compared.
        finite: components that are finite on both sides.
        different: finite components that differ.
        largest: the largest difference.
        relative: the largest difference relative to the largest component of its vector.
        units: the largest difference in rounding units. Where S is not measured, the largest error
            in unit roundoffs of the exact value.
        bound: how many rounding units are proved to be possible. None if nothing is proved, or if
            the bound is larger than S itself.
        beyond: components above the bound.
        not_close: vectors in which `assert_close` fails with its defaults, in one order of its
            arguments or in both.
        kept: the largest abs(exact value)/S of the components in which `assert_close` fails, or
            whose difference is `LARGE`: what cancellation leaves there.
        lost: for each way, how many vectors have a value that is 0, infinite or NaN although the
            exact value is not, or finite although the exact value is beyond the largest float.
        closer: components by who is closer: first, second, tie, undecided.
        another: a sentence, why the two are not the same function, or "".
        approximates: a sentence, why one of the two only approximates the other, or "".
        instead: sentences, what to do in these two cases, or where a way is `lost`.
        equal: a sentence, how to get equal values.
        zero: a sentence, why the exact value is 0, or "" if it is not known to be.
        size: a sentence, how large the difference is, where S is not measured; else "".
        passes: an rtol and an atol with which `assert_close` never fails.
        unknown: the reason given if no component is finite on both sides, as the end of a
            sentence.
        where: for which components the tolerance passes, as the end of a sentence, or "" for all.
        vectors, components: the word for one, and for several.
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
    lost: tuple[int, int] = (0, 0)
    closer: Sequence[int] = (0, 0, 0, 0)
    another: str = ""
    approximates: str = ""
    instead: str = ""
    equal: str = ""
    zero: str = ""
    size: str = ""
    passes: tuple[float, float] | None = None
    unknown: str = "no component is finite on both sides"
    where: str = ""
    vectors: tuple[str, str] = ("sample", "samples")
    components: tuple[str, str] = ("component", "components")


def outcome_of(state: State) -> Outcome:
    """Return the outcome of a state: the first of these that holds.

    1. ANOTHER: the two are proved to be different functions, such as the derivative of tanh and
       1 - tanh(x). This is so however close their values are.
    2. LOST: a value is 0, infinite, NaN or finite by mistake. 1 - tanh(x)**2 saturates: it is 0
       from x = 9.1 on in float32, which an absolute tolerance hides. Where the exact value is
       beyond the largest float, a value may be finite by mistake, even if its digits are right.
    3. UNKNOWN: nothing is finite on both sides.
    4. NOTHING: no finite values differ.
    5. EXCESS: a difference is more than rounding is proved to allow.
    6. CANCELLED: the exact value is known to be 0.
    7. APPROXIMATION: one only approximates the other, as finite differences do. It is not known
       how much of a difference is rounding.
    8. CANCELLED, if S is not measured and an error is more than `FEW_UNITS` units: at x = 5,
       1 - tanh(x)**2 is a small difference of large numbers. Smaller errors are ROUNDING, even if
       `assert_close` fails: in bfloat16 three roundings can exceed 1%.
    9. UNKNOWN: no bound is proved, and the difference is more than `FEW_UNITS` rounding units.
       Cancellation is not the reason, since rounding units are relative to S.
    10. CANCELLED: `assert_close` fails or a difference is `LARGE`, and terms cancel there. No
        difference may be `LARGE` relative to S: such a difference does not come from cancellation,
        but for example from a ReLU that is on in only one of the two ways.
    11. ROUNDING: anything else.
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
    if state.zero:
        return Outcome.CANCELLED
    if state.approximates:
        return Outcome.APPROXIMATION
    many_units = state.units > FEW_UNITS
    if state.size:
        return Outcome.CANCELLED if many_units else Outcome.ROUNDING
    if state.bound is None and many_units:
        return Outcome.UNKNOWN
    is_far = state.not_close > 0 or state.relative >= LARGE
    is_large_beside_s = state.units / 2 ** FORMATS[state.dtype].precision >= LARGE
    if is_far and not is_large_beside_s and state.kept <= CANCELLED:
        return Outcome.CANCELLED
    return Outcome.ROUNDING
