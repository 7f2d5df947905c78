"""What a report says of a `Difference`."""

from lib.floats.sentences import Sentence
from lib.own.difference import UNDECIDED
from lib.own.slope import FEWEST_DIGITS

SENTENCES = (
    Sentence("{f.first} and {f.second} are equal.", lambda f: f.alike),
    Sentence(
        "{f.first} and {f.second} differ in {f.differing:,} of {f.components:,}, up to {f.apart:,} ulp.",
        lambda f: f.apart,
    ),
    Sentence(
        "NaN or infinite: {f.lost[0]:,} of {f.components:,} in {f.first}, {f.lost[1]:,} in {f.second}.",
        lambda f: f.hidden,
    ),
    Sentence("In float64 throughout {f.stay:,} of these remain.", lambda f: f.hidden and f.wide),
    Sentence(
        "Numbers arise there that the network's dtypes do not have: overflow.",
        lambda f: f.hidden and f.wide and f.seen.overflow and not f.stay,
    ),
    Sentence("{f.seen.begins}", lambda f: f.hidden and f.seen.begins),
    Sentence(
        "In float64 {f.throughout}, {f.remains:.2g} of a difference remains beyond rounding.",
        lambda f: f.apart and f.remains is not None,
    ),
    Sentence(
        "In its own dtype it is off by {f.off:.2g} of its size from float64 throughout, more than rounding explains.",
        lambda f: f.off,
    ),
    Sentence(
        "The gradient is not the function's: central differences give the slope "
        "{f.wrong.measured:.6g} ± {f.wrong.error:.1g}, not {f.wrong.by_gradient:.6g}.",
        lambda f: f.wrong,
    ),
    Sentence(
        "Along a random direction central differences agree with the gradient in float64 to "
        "{f.digits} digits; small components do not show there.",
        lambda f: f.same and f.digits >= FEWEST_DIGITS,
    ),
    Sentence(
        "Central differences confirm nothing here, as at a kink or where the function varies within their step.",
        lambda f: f.same and f.slopes and f.digits < FEWEST_DIGITS,
    ),
    Sentence("{f.second} is {f.factor:.6g} times {f.first}, to half of the digits.", lambda f: not f.same and f.factor),
    Sentence("Seen in use: {f.causes}.", lambda f: not f.same and f.causes),
    Sentence(
        "A hook of a parameter cannot be seen from here, nor what a script does.", lambda f: f.wrong and not f.causes
    ),
    Sentence("A network that runs in float64, or another x, would decide.", lambda f: f.kind == UNDECIDED),
)
"""What is said of a `Difference`."""
