"""The answer to a paste: one verdict, one sentence, one picture, and what next."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lib.floats.exact_floats import tolerances
from lib.paste.causes import Cause, Verdict, likely_cause
from lib.paste.compared import Kind
from lib.paste.facts import Facts
from lib.paste.floats_of import NARROW, Floats, Pairs, spacing
from lib.paste.kinds import kind_of
from lib.paste.picked import Sides, choices
from lib.paste.read import Reading, read

MOST_LISTED = 16
"""How many components have figures of their own."""

FITS = "The digits fit that, but cannot prove it."

Figures = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What is said of a paste, or of the two `sides` that were picked in it.

    `place` picks a component of vectors, by default the one that is farthest apart.
    """

    reading: Reading
    kind: Kind
    place: int | None = None
    sides: Sides | None = None

    @cached_property
    def facts(self) -> Facts:
        return Facts(self.kind, self.place)

    @cached_property
    def cause(self) -> Cause:
        return likely_cause(self.facts)

    @property
    def verdict(self) -> Verdict | None:
        return self.cause.verdict

    @cached_property
    def sentence(self) -> str:
        """What fits, in words."""
        said = self.cause.says.format(f=self.facts)
        return f"{said[0].upper()}{said[1:]}"

    @property
    def measured(self) -> str:
        """How many components of two vectors differ."""
        count = len(self.kind.pairs or ())
        return f"{self.facts.differ} of {count} components differ for sure." if count > 1 else ""

    @property
    def read_as(self) -> str:
        """What kind of thing was read, for a line below the picture."""
        what = self.facts.shapes or len(self.kind.numbers)
        counted = f": {what}, in {self.kind.format.name}" if what else ""
        return f"Read as {self.kind.name}{counted}."

    @property
    def marks(self) -> list[tuple[str, int | None, str]]:
        """The text in pieces: each with its place among those that can be picked, or None, and what it counts as.

        That is a side, first or second, a difference, a number that was read, or nothing.
        """
        text, end, pieces, pairs = self.reading.text, 0, [], self.kind.pairs
        sides = {"first": pairs.first, "second": pairs.second, "difference": pairs.third} if pairs else {}
        counts = {one.span: role for role, side in sides.items() if side for one in side.printed}
        counts |= {one.span: "read" for one in self.kind.numbers.printed if one.span not in counts}
        for at, (value, _) in enumerate(choices(self.reading)):
            role = next((counts[one.span] for one in value.numbers if one.span in counts), "" if counts else "read")
            start, stop = value.numbers[0].span[0], value.numbers[-1].span[1]
            pieces += [(text[end:start], None, ""), (text[start:stop], at, role)]
            end = stop
        pieces.append((text[end:], None, ""))
        return [piece for piece in pieces if piece[0]]

    @property
    def figures(self) -> Figures:
        """The answer for JSON: facts about one number, the distance of two, the components of vectors, or a shape.

        NaN, infinities and facts that these do not have are null, and so is `above` where the digits leave it open.
        """
        kind = self.kind
        said: Figures = {
            "dtype": kind.format.name,
            "verdict": self.verdict.value if self.verdict else None,
            "sentence": self.sentence,
            "cause": {"name": self.cause.name, "do": self.cause.do},
            "notes": list(kind.notes),
            "read_as": kind.name,
            "passed_over": list(self.reading.passed),
        }
        if kind.name in ("jacobian", "shape", "unequal"):
            return {"shapes": [list(shape) for shape in kind.shapes]} | said
        if kind.name == "message":
            told = (kind.absolute, kind.relative)
            return {"greatest": [None if one is None or one - one else one for one in told]} | said
        listed = range(min(len(kind.pairs or kind.numbers), MOST_LISTED))
        if kind.pairs and len(kind.pairs) == 1:
            return _of_pair(kind.pairs, 0) | said
        if kind.pairs:
            return {"components": [_of_pair(kind.pairs, at) for at in listed], "worst": self.facts.worst} | said
        if len(kind.numbers) == 1:
            return _of_number(kind.numbers, 0) | said
        return ({"numbers": [_of_number(kind.numbers, at) for at in listed]} if listed else {}) | said

    @property
    def table(self) -> Figures | None:
        """The components, a row of which is drawn: for two vectors."""
        pairs = self.kind.pairs
        if not pairs or len(pairs) < 2:
            return None
        rows = [
            [str(at), pairs.first.text(at), pairs.second.text(at), self.facts.floats_apart(at)]
            for at in range(min(len(pairs), 200))
        ]
        return {"head": ["component", "first", "second", "floats apart"], "rows": rows, "picked": self.facts.at}


def answer(text: str, dtype: str, place: int | None = None, sides: Sides | None = None) -> Answer:
    """Answer a paste, or of it the two values in these places among those that can be picked, beginning with 0.

    Raise `PasteError`, one sentence that says what would help, if nothing can be read in it.
    """
    reading = read(text)
    return Answer(reading, kind_of(reading, dtype, sides), place, sides)


def _of_number(numbers: Floats, at: int) -> Figures:
    value = float(numbers.value[at])
    known: Figures = {
        "value": value,
        "spacing": float(spacing(numbers.value[at], numbers.format)),
        "floats": int(numbers.ends[1][at]) - int(numbers.ends[0][at]) + 1,
    }
    return {"text": numbers.printed[at].text} | (known if np.isfinite(value) else dict.fromkeys(known))


@np.errstate(invalid="ignore")  # infinities have no figures
def _of_pair(pairs: Pairs, at: int) -> Figures:
    first, second = pairs.first, pairs.second
    low, high = (float(end[at]) for end in pairs.differences)
    least, most = (float(max(first.size[end][at], second.size[end][at])) for end in (0, 1))
    nearer = min(first.value[at], second.value[at], key=abs)
    told = abs(float(pairs.third.value[at] if pairs.third else first.value[at] - second.value[at]))
    known: Figures = {
        "ulps": [int(end[at]) for end in pairs.ulps],
        "difference": low if low == high else min(max(told, low), high),
        "differences": [low, high],
        "power_of_two": _power_within(low, high),
        "spacing": float(spacing(nearer, pairs.format)),
        "relative": [low / most if most else 0.0, min(high / least, 2.0) if least else 2.0 * (high > 0)],
    }
    above: dict[str, bool | None] = dict.fromkeys(tolerances(pairs.format.name), not pairs.equal[at])
    if pairs.finite[at]:
        above = {name: pairs.above(one, at) for name, one in tolerances(pairs.format.name).items()}
    else:
        known = dict.fromkeys(known)
    return known | {"above": above, "numbers": [_of_number(first, at), _of_number(second, at)]}


def _power_within(low: float, high: float) -> int | None:
    """Return the e with 2**e in a narrow interval of positive numbers, or None."""
    e = int(np.frexp(high)[1]) - 1
    return e if low > 0 and high - low <= NARROW * low and 2.0**e >= low else None
