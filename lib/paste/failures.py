"""What a failed check says where it prints no values: greatest differences with their index, or a distance in ulps.

NOTE [the size behind two differences]: `assert_close` prints the greatest absolute difference A and the greatest
relative one R, each with its index, and R is the difference over the expected value's size. If both indices are the
same, the expected value there is A/R in size, and the actual one is A farther from 0 or A nearer to it, which is more
floats. If not, the relative difference where A is was at most R, and the expected value there is at least A/R in size,
so that A is at most as many floats as it would be at A/R, towards 0.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, isinf, isnan

from lib.display.quantities import listed, significant
from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import FORMATS, Format
from lib.paste.counts import ROUNDED, amount_of, if_terms_cancel
from lib.paste.evidence import NARROW
from lib.paste.found import APART, BATCH, BUG, DTYPES_TRIED, KERNEL, ORDER, SATURATION, SUMS, UNSAFE, Found
from lib.paste.plain import plain
from lib.paste.possible_floats import FEW, in_digits

_LEADING = 1 / 100  # relative to the expected value: from here on, the leading digits differ

_SIZE = r"[0-9a-z][-+.0-9a-z]{0,39}"
_GREATEST = re.compile(
    rf"Greatest (?P<kind>absolute|relative) difference: (?P<size>{_SIZE}) at index (?P<index>\([0-9, ]{{0,60}}\))"
    rf"(?: \(up to (?P<allowed>{_SIZE}) allowed\))?"
)
_COUNT = r"[0-9]{1,20}(?:\.[0-9]{0,20})?(?:e\+?[0-9]{1,3})?"
_IN_ULPS = re.compile(rf"(?:up|equal) to [0-9]{{1,9}} ULPs? \(max (?:difference )?is (?P<ulps>{_COUNT})")


@dataclass(frozen=True)
class Failure:
    """What follows from a failed check without its values: an answer in Markdown, more about it, and the cause."""

    answer: str
    more: str
    cause: Found | None


@dataclass(frozen=True)
class Greatest:
    """A greatest difference: its size, which may be infinite or NaN, its index, and what was allowed, or None.

    `is_whole` says that it is printed as an integer: those of integers, and of True and False, are.
    """

    size: float
    index: str
    allowed: float | None
    is_whole: bool = False


def of_failure(text: str, dtype: str) -> Failure | None:
    """Return what follows from the message of a failed check that prints no values, or None if it is no such message.

    The messages are those of `torch.testing.assert_close` for tensors, and of NumPy's `assert_array_max_ulp` and
    `assert_array_almost_equal_nulp`. They do not name the dtype, which is the one given.
    """
    form, text = FORMATS[dtype], plain(text)
    if said := _IN_ULPS.search(text):
        return _in_ulps(float(said["ulps"]), form)
    found = {said["kind"]: _greatest(said) for said in _GREATEST.finditer(text)}
    absolute, relative = found.get("absolute"), found.get("relative")
    return _of_two(absolute, relative, form) if absolute and relative else None


def _greatest(said: re.Match) -> Greatest | None:
    try:
        allowed = float(said["allowed"]) if said["allowed"] else None
        return Greatest(float(said["size"]), said["index"], allowed, said["size"].isdigit())
    except ValueError:
        return None


def _in_ulps(ulps: float, form: Format) -> Failure:
    if not isfinite(ulps):
        return Failure("The greatest distance is **not finite**.", "", _not_finite())
    apart = int(ulps)
    relative = float(form.eps) * ulps / 2  # at least: the floats of a binade are at most as close as that
    answer = f"The greatest distance is **{_floats(apart)}**: {_judged(apart, relative)}."
    more = "The message holds no values: paste the two numbers that are farthest apart, and you will know more."
    cause = _few(apart, form) if apart <= FEW else _far() if relative >= _LEADING else None
    return Failure(answer, more, cause)


def _of_two(absolute: Greatest, relative: Greatest, form: Format) -> Failure:
    same = absolute.index == relative.index
    if absolute.is_whole:
        return Failure(f"The two hold whole numbers, up to {absolute.size:g} apart: **no rounding**.", "", None)
    more = f"The message holds no values: print both at index {absolute.index}, paste them, and you will know more."
    if isnan(absolute.size) or isinf(absolute.size):
        return Failure(f"The greatest difference, at index {absolute.index}, is **not finite**.", more, _not_finite())
    if isinf(relative.size) or not relative.size or not absolute.size:
        answer = f"The greatest difference is `{absolute.size:.3g}`, and **the message does not say of how much**."
        return Failure(answer, more, _expected_zero(relative) if isinf(relative.size) else None)
    difference, size = Fraction(absolute.size), Fraction(absolute.size) / Fraction(relative.size)
    if size + difference >= form.overflow:
        return Failure(f"The two are **beyond {form.name}**: choose another dtype.", more, None)
    place = form.nearest(size)
    away, apart = form.nearest(size + difference) - place, max(1, place - form.nearest(size - difference))
    place_of_it, about = f"The expected value at index {absolute.index} is", f"{in_digits(size, 3)} in size"
    rounded = "about " if FEW < apart < ROUNDED else ""  # `amount_of` says so of larger ones
    if not same:
        where = f"{place_of_it} at least {about}, and the actual one at most **{rounded}{_floats(apart)}** away"
    else:
        span = f"{amount_of(away)} to " if 0 < away and amount_of(away) != amount_of(apart) else ""
        where = f"{place_of_it} {about}, and the actual one **{rounded}{span}{_floats(apart)}** away"
    answer = f"{where}: {_judged(apart, relative.size)}."
    allowed = _allowed(absolute, relative, size) if same else ""
    cause = _cause(apart, absolute, relative, form)
    ratio = ""
    if relative.size >= _LEADING and not (cause and cause.name == "factor"):
        ratio = f"At index {relative.index}, actual over expected is {_beside(relative.size)}."
    return Failure(answer, " ".join(filter(None, (ratio, allowed, more))), cause)


def _judged(apart: int, relative: float) -> str:
    if apart <= FEW:
        return "**rounding alone can do that**"
    return "**cancellation, or a bug**" if relative >= _LEADING else "**rounding, or a bug**"


def _floats(apart: int) -> str:
    return "one float" if apart == 1 else f"{amount_of(apart)} floats"


def _beside(relative: float) -> str:
    """Write the two ratios that a relative difference leaves open."""
    low, high = (f"{float(f'{1 + signed:.4g}'):g}".replace("-", "−") for signed in (-relative, relative))
    return f"{low} or {high}"


def _allowed(absolute: Greatest, relative: Greatest, size: Fraction) -> str:
    """Say what the tolerances allow there, and how many times that the difference is."""
    if absolute.allowed is None or relative.allowed is None:
        return ""
    allowed = absolute.allowed + relative.allowed * float(size)
    if not allowed or not isfinite(allowed):
        return ""
    sum_of_both = f"{absolute.allowed:g} + {relative.allowed:g} · {in_digits(size, 3)} = {allowed:.3g}"
    if absolute.size <= allowed:
        return f"Allowed there are {sum_of_both}, and so it passes there and fails elsewhere."
    return f"Allowed there are {sum_of_both}: the difference is {significant(absolute.size / allowed)} times that."


def _cause(apart: int, absolute: Greatest, greatest: Greatest, form: Format) -> Found | None:
    if apart <= FEW:
        return _few(apart, form)
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
    if relative >= _LEADING:
        return _far(if_terms_cancel(Fraction(absolute.size), form))
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


def _few(apart: int, form: Format) -> Found:
    narrow = DTYPES[form.name].narrow
    ways = "in another order or by another kernel" if narrow else "in another order, in a batch or by another kernel"
    return Found(
        "few ulps",
        f"Rounding: {_floats(apart)} apart is what the same sum may give {ways}, or "
        "the same function in another formula.",
        (ORDER, KERNEL) if narrow else (ORDER, BATCH, KERNEL),
    )


def _far(if_terms_cancel: str = "If large terms cancel there, rounding leaves that.") -> Found:
    said = f"The leading digits differ. {if_terms_cancel} If not, look for `detach()`, `no_grad`, dropout, or another"
    return Found("far", f"{said} function.", (APART, BUG))


def _cancelled(absolute: Greatest, relative: Greatest) -> Found:
    """Tell of two indices: what is known of the second is only that its expected value is not large."""
    size = in_digits(Fraction(absolute.size) / Fraction(relative.size), 2)
    said = f"The relative difference is greatest at another index, {relative.index}, where the expected value is"
    least = "Rounding leaves that if larger terms cancel there. If not, look for another function."
    return Found("cancellation", f"{said} at most {size} in size. {least}", (APART, BUG))


def _not_finite() -> Found:
    return Found(
        "not finite",
        "NaN or an infinity on one side: in a gradient, that often comes from an edge, as of `sqrt`, `log` or "
        "`x / x.norm()` at 0, or from behind a `where`, which masks it forward and not backward.",
        (UNSAFE,),
    )


def _expected_zero(relative: Greatest) -> Found:
    return Found(
        "zero",
        f"A relative difference of inf: at index {relative.index} the expected value is exactly 0, and the actual one "
        "is not. Only an absolute tolerance can allow that.",
        (SATURATION,),
    )
