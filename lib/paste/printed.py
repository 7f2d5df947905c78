"""Printed numbers: their digits and their place in the text, in whatever way people write them; brackets of them."""

import re
from functools import lru_cache
from math import isinf
from typing import NamedTuple

from lib.experiment.fields import Refusal
from lib.paste.patterns import LABEL, NUMBER, TEXT

_RAISED = str.maketrans("⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹−–", "-+0123456789--", ",'_}\u2009\u202f\u00a0")


class PasteError(Refusal):
    """Why a paste cannot be read, in one sentence that says what can."""


class Printed(NamedTuple):
    """A number as text, its value, and where it stands.

    `digits` counts its significant digits, `place` is the power of ten of the last one, `decimals` counts those after
    its point and is None in e-notation. All three are None if the number is exact (hexadecimal), NaN or an infinity;
    `digits` alone if it was printed with all digits that it has.
    """

    text: str
    value: float
    span: tuple[int, int] = (0, 0)
    digits: int | None = None
    place: int | None = None
    decimals: int | None = None

    @property
    def whole(self) -> bool:
        """Whether it is written as a whole number: 3, 3. or 3.0."""
        return self.decimals == 0 or self.text.endswith(".0")

    @property
    def needed(self) -> int:
        """How many of its digits are needed: without the zeros at the end of a whole number."""
        return len(self.text.rstrip("0.").lstrip("-+0.").replace(".", "")) if self.whole else self.digits or 0

    @property
    def pointed(self) -> bool:
        """Whether it has decimals or an exponent, and so is no count."""
        return self.decimals is None or self.decimals > 0 or "." in self.text

    def shortens(self, other: "Printed") -> bool:
        """Whether one of the two is the other with fewer decimals, and is no whole number."""
        fewest = min(self.decimals or 0, other.decimals or 0)
        return fewest > (self.whole or other.whole) and round(self.value, fewest) == round(other.value, fewest)


class Value(NamedTuple):
    """Numbers in one pair of brackets, with their shape, or one number, whose shape is (); and the words that name it.

    The label stands before it on its line, or after it, or is the heading above. `sizes` tells that it is written as a
    shape is, (3, 4) or torch.Size([3, 4]); `part` that its end is missing.
    """

    numbers: tuple[Printed, ...]
    shape: tuple[int, ...] = ()
    label: str = ""
    line: int = 0
    sizes: bool = False
    part: bool = False
    percent: bool = False
    heading: str = ""

    @property
    def role(self) -> str:
        return _role(self.label)

    @property
    def is_side(self) -> bool:
        return self.role in ("value", "expected")

    @property
    def pointed(self) -> bool:
        return any(number.pointed for number in self.numbers)


@lru_cache(4096)
def _role(label: str) -> str:
    """What a label says: difference, relative, size, expected or value."""
    relative = LABEL["relative"].search(label)
    found = LABEL["difference"].search(label) or relative
    if found and not LABEL["told"].search(label, found.end()):
        return "relative" if relative else "difference"
    return next((role for role in ("size", "expected") if LABEL[role].search(label)), "value")


def read_number(text: str) -> float:
    """Read one number; raise `PasteError` for anything else."""
    if not re.fullmatch(NUMBER, text.strip(), re.IGNORECASE):
        raise PasteError.quoting("{} is not a number.", text)
    return printed(text.strip(), 0).value


def printed(word: str, start: int) -> Printed:
    """Read a word that is a number, and stands there in a text."""
    text, span, found = word, (start, start + len(word)), TEXT["plain"].fullmatch(word)
    if not found:
        text = TEXT["power"].sub("e", word.rstrip("….")).translate(_RAISED).replace("null", "nan").replace(" ", "")
        text = re.sub(r"(?<![\d.])e", "1e", text)  # a power of ten alone
        found = TEXT["plain"].fullmatch(text)
    if not found:
        return Printed(word, float.fromhex(text) if "0x" in text.lower() else float(text), span)
    value, (whole, _, decimals, exponent) = float(text), found.groups()
    if isinf(value):
        raise PasteError.quoting("The number {} is beyond the range of float64.", word)
    digits, place = len((whole + decimals).lstrip("0")), int(exponent or 0) - len(decimals)
    return Printed(max(word, text, key=len), value, span, digits, place, None if exponent else len(decimals))
