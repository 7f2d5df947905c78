"""What the page answers to a paste, in Markdown: a sentence above the picture, one below it, and cards."""

from decimal import ROUND_FLOOR
from fractions import Fraction

from lib.display.quantities import power_of_ten, power_of_two
from lib.floats.tolerances import ASSERT_CLOSE
from lib.paste.counts import amount_of, floats
from lib.paste.decode import Decoding
from lib.paste.decode_sentences import verdict
from lib.paste.distances import Multiple, NotFinitePair, Pair
from lib.paste.intervals import picked, place_of
from lib.paste.possible_floats import FEW, Number, in_digits, two_digits

LEADING = Fraction(1, 100)
"""Relative to the larger number: from here on, two numbers differ in their leading digits."""

_FARTHEST = 99  # powers of ten


def answer(decoding: Decoding, place: int | None = None) -> str:
    """Answer how far apart the pasted numbers are; `place` picks a component, as in `intervals.picture`."""
    if decoding.multiple:
        return _multiple(decoding.multiple)
    if len(decoding.pairs) > 1:
        return f"{_components(decoding)} {_drawn(decoding, place)}"
    if decoding.pairs:
        (pair,) = decoding.pairs
        return f"{_pair(pair)}." if isinstance(pair, Pair) else _not_finite(pair)
    if decoding.are_differences and len(decoding.numbers) > 1:
        return _differences(decoding)
    if len(decoding.numbers) > 1:
        return f"**{len(decoding.numbers)} numbers**, each by itself. Paste a second vector, and the two are compared."
    (number,) = decoding.numbers
    if isinstance(number, Number) and number.one_ulp_of and (decoding.are_differences or number.is_small_power):
        return _difference(number)
    return verdict(decoding)


def _pair(pair: Pair) -> str:
    """Say how far apart two numbers are and whether rounding alone can be the reason, without a full stop."""
    name, (low, high) = pair.format.name, pair.ulps
    if pair.zeros_of_opposite_sign:
        return "They are **equal, and yet two floats**: +0 and −0 differ in the sign bit"
    others = list(dict.fromkeys(number.text for number in (pair.first, pair.second) if not number.is_held))
    rounded = f"`{others[0]}` is no {name}. Rounded to {name}, they" if others else "They"
    if high == 0:
        return f"{rounded} are **the same {name}**"
    return f"{rounded} are {'neighbours, ' if high == low == 1 else ''}{_apart(pair)} apart: {_judged(pair)}"


def _judged(pair: Pair) -> str:
    """Say whether rounding alone can be the reason that two numbers differ."""
    low, high = pair.ulps
    if low <= FEW < high or low == 0:
        return "**the digits do not tell more**"
    if low <= FEW:
        return "**rounding alone can do that**"
    return "**cancellation, or a bug**" if pair.relative[0] >= LEADING else "**rounding, or a bug**"


def _apart(pair: Pair) -> str:
    low, high = pair.ulps
    lowest, highest = amount_of(low), amount_of(high)
    if low == high == 1:
        return "one float"
    return f"{highest} floats" if lowest == highest else f"{lowest} to {highest} floats"


def _not_finite(pair: NotFinitePair) -> str:
    if pair.equal:
        return "They are **equal**: the same infinity, which lies beyond the float line."
    if any(number.value != number.value for number in pair.numbers):
        return "They are **not equal**: NaN equals nothing, not even itself."
    return "They are **not equal**: the float line ends before infinity."


def _components(decoding: Decoding) -> str:
    """Count the components that differ, and those that may."""
    every, name = len(decoding.pairs), decoding.format.name
    equal = sum(pair.ulps[1] == 0 if isinstance(pair, Pair) else pair.equal for pair in decoding.pairs)
    differ = sum(pair.ulps[0] > 0 if isinstance(pair, Pair) else not pair.equal for pair in decoding.pairs)
    if equal == every:
        return f"All {every} components are **equal** as {name}."
    differs = f"**{differ} of {every} components {'differs' if differ == 1 else 'differ'}**"
    if equal + differ == every:
        return f"{differs}."
    if differ:
        return f"{differs}, and {every - equal - differ} may: the digits do not tell."
    return f"**{every - equal} of {every} components may differ**: the digits do not tell."


def _drawn(decoding: Decoding, place: int | None) -> str:
    """Tell of the component that is drawn."""
    index = place_of(decoding, place)
    pair = decoding.pairs[index]
    if isinstance(pair, NotFinitePair):
        return f"Component {index} is not on the float line."
    drawn = f"In component {index} (counted from 0) they are"
    return f"{drawn} the same float." if pair.ulps[1] == 0 else f"{drawn} {_apart(pair)} apart: {_judged(pair)}."


