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

from lib.display.quantities import significant
from lib.floats.exact_floats import FORMATS, Format
from lib.paste.counts import ROUNDED, amount_of
from lib.paste.decode import Decoding, decode
from lib.paste.failure_causes import LEADING, Greatest, cause, expected_zero, far, few, not_finite
from lib.paste.found import Found
from lib.paste.plain import plain
from lib.paste.possible_floats import FEW, in_digits
from lib.paste.tokenizer import PasteError

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

    @property
    def figures(self) -> dict[str, object]:
        """The failure for JSON, in the words that `decode_tables.figures` has."""
        notes = [self.more.replace("`", "")] if self.more else []
        why = self.cause.figures if self.cause else None
        said = self.answer.replace("`", "").replace("**", "")
        return {"verdict": said, "cause": why, "notes": notes, "read_as": "failed check"}


def decoded(text: str, dtype: str) -> Decoding | Failure:
    """Decode the values in a paste or, if it is a failed check's message without values, return what follows from it.

    Raise `PasteError` like `decode`.
    """
    try:
        decoding = decode(text, dtype)
    except PasteError:
        if dtype in FORMATS and (failure := of_failure(text, dtype)):
            return failure
        raise
    return decoding if decoding.pairs else of_failure(text, dtype) or decoding


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
        return Failure("The greatest distance is **not finite**.", "", not_finite())
    apart = int(ulps)
    relative = float(form.eps) * ulps / 2  # at least: the floats of a binade are at most as close as that
    answer = f"The greatest distance is **{_floats(apart)}**: {_judged(apart, relative)}."
    more = "The message holds no values: paste the two numbers that are farthest apart, and you will know more."
    why = few(apart, form) if apart <= FEW else far() if relative >= LEADING else None
    return Failure(answer, more, why)


def _of_two(absolute: Greatest, relative: Greatest, form: Format) -> Failure:
    same = absolute.index == relative.index
    if absolute.is_whole:
        return Failure(f"The two hold whole numbers, up to {absolute.size:g} apart: **no rounding**.", "", None)
    more = f"The message holds no values: print both at index {absolute.index}, paste them, and you will know more."
    if isnan(absolute.size) or isinf(absolute.size):
        overflows = form if isinf(absolute.size) and not isnan(relative.size) else None
        answer = f"The greatest difference, at index {absolute.index}, is **not finite**."
        return Failure(answer, more, not_finite(overflows))
    if isinf(relative.size) or not relative.size or not absolute.size:
        answer = f"The greatest difference is `{absolute.size:.3g}`, and **the message does not say of how much**."
        return Failure(answer, more, expected_zero(relative) if isinf(relative.size) else None)
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
    why = cause(apart, absolute, relative, form)
    ratio = ""
    if relative.size >= LEADING and not (why and why.name == "factor"):
        ratio = f"At index {relative.index}, actual over expected is {_beside(relative.size)}."
    return Failure(answer, " ".join(filter(None, (ratio, allowed, more))), why)


def _judged(apart: int, relative: float) -> str:
    if apart <= FEW:
        return "**rounding alone can do that**"
    return "**cancellation, or a bug**" if relative >= LEADING else "**rounding, or a bug**"


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
