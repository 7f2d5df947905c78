"""What a report says of a `Difference`."""

from lib.floats.sentences import Sentence
from lib.own.difference import UNDECIDED

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
        "Other rounding does not remove them: overflow, or underflow to 0.", lambda f: f.range
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
        "Along a random direction central differences confirm {f.digits} digits of the gradient in float64; "
        "small components do not show there.",
        lambda f: f.same and f.slopes,
    ),
    Sentence(
        "{f.second} is {f.factor:.6g} times {f.first}, to half of the digits.",
        lambda f: not f.same and f.factor,
    ),
    Sentence("Seen in use: {f.causes}.", lambda f: not f.same and f.causes),
    Sentence(
        "A network that runs in float64, or another x, would decide.", lambda f: f.kind == UNDECIDED
    ),
)
"""What is said of a `Difference`."""
