"""The outcome of two ways to compute the same numbers: what their difference is.

A study fills a `State` from its tally, at any moment of its run. `verdict` writes the words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from lib.floats.exact_floats import FORMATS

FEW_UNITS = 64
"""Without a proved bound, a difference of more rounding units is not called rounding: in 10^7
samples of the default network it stayed below 4.3, and it grows as the square root of the number of
terms."""

LARGE = 0.01
"""A difference of this share of its sample's largest component is beyond the last digits."""

CANCELLED = 0.5
"""Terms cancel where at most this share of the sum of their sizes is left."""


class Outcome(Enum):
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
        kept: the largest share of the sum of the sizes of its terms that is left in a component
            that fails so, or whose difference is `LARGE`.
        lost: how often each way is 0, infinite, NaN or finite by mistake.
        closer: components by who is closer: first, second, tie, undecided.
        another: why the two are not the same function.
        approximates: why one of the two only approximates the other.
        instead: what to do in these two cases, or where a way is `lost`.
        equal: how to get equal values.
        zero: why the exact value is 0, if it is known to be.
        size: how large the difference is, where S is not measured.
        passes: an rtol and an atol with which `assert_close` never fails.
        unknown: why nothing can be said without a finite component.
        where: for which components the tolerance passes, if not for all, as the end of a sentence.
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
    """Return the first of these outcomes that holds of a state.

    1. ANOTHER: the two are proved to be different functions, such as the derivative of tanh and
       1 - tanh(x). This is so however close their values are.
    2. LOST: a value is 0, infinite, NaN or finite by mistake. 1 - tanh(x)**2 saturates: it is 0
       from x = 9.1 on in float32, which an absolute tolerance hides. A value beside an exact one
       that overflows may be finite by mistake and yet have right digits.
    3. UNKNOWN: nothing is finite on both sides.
    4. NOTHING: no finite values differ.
    5. EXCESS: a difference is more than rounding is proved to allow.
    6. CANCELLED: the exact value is known to be 0.
    7. APPROXIMATION: one only approximates the other, as finite differences do. How much of a
       difference is rounding is not known.
    8. UNKNOWN: no bound is proved, and there are too many rounding units to call it rounding.
       Cancellation does not add any: they are relative to S, the sum of sizes.
    9. CANCELLED: the check fails or a difference is large, where little of the terms is left, but
        no difference is large beside S: else it is large without cancellation, too, as where a ReLU
        is on in one way only.
        Where S is not measured, an error is more than `FEW_UNITS` units, whatever its size: in
        bfloat16 three roundings can exceed 1%, and in float16 they can fail the check.
        1 - tanh(x)**2 at x = 5 and GELU's derivative at x = -5 are small differences of large
        numbers: some digits are right.
    10. ROUNDING: anything else.
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
