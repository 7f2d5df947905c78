"""What is said of two spellings of one function, f and g."""

from lib.derivative.exact_derivatives import MOST_BITS
from lib.derivative.two_spellings import Comparison, Part
from lib.display.quantities import floats, minus, percent
from lib.experiment.devices import DEVICES
from lib.experiment.query import Experiment

_LEAST = 0.01  # floats between mean errors that are told apart


def spelling_claim(comparison: Comparison) -> str:
    """How often each is correctly rounded, or that they are two functions."""
    if found := comparison.different:
        x, f, g = map(minus, (f"{found.x:.6g}", found.one, found.other))
        return f"f and g are two functions: at x = {x}, f is {f} and g is {g}. Rounding does not explain that."
    whole = comparison.whole
    if whole.exist == 0 and comparison.undecided:
        return f"The value of f is decided at none of {comparison.samples:,} x."
    if whole.exist == 0:
        return f"f has no value at any of {comparison.samples:,} x."
    right, right_g = (percent(one.correct, whole.exist) for one in (whole.f, whole.g))
    if whole.equal == whole.exist:
        return f"f and g end on the same float at all {whole.exist:,} x, correctly rounded for {right}."
    equal = percent(whole.equal, whole.exist)
    return (
        f"f is correctly rounded for {right} of {whole.exist:,} x, g for {right_g}; they end on the same float for "
        f"{equal}."
    )


def spelling_where(comparison: Comparison) -> str:
    """At which x two spellings of one function differ most, and where one of them has no finite value."""
    told = []
    part = max(comparison.ranges, key=_apart, default=None)
    if part and _apart(part) >= _LEAST:
        f, g = (floats(one.mean or 0) for one in (part.f, part.g))
        told.append(f"Their mean errors differ most for {part.range}: f is {f} off there, g is {g} off.")
    for name, one in (("f", comparison.whole.f), ("g", comparison.whole.g)):
        if one.lost:
            told.append(f"Computed, {name} is infinite or NaN at {one.lost:,} x where f rounds to a finite float.")
    return " ".join(told)


def _apart(part: Part) -> float:
    """How far the mean errors are apart; 0 if there is none of one of them."""
    return 0.0 if part.f.mean is None or part.g.mean is None else abs(part.f.mean - part.g.mean)


def spelling_conditions(comparison: Comparison, experiment: Experiment) -> str:
    """At which x two spellings of one function were compared, with what, and what is not counted."""
    told = (
        f"{comparison.samples:,} x in {experiment.dtype} on the {DEVICES[experiment.device].label}, from the first on. "
        "Both are held against the exact value of f (Arb)."
    )
    if outside := comparison.samples - comparison.whole.exist - comparison.undecided:
        told += f" At {outside:,} x f has no value, and no share counts them."
    if comparison.undecided:
        told += f" At {comparison.undecided:,} x {MOST_BITS:,} bits do not decide it, and no share counts them."
    if comparison.overflow:
        told += f" At {comparison.overflow:,} x it is beyond the largest float, and no mean counts them."
    if comparison.whole.exist == 0:
        return told
    return f"{told} No x was found at which the exact values of f and g differ; that is no proof that they are equal."
