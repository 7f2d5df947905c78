"""Why a check may have failed whose message holds no values, judged by its greatest differences."""

from dataclasses import dataclass
from fractions import Fraction

from lib.display.quantities import listed
from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import Format
from lib.paste.counts import floats, if_terms_cancel
from lib.paste.evidence import NARROW
from lib.paste.found import APART, BATCH, BUG, DTYPES_TRIED, KERNEL, ORDER, SATURATION, SUMS, UNSAFE, Found
from lib.paste.possible_floats import FEW, in_digits

LEADING = 1 / 100
"""Relative to the expected value: from here on, the leading digits differ."""


@dataclass(frozen=True)
class Greatest:
    """A greatest difference: its size, which may be infinite or NaN, its index, and what was allowed, or None.

    `is_whole` says that it is printed as an integer: those of integers, and of True and False, are.
    """

    size: float
    index: str
    allowed: float | None
    is_whole: bool = False


def cause(apart: int, absolute: Greatest, greatest: Greatest, form: Format) -> Found | None:
    """Return the likely cause of two greatest differences, `apart` floats where the absolute one is."""
    if apart <= FEW:
        return few(apart, form)
    relative = greatest.size
    if abs(relative - 1) <= 4 * form.eps:
        return Found(
            "factor",
            f"At index {greatest.index} the difference is as large as the expected value: the actual one is 0, as "
            "where large terms cancel, a ReLU is off or a graph is cut, or twice the expected one, as after a second "
            "`backward()`.",
            (SATURATION, SUMS),
        )
    if times := _times(relative, form):
        reason = "a sign error, for example, or a sum" if times.startswith("−1 ") else "for example a sum"
        said = f"At index {greatest.index} the actual value may be {times} the expected one: {reason} against a mean."
        return Found("factor", said, (SUMS,))
    if absolute.index != greatest.index:
        return _cancelled(absolute, greatest)
    if relative >= LEADING:
        return far(Fraction(absolute.size), form)
    narrower = [one for one in NARROW if one.precision < form.precision and one.eps / 8 <= relative <= 2 * one.eps]
    if narrower:
        names = [one.name for one in narrower if one.eps == narrower[0].eps]
        return Found(
            "eps",
            f"The relative difference is {relative:.2g}. Larger terms that cancel leave that, or an approximation such "
            f"as a finite difference; or part of it was computed in {listed(names, 'or')}, whose eps is "
            f"{in_digits(narrower[0].eps, 2)}.",
            (DTYPES_TRIED,),
        )
    return None


def _times(relative: float, form: Format) -> str:
    """Say how many times the expected value the actual one may be, if that is a small whole number or one over it.

    The larger the number, the nearer its neighbours: none is tried that as many digits may give by chance.
    """
    slack = 4 * float(form.eps)
    for whole in range(2, 1 + int((16 * slack) ** -0.5)):
        if whole > 2 and abs(relative - (whole - 1)) <= slack * whole:
            return f"−{whole - 2} or {whole} times"
        if abs(relative - (1 - 1 / whole)) <= slack:
            return f"1/{whole} of"
    return ""


def few(apart: int, form: Format) -> Found:
    """Tell of a distance of a few floats."""
    narrow = DTYPES[form.name].narrow
    ways = "in another order or by another kernel" if narrow else "in another order, in a batch or by another kernel"
    return Found(
        "few ulps",
        f"Rounding: {floats(apart)} apart is what the same sum may give {ways}, or "
        "the same function in another formula.",
        (ORDER, KERNEL) if narrow else (ORDER, BATCH, KERNEL),
    )


def far(difference: Fraction | None = None, form: Format | None = None) -> Found:
    """Tell of leading digits that differ, first of the terms that may cancel."""
    look = "look for `detach()`, `no_grad`, dropout, or another function"
    cancel = f"If large terms cancel there, rounding leaves that. If not, {look}."
    if difference is not None and form is not None:
        cancel = if_terms_cancel(difference, form, look)
    return Found("far", f"The leading digits differ. {cancel}", (APART, BUG))


def _cancelled(absolute: Greatest, relative: Greatest) -> Found:
    """Tell of two indices: what is known of the second is only that its expected value is not large."""
    size = in_digits(Fraction(absolute.size) / Fraction(relative.size), 2)
    said = f"The relative difference is greatest at another index, {relative.index}, where the expected value is"
    least = "Rounding leaves that if larger terms cancel there. If not, look for another function."
    return Found("cancellation", f"{said} at most {size} in size. {least}", (APART, BUG))


def not_finite(overflows: Format | None = None) -> Found:
    """Tell of a greatest difference that is NaN or infinite, or one of finite numbers that overflows a format."""
    said = "NaN or an infinity on one side: in a gradient, that"
    if overflows:
        said = f"An infinity on one side, or finite numbers whose difference overflows {overflows.name}. An infinity"
    return Found(
        "not finite",
        f"{said} often comes from an edge, as of `sqrt`, `log` or `x / x.norm()` at 0, or from behind a `where`, which "
        "masks it forward and not backward.",
        (UNSAFE,),
    )


def expected_zero(relative: Greatest) -> Found:
    """Tell of a difference from 0."""
    return Found(
        "zero",
        f"A relative difference of inf: at index {relative.index} the expected value is exactly 0, and the actual one "
        "is not. Only an absolute tolerance can allow that.",
        (SATURATION,),
    )
