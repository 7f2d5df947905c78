"""Why two pasted numbers or vectors may differ: the likely cause, with the evidence for it in the numbers themselves.

A cause is a row of the table `CAUSES`, the strongest evidence first: what it says where its evidence holds, and the
sections of the page that show it. The first row whose evidence holds is the likely cause. "Shown" is only what the
digits leave no other choice for, such as a ratio, not its reason. Everything else is consistent with the cause, and no
more; what honest sums do, which is to round and to cancel, is then named first.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

from lib.display.quantities import listed, significant
from lib.experiment.choices import DTYPES
from lib.paste.counts import if_terms_cancel
from lib.paste.decode import Decoding
from lib.paste.distances import NotFinitePair, Pair
from lib.paste.evidence import (
    Factor,
    about,
    cancelled,
    factor,
    of_eps,
    off_by,
    rounded_zero_and_other,
    smallest_normal,
    zero_and_other,
)
from lib.paste.found import APART, BATCH, BUG, DTYPES_TRIED, KERNEL, ORDER, SATURATION, SUMS, UNSAFE, Found, Link
from lib.paste.intervals import place_of
from lib.paste.narrower import Rounded, rounded
from lib.paste.possible_floats import FEW, in_digits, size_within
from lib.paste.printed import NotFinite

_FAR = 100  # the larger number over the difference: from here on, the leading digits differ


@dataclass(frozen=True)
class Cause:
    """A cause: `says` returns what the evidence is, or "" where there is none, of all and of the pair that is drawn."""

    name: str
    says: Callable[[Decoding, int], str]
    links: tuple[Link, ...]
    shown: str = ""


def likely_cause(decoding: Decoding, place: int | None = None) -> Found | None:
    """Return the cause with the strongest evidence, or None; `place` picks a component, as in `intervals.picture`."""
    if decoding.multiple or decoding.are_differences:
        return None
    drawn = place_of(decoding, place)
    for cause in CAUSES:
        if said := cause.says(decoding, drawn):
            return Found(cause.name, said, cause.links, cause.shown)
    return None


def _finite(decoding: Decoding) -> Sequence[Pair]:
    """All pairs, if all are finite and some differ for sure; else none."""
    pairs = [pair for pair in decoding.pairs if isinstance(pair, Pair)]
    return pairs if len(pairs) == len(decoding.pairs) and any(pair.ulps[0] for pair in pairs) else []


def _drawn(decoding: Decoding, place: int) -> Pair | None:
    pair = decoding.pairs[place] if decoding.pairs else None
    return pair if isinstance(pair, Pair) and pair.ulps[0] else None


def _not_finite(decoding: Decoding, place: int) -> str:
    one = [number for number in decoding.numbers if isinstance(number, NotFinite)]
    unequal = [pair for pair in decoding.pairs if isinstance(pair, NotFinitePair) and not pair.equal]
    if not one and not unequal:
        return ""
    numbers = [*one, *(number for pair in unequal for number in pair.numbers if isinstance(number, NotFinite))]
    kinds = {"NaN" if number.value != number.value else "an infinity" for number in numbers}
    said = " and ".join(sorted(kinds))
    return (
        f"{said[0].upper()}{said[1:]}: in a gradient, that often comes from an edge, as of `sqrt`, `log` or "
        "`x / x.norm()` at 0, or from behind a `where`, which masks it forward and not backward."
    )


def _few(narrow: bool) -> Callable[[Decoding, int], str]:
    def says(decoding: Decoding, place: int) -> str:
        pair = decoding.pairs[place] if _finite(decoding) else None
        if not isinstance(pair, Pair) or not 0 < pair.ulps[1] <= FEW or pair.first.value * pair.second.value <= 0:
            return ""
        if DTYPES[pair.format.name].narrow is not narrow:
            return ""
        apart = "one float" if pair.ulps[1] == 1 else f"at most {pair.ulps[1]} floats"
        # in 16 bits a sum is kept in float32 and rounded at its end, so that a batch seldom shows
        ways = (
            "in another order or by another kernel" if narrow else "in another order, in a batch or by another kernel"
        )
        far = sum(isinstance(one, Pair) and one.ulps[0] > FEW for one in decoding.pairs)
        here = "In this component, rounding" if far else "Rounding"
        others = f" {far} of the others {'is' if far == 1 else 'are'} farther apart: look there." if far else ""
        same = f"what the same sum may give {ways}, or the same function in another formula"
        return f"{here}: {apart} apart is {same}.{others}"

    return says


def _by_factor(sure: bool) -> Callable[[Decoding, int], str]:
    def says(decoding: Decoding, place: int) -> str:
        found = factor(_finite(decoding))
        return _factor(found, decoding) if found and found.sure is sure else ""

    return says


def _factor(found: Factor, decoding: Decoding) -> str:
    several = len(decoding.pairs) > 1
    tell = "to all digits given" if found.sure else "as far as the digits tell"
    if found.size == 1:
        which = "All components are" if several else "They are"
        return f"{which} equal but for the sign, {tell}: perhaps a subtraction is swapped, or a minus left out."
    larger, smaller = ("first", "second") if found.first_is_larger else ("second", "first")
    times = f"{'−' if found.negative else ''}{found.size}"
    each = "Each component of the" if several else "The"
    length = f" The vectors have {found.size} components." if several and found.size == len(decoding.pairs) else ""
    turned = ", besides a minus" if found.negative else ""
    often = "twice, as by a second `backward()`" if found.size == 2 else f"{found.size} times"
    return (
        f"{each} {larger} is {times} times the {smaller}, {tell}: for example a sum against a mean over "
        f"{found.size}, one gradient added {often}, or a factor left out{turned}.{length}"
    )


def _about(decoding: Decoding, place: int) -> str:
    found = about(_finite(decoding))
    if found is None:
        return ""
    size, first_is_larger = found
    larger, smaller = ("first", "second") if first_is_larger else ("second", "first")
    return (
        f"Each component of the {larger} is about {significant(float(f'{float(size):.2g}'))} times the {smaller}, and "
        "the digits tell no more: a sum against a mean, or a factor left out. With more digits, you will know which."
    )


def _by_rounding(sure: bool) -> Callable[[Decoding, int], str]:
    def says(decoding: Decoding, place: int) -> str:
        pairs = _finite(decoding)
        found = rounded(pairs) if pairs else None
        return _rounded(found, len(pairs) > 1) if found and found.sure is sure else ""

    return says


def _rounded(found: Rounded, several: bool) -> str:
    side, other = ("first", "second") if found.is_first else ("second", "first")
    what = f"Every number of the {side} is" if several else f"The {side} is"
    name = listed((form.name for form in found.formats), "or")
    how = (
        f"the {other}, rounded to {name}"
        if found.to_nearest
        else f"a float of {name}, and {'not all of' if several else 'not'} the {other}"
    )
    stored = f"stored, or handed on, in {name}" if found.to_nearest else f"computed, or stored, in {name}"
    if found.sure:
        return f"{what} {how}: it was {stored}."
    short = "Numbers as short as these may be exact" if several else "A number as short as this may be exact"
    return f"{what} {how}. {short}; if not, {'they were' if several else 'it was'} {stored}."


def _cancelled(decoding: Decoding, place: int) -> str:
    pair, pairs = _drawn(decoding, place), _finite(decoding)
    largest = cancelled(pair, pairs) if pair and pairs else None
    if largest is None:
        return ""
    ulps = ceil(pair.differences[1] / largest.spacing)
    count = "one ulp" if ulps == 1 else f"{ulps} ulps"
    return (
        f"Cancellation: the difference, {size_within(*pair.differences)}, is at most {count} of the largest number, "
        f"`{largest.text}`. Terms of that size leave such an error, whatever remains of them."
    )


def _of_eps(decoding: Decoding, place: int) -> str:
    pairs = _finite(decoding)
    formats = of_eps(pairs) if pairs else []
    if not formats:
        return ""
    names = [form.name for form in formats]
    return (
        f"Beside the largest number, the largest difference is {size_within(*off_by(pairs))}. Larger terms that "
        "cancel leave that, or an approximation such as a finite difference; or part of it was computed in "
        f"{listed(names, 'or')}, whose eps is {in_digits(formats[0].eps, 2)}."
    )


def _zero(decoding: Decoding, place: int) -> str:
    pair = _drawn(decoding, place)
    other = zero_and_other(pair) if pair else None
    if other is None:
        return ""
    if other.size[1] < smallest_normal(other.format):
        return (
            f"Exactly 0 against `{other.text}`, which is below the smallest normal {other.format.name}: an underflow, "
            "or a device that takes subnormal numbers as 0."
        )
    off = "a `tanh` or `sigmoid` may be saturated, a ReLU off, a number too small for its dtype, or the graph cut by"
    return f"Exactly 0 on one side only. {if_terms_cancel(other.size[0], other.format, f'{off} `detach()`')}"


def _rounded_zero(decoding: Decoding, place: int) -> str:
    pair = _drawn(decoding, place)
    found = rounded_zero_and_other(pair) if pair else None
    if found is None:
        return ""
    zero, other = found
    return (
        f"`{zero.text}` need not be exactly 0: it may be anything up to {in_digits(zero.size[1], 2)} in size. If it is "
        f"0, a ReLU may be off, a `tanh` or `sigmoid` saturated, or a graph cut by `detach()`. Against `{other.text}`, "
        "rounding alone leaves so little only where large terms cancel."
    )


def _far(decoding: Decoding, place: int) -> str:
    pair = _drawn(decoding, place)
    if not pair or pair.relative[0] * _FAR < 1 or DTYPES[pair.format.name].narrow and pair.ulps[1] <= FEW:
        return ""
    look = "look for `detach()`, `no_grad`, dropout, or another function"
    return f"The leading digits differ. {if_terms_cancel(pair.differences[0], pair.format, look)}"


CAUSES = (
    Cause("not finite", _not_finite, (UNSAFE,)),
    Cause("few ulps", _few(narrow=False), (ORDER, BATCH, KERNEL)),
    Cause("few ulps", _few(narrow=True), (ORDER, KERNEL)),
    Cause("factor", _by_factor(sure=True), (SUMS,), "the ratio, not its reason"),
    Cause("rounded", _by_rounding(sure=True), (DTYPES_TRIED,), "the format"),
    Cause("cancellation", _cancelled, (APART,)),
    Cause("factor", _by_factor(sure=False), (SUMS,)),
    Cause("rounded", _by_rounding(sure=False), (DTYPES_TRIED,)),
    Cause("zero", _zero, (APART, SATURATION)),
    Cause("zero", _rounded_zero, (SATURATION,)),
    Cause("about", _about, (SUMS,)),
    Cause("eps", _of_eps, (DTYPES_TRIED,)),
    Cause("far", _far, (APART, BUG)),
)
"""The causes, the strongest evidence first."""