def _multiple(multiple: Multiple) -> str:
    text = multiple.printed.text if multiple.printed else in_digits(multiple.difference, 5)
    step = "the step to the next float" if multiple.ulps == 1 else f"a step of {floats(multiple.ulps)}"
    return f"As a difference, `{text}` is **{step}** at `{multiple.of.text}`."


def _difference(number: Number) -> str:
    """Say how many floats apart two numbers with this difference are, and how large they must be for that."""
    m, exponent = number.multiple_of_power
    power = f"{number.sign}{m}·{power_of_two(exponent)}" if m > 1 else f"{number.sign}{power_of_two(exponent)}"
    tell = ", as far as its digits tell" if number.floats > 1 else ""
    low, high = (in_digits(end, 5) for end in number.one_ulp_of)
    return f"`{number.text}` is {power}{tell}. Between two numbers from {low} up to {high}, that is **{floats(m)}**."


def _differences(decoding: Decoding) -> str:
    several = [number for number in decoding.numbers if number.one_ulp_of and number.value]
    if not several:
        return verdict(decoding)
    zeros = sum(number.value == 0 for number in decoding.numbers)
    rest = len(decoding.numbers) - zeros
    claim = f"Read as **{len(decoding.numbers)} differences**{f', {zeros} of them zero' if zeros else ''}."
    others = "the others" if zeros else "them"
    which = f"{len(several)} of {others}" if len(several) < rest else "The others" if zeros else "All"
    are = "is a few floats" if which.startswith("1 of") else "are a few floats each"
    return f"{claim} {which} {are}, if the two numbers are as large as drawn."


def meaning(decoding: Decoding, place: int | None = None) -> str:
    """Say what to do about what is drawn, and what a bug would look like; "" if there is nothing to say."""
    pair = picked(decoding, place)
    if decoding.multiple and isinstance(pair, Pair):
        return f"Taken as two values, they are {_apart(pair)} apart."
    if isinstance(pair, NotFinitePair):
        return "" if pair.equal else "Look for a division by zero, a logarithm of zero, or an overflow."
    if not isinstance(pair, Pair) or pair.ulps[1] == 0:
        return ""
    low, high = pair.ulps
    if low <= FEW < high or low == 0:
        return "Paste their printed difference below them, or print more digits, and you will know more."
    if low <= FEW:
        return "A bug usually changes the first few digits, not the last bits."
    if pair.relative[0] >= LEADING:
        return "Their leading digits differ. Rounding seldom does that, unless large terms of a sum cancel."
    return "Rounding does that where large terms cancel, or many are added. Elsewhere, look for a bug."


def digits_card(decoding: Decoding) -> str:
    """Say how many digits tell a float from its neighbours."""
    digits, name = decoding.format.digits, decoding.format.name
    return f"It takes {digits} to tell every {name} from its neighbours. By default, PyTorch prints 4 decimals."


def tolerance_card(decoding: Decoding, place: int | None = None) -> str:
    """Say what `torch.testing.assert_close` allows by default, and how the drawn difference compares to that."""
    tolerance = ASSERT_CLOSE[decoding.format.name]
    rule = f"it allows {_plain(tolerance.atol)} plus {_plain(tolerance.rtol)} of the expected value"
    pair = picked(decoding, place)
    if not isinstance(pair, Pair) or decoding.multiple:
        return f"For {decoding.format.name}, {rule}."
    above, (least, greatest) = pair.above(tolerance), pair.differences
    if above is None:
        return f"The digits do not tell: {rule}."
    allowed = [Fraction(tolerance.atol) + Fraction(tolerance.rtol) * size for size in pair.expected.size]
    if above:
        return f"It fails: {rule}, and they differ by {_times('that', least / allowed[1], greatest / allowed[0])}."
    if not greatest:
        return f"It passes: {rule}."
    most = allowed[1] / least if least else None
    return f"It passes: {rule}, {_times('their difference', allowed[0] / greatest, most)}."


def _times(what: str, least: Fraction, greatest: Fraction | None) -> str:
    """Write in two digits how many times something that is, or at least how many times if the digits leave it open.

    The ratio lies between `least` and `greatest`, which is None if there is no limit.
    """
    if least > 10**_FARTHEST:
        return f"more than {power_of_ten(_FARTHEST)} times {what}"
    known = greatest is not None and in_digits(least, 2) == in_digits(greatest, 2)
    ratio = float(in_digits(least, 2)) if known else two_digits(least, ROUND_FLOOR)
    if ratio <= 1:  # or a little less: NOTE [closeness in the dtype]
        return f"about {what}" if known else f"about {what} or more"
    amount = amount_of(int(ratio)).removeprefix("about ") if ratio >= 10 else f"{ratio:g}"
    about = ("about " if ratio >= 10 else "") if known else "at least "
    return f"{about}{amount} times {what}"


def _plain(x: float) -> str:
    return f"{x:g}".replace("e-0", "e-")
