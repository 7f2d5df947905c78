"""Sentences about pasted numbers: the verdict of the page and of the command line, in Markdown."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from lib.display.markdown import code
from lib.display.quantities import listed
from lib.display.why import Why
from lib.floats.exact_floats import Format
from lib.floats.tolerances import tolerances
from lib.paste.decode import Decoded, Decoding
from lib.paste.distances import Multiple, NotFinitePair, Pair
from lib.paste.possible_floats import FEW, Number, in_digits, power_text, power_within, spread
from lib.paste.printed import NotFinite

_LISTED = 5  # most differences that are named one by one
_MOST_PASSED = 6
_MOST_SHOWN = 40  # characters shown of a text that was skipped


def verdict(decoding: Decoding) -> str:
    """Return the main finding in one or two sentences."""
    numbers, pairs = decoding.numbers, decoding.pairs
    if len(numbers) == 1:
        (number,) = numbers
        several_ulps = decoding.are_differences and number.multiple_of_power and number.power_of_two is None
        return (
            _as_difference(number) if several_ulps and isinstance(number, Number) else _alone(number, decoding.format)
        )
    if decoding.are_differences:
        return _differences(numbers)
    if numbers:
        return f"{len(numbers)} numbers, each by itself. Paste a second vector, and the two are compared."
    if decoding.multiple:
        return f"{_few_ulps(decoding.multiple)} Taken as two values, they are {spread(pairs[0].ulps)} apart."
    return _distance(pairs[0]) if len(pairs) == 1 else _components(decoding)


def notes(decoding: Decoding, quote: Callable[[str], str] = code) -> list[str]:
    """Say how the paste was read, in a list of sentences; empty if it was read just as it stands."""
    name, named, every = decoding.format.name, decoding.named, decoding.every_number
    said = []
    if len(named) > 1:
        lowest = "the one of lowest precision" if len(named) > 2 else "the one of lower precision"
        said.append(
            f"The paste names {listed(named)}: all its numbers are read as {name}, {lowest}, since ulps are counted "
            "on one float line."
        )
    elif named:
        said.append(f"The paste names {name}, so its numbers are read as that, whichever dtype was chosen.")
    if chosen := decoding.instead_of:
        said.append(f"No difference of two {chosen} prints so: all are read as {name}, as Python's own floats are.")
    if decoding.passed:
        some = [quote(_fit(text)) for text in decoding.passed]
        left_out = len(some) - _MOST_PASSED
        some = [*some[:_MOST_PASSED], f"{left_out} more"] if left_out > 0 else some
        read = "" if len(decoding.pairs) != 1 else f"{_read(decoding.pairs[0], quote)} "
        said.append(f"{read}Passed over: {listed(some)}.")
    if len(every) > 1 and any(number.printed.is_suppressed_zero for number in every):
        said.append(
            f"{quote('0.')} need not be zero: NumPy with {quote('suppress=True')} prints so whatever its decimals do "
            "not show."
        )
    if others := [number for number in every if not number.is_held]:
        if len(decoding.pairs) > 1 or len(decoding.numbers) > 1:
            more = f" and {len(others) - 1} more are" if len(others) > 1 else " is"
            said.append(f"{quote(others[0].text)}{more} no {name}, and read as the nearest one.")
    return said


def _fit(text: str) -> str:
    """Fit a skipped text into a sentence: on one line, without characters that cannot be seen, and not too long."""
    seen = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in " ".join(text.split()))
    return seen if len(seen) <= _MOST_SHOWN else f"{seen[: _MOST_SHOWN - 1]}…"


def _read(pair: Pair | NotFinitePair, quote: Callable[[str], str]) -> str:
    third = f", and {quote(pair.third.text)} as their difference" if pair.third else ""
    return f"Read: {quote(pair.first.text)} and {quote(pair.second.text)}{third}."


def expected(pair: Pair | NotFinitePair) -> str:
    """Say which of two numbers is taken as the expected one, and whether that matters."""
    name = pair.expected.text
    other = pair.second.text if pair.first_is_expected else pair.first.text
    said = f"`{name}` is taken as the expected one."
    if isinstance(pair, NotFinitePair):
        return f"{said} `torch.isclose` calls an infinity close to itself alone, and NaN to nothing."
    swapped = replace(pair, first_is_expected=not pair.first_is_expected)
    form = pair.format.name
    differ = [f"`{name}`" for name, one in tolerances(form).items() if pair.above(one) is not swapped.above(one)]
    computed = f"Close is abs(actual − expected) ≤ atol + rtol · abs(expected), each step rounded to {form}; {said}"
    if not differ:
        return computed
    return f"{computed} If `{other}` were expected, {listed(differ)} would answer otherwise."


def _distance(pair: Pair | NotFinitePair) -> str:
    both = f"`{pair.first.text}` and `{pair.second.text}`"
    if isinstance(pair, NotFinitePair):
        return _not_finite(pair, both)
    name, (low, high) = pair.format.name, pair.ulps
    others = list(dict.fromkeys(f"`{number.text}`" for number in (pair.first, pair.second) if not number.is_held))
    rounded = ""
    if others:
        are = "is" if len(others) == 1 else "are"
        rounded = f"{listed(others)} {are} no {name}. Rounded to the nearest {name}, "
    if pair.zeros_of_opposite_sign:
        return f"{rounded}{both} are equal, but two floats: +0 and −0 differ in the sign bit, and no ulp lies between."
    if high == 0:
        return f"{rounded}{both} are the same {name}."
    if low == high <= FEW and pair.difference == low * pair.nearer_zero.spacing and not others:
        neighbours = "no float lies between the two"
        return _few_ulps(Multiple(pair.nearer_zero, pair.third, low), neighbours)
    if low == high:
        return f"{rounded}{both} are exactly {spread(pair.ulps)} apart in {name}."
    left = ": their printed digits leave open whether they differ" if low == 0 else ""
    return f"{rounded}{both} are {spread(pair.ulps)} apart in {name}{left}."


def _not_finite(pair: NotFinitePair, both: str) -> str:
    if pair.equal:
        return f"{both} are equal, though their difference is NaN: no number of ulps lies between infinities."
    if pair.subtracted != pair.subtracted and any(number.value != number.value for number in pair.numbers):
        return f"{both} are not equal: NaN equals nothing, not even NaN, and is no number of ulps from anything."
    return f"{both} are not equal, and no number of ulps apart: the float line ends before infinity."


def _few_ulps(multiple: Multiple, least: str = "no two floats of its binade are closer to each other") -> str:
    """Say that a difference is a few ulps of a number and, if it is one ulp, what that means."""
    difference, ulps, of = multiple.difference, multiple.ulps, multiple.of
    printed = multiple.printed
    text, sign = (printed.text, printed.sign) if printed else (in_digits(difference, 5), "")
    exponent = power_within((difference, difference))
    power = "" if exponent is None else f" {power_text(1, exponent, sign)},"
    least = f": {least}" if ulps == 1 else ""
    return f"`{text}` is{power} exactly {_ulps(ulps)} of `{of.text}`{least}."


def _components(decoding: Decoding) -> str:
    name, ulps = decoding.format.name, [pair.ulps for pair in decoding.pairs]
    known = [ends for ends in ulps if ends]
    opposite = sum(isinstance(pair, Pair) and pair.zeros_of_opposite_sign for pair in decoding.pairs)
    counts = {
        f"the same {name}": sum(high == 0 for _, high in known) - opposite,
        "equal, but as +0 and −0, which are two floats": opposite,
        "exactly one ulp apart (no float lies between the two)": known.count((1, 1)),
        "at least one ulp apart": sum(low == 1 < high for low, high in known),
        "further apart": sum(low > 1 for low, _ in known),
        "left open by the printed digits": sum(low == 0 < high for low, high in known),
        "NaN or infinite": len(ulps) - len(known),
    }
    found = {what: count for what, count in counts.items() if count}
    if len(found) == 1:
        claim = f"{'Both' if len(ulps) == 2 else f'All {len(ulps)}'} components are {' '.join(found)}."
    else:
        each = [f"{count} {'is' if count == 1 else 'are'} {what}" for what, count in found.items()]
        claim = f"Of {len(ulps)} components, {listed(each)}."
    if decoding.worst is None or decoding.pairs[decoding.worst].ulps[1] <= 1:
        return claim
    worst = decoding.pairs[decoding.worst]
    farthest = f"The farthest {'is' if worst.ulps[0] == worst.ulps[1] else 'may be'} component {decoding.worst}"
    return f"{claim} {farthest}, counted from 0: {_distance(worst)}"


def _differences(numbers: Sequence[Decoded]) -> str:
    finite = [number for number in numbers if isinstance(number, Number)]
    others = [number for number in finite if number.value]
    several = [number for number in others if number.multiple_of_power]
    zeros = len(finite) - len(others)
    claim = f"Read as {len(numbers)} differences"
    if len(others) < len(numbers):
        claim += f", {zeros} of them zero" if zeros else ""
        claim += f", {len(numbers) - len(finite)} of them NaN or infinite" if len(finite) < len(numbers) else ""
    if not several:
        return f"{claim}: none of them is a small multiple of a power of two, as far as its digits tell."
    if len(several) == len(others) <= _LISTED:
        powers = [power_text(*number.multiple_of_power, number.sign) for number in several]
        each = "one ulp" if all(number.power_of_two is not None for number in several) else "a few ulps"
        rest = "they are " if len(others) == len(numbers) else "the others are "
        tell = "as far as their digits tell, " if any(number.floats > 1 for number in several) else ""
        return f"{claim}: {rest}{listed(powers)}, {tell}each {each} of the floats of one binade."
    single = sum(number.power_of_two is not None for number in several)
    claim += f": {single} a power of two, {len(several) - single} a small multiple of one"
    claim += f", {len(others) - len(several)} neither" if len(several) < len(others) else ""
    largest = max(several, key=lambda number: abs(number.value))
    return f"{claim}. {_as_difference(largest)}"


def _as_difference(number: Number, as_one: str = "") -> str:
    """Say which small multiple of a power of two the number is, and for which floats it is that many ulps."""
    m, exponent = number.multiple_of_power
    tell = "" if number.floats == 1 else ", as far as its digits tell"
    said = f"`{number.text}` is {power_text(m, exponent, number.sign)}{tell}"
    if number.one_ulp_of is None:
        return f"{said}."
    low, high = (f"`{in_digits(end, 5)}`" for end in number.one_ulp_of)
    return f"{said}: {as_one}{_ulps(m)} of every {number.format.name} from {low} up to {high}."


def _ulps(count: int) -> str:
    return "one ulp" if count == 1 else f"{count} ulps"


def _alone(number: Decoded, form: Format) -> str:
    if isinstance(number, NotFinite):
        return _not_finite_alone(number, form)
    text = f"`{number.text}`"
    if number.printed.is_suppressed_zero:
        return (
            f"{text} need not be zero: NumPy with `suppress=True` prints that for whatever its decimals do not "
            "show. Nothing follows from it."
        )
    if not number.is_held:
        below, above, rounded = (f"`{in_digits(x)}`" for x in (*number.neighbours, number.value))
        return f"{text} is no {form.name}: it lies between {below} and {above}, and is rounded to {rounded}."
    if number.power_of_two is not None:
        return _as_difference(number, "as a difference, exactly ")
    if number.value == number.printed.value and number.floats == 1:
        return f"{text} is a {form.name}, exactly `{number.exact}`."
    nearest = f"The {form.name} nearest to {text} is `{number.exact}`"
    return f"{nearest}." if number.floats == 1 else f"{nearest}, one of {number.floats:,} that its digits stand for."


def _not_finite_alone(number: NotFinite, form: Format) -> str:
    if number.value != number.value:
        return (
            f"`{number.text}` is not a number: it equals nothing, not even itself, and has no place on the float line."
        )
    return (
        f"`{number.text}` is {'minus ' if number.value < 0 else ''}infinity: the largest {form.name} is "
        f"`{in_digits(form.largest)}`, and what reaches `{in_digits(form.overflow)}` in size is rounded to infinity."
    )


def why_print_more() -> Why:
    """Explain why printed numbers that look alike may differ."""
    return Why(
        "What is printed is not what is stored: PyTorch prints four decimals, and a float32 has about seven digits. So "
        "two numbers may look alike and differ, and a printed number stands for many floats.",
        "Print more digits before you compare, nine for float32 and seventeen for float64, or print the difference.",
        {"set_printoptions": "generated/torch.set_printoptions.html"},
    )
