"""What pasted numbers are, in words: the verdict of the page and of the command line, in Markdown."""

from fractions import Fraction

from lib.decode import Decoding
from lib.distances import Multiple, Number, Pair, power_within

_FEW = 16  # so many ulps are counted as ulps of a number; more are a distance


def verdict(decoding: Decoding) -> str:
    """What there is to say first, in one or two sentences."""
    numbers, pairs = decoding.numbers, decoding.pairs
    if numbers:
        by_itself = f"{len(numbers)} numbers, each by itself. Paste a second vector, and the two are compared."
        return _alone(numbers[0]) if len(numbers) == 1 else by_itself
    if decoding.multiple:
        return f"{_few_ulps(decoding.multiple)} Taken as two values, they are {spread(pairs[0].ulps)} apart."
    return _distance(pairs[0]) if len(pairs) == 1 else _components(decoding)


def advice(decoding: Decoding) -> str:
    """What would tell more, or nothing where all is known."""
    if all(pair.third or pair.ulps[0] == pair.ulps[1] for pair in decoding.pairs):
        return ""
    return "Paste the printed difference below the two, or print more digits, and more may be known."


def spread(ulps: tuple[int, int]) -> str:
    """A distance in ulps, or the lowest and the highest there can be."""
    low, high = ulps
    if low == high:
        return "1 ulp" if low == 1 else f"{low:,} ulps"
    return f"{low:,} to {high:,} ulps"


def amount(x: Fraction) -> str:
    """A number that is not negative in five significant digits, and as a power of two if it is one."""
    exponent = power_within((x, x))
    return _digits(x) if exponent is None else f"{_power(exponent)} = {_digits(x)}"


def _distance(pair: Pair) -> str:
    both, (low, high) = f"`{pair.first.text}` and `{pair.second.text}`", pair.ulps
    if high == 0:
        return f"{both} are the same {pair.format.name}."
    if low == high <= _FEW and pair.difference == low * pair.nearer_zero.spacing:
        return _few_ulps(Multiple(pair.nearer_zero, pair.third, low))
    if low == high:
        return f"{both} are exactly {spread(pair.ulps)} apart in {pair.format.name}."
    return f"{both} are {spread(pair.ulps)} apart in {pair.format.name}: their printed digits leave it open."


def _few_ulps(multiple: Multiple) -> str:
    """A difference is a few ulps of a number."""
    difference, ulps, of = multiple.difference, multiple.ulps, multiple.of
    printed = multiple.printed
    text, sign = (printed.text, printed.sign) if printed else (_digits(difference), "")
    exponent = power_within((difference, difference))
    power = "" if exponent is None else f" {_power(exponent, sign)},"
    least = ": the smallest difference there can be" if ulps == 1 else ""
    return f"`{text}` is{power} exactly {'one ulp' if ulps == 1 else f'{ulps} ulps'} of `{of.text}`{least}."


def _components(decoding: Decoding) -> str:
    name, ulps = decoding.format.name, [pair.ulps for pair in decoding.pairs]
    counts = {
        f"the same {name}": sum(high == 0 for _, high in ulps),
        "exactly one ulp apart (the smallest difference there can be)": ulps.count((1, 1)),
        "further apart": sum(low > 1 for low, _ in ulps),
        "left open by the printed digits": sum(low <= 1 and low < high for low, high in ulps),
    }
    found = {what: count for what, count in counts.items() if count}
    if len(found) == 1:
        claim = f"All {len(ulps)} components are {' '.join(found)}."
    else:
        *others, last = (f"{count} {'is' if count == 1 else 'are'} {what}" for what, count in found.items())
        claim = f"Of {len(ulps)} components, {', '.join(others)} and {last}."
    worst = decoding.pairs[decoding.worst]
    if worst.ulps[1] <= 1:
        return claim
    farthest = f"The farthest {'is' if worst.ulps[0] == worst.ulps[1] else 'may be'} component {decoding.worst}"
    return f"{claim} {farthest}, counted from 0: {_distance(worst)}"


def _alone(number: Number) -> str:
    text, form, exponent = f"`{number.text}`", number.format, number.power_of_two
    if exponent is not None:
        power = f"{_power(exponent, number.sign)}{'' if number.floats == 1 else ', as far as its digits tell'}"
        binade = exponent + form.precision - 1
        if not 1 - form.largest_exponent <= binade < form.largest_exponent:
            return f"{text} is {power}."
        ends = " up to ".join(f"`{_digits(Fraction(2) ** end)}`" for end in (binade, binade + 1))
        return f"{text} is {power}: as a difference, exactly one ulp of every {form.name} from {ends}."
    if number.value == number.printed.value and number.floats == 1:
        return f"{text} is a {form.name}, exactly `{number.exact}`."
    nearest = f"The {form.name} nearest to {text} is `{number.exact}`"
    return f"{nearest}." if number.floats == 1 else f"{nearest}, one of {number.floats:,} that its digits stand for."


def _digits(x: Fraction) -> str:
    try:
        return f"{float(x):.5g}"
    except OverflowError:
        return "more than 1.7977e+308"


def _power(exponent: int, sign: str = "") -> str:
    return f"`{sign}2^{exponent}`"
