"""The answer to a paste: one verdict, one sentence, one picture, and what next."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lib.floats.exact_floats import significand_and_exponent, tolerances
from lib.floats.quantities import hexadecimal
from lib.paste.causes import Cause, likely_cause
from lib.paste.facts import Facts
from lib.paste.floats_of import Number, Pair, power_within
from lib.paste.kinds import Kind, kind_of
from lib.paste.read import Reading, read
from lib.paste.verdict import Verdict

MOST_LISTED = 16
"""How many components have figures of their own."""

FITS = "It fits the digits; they do not prove it."

Figures = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What is said of a paste; `place` picks a component of vectors, by default the one that is farthest apart."""

    reading: Reading
    kind: Kind
    place: int | None = None

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
        said = self.cause.sentence.format(f=self.facts)
        return f"{said[0].upper()}{said[1:]}"

    @property
    def measured(self) -> str:
        """How far apart two numbers are, in floats; of vectors also how many components differ."""
        drawn, pairs = self.facts.drawn, self.kind.pairs
        apart = f"Floats apart in {drawn.format.name}: {drawn.apart}." if drawn and drawn.ulps[1] else ""
        if len(pairs) < 2:
            return apart
        where = f" {apart[:-1]} in component {self.facts.at}, counted from 0." if apart else ""
        return f"{self.facts.differ} of {len(pairs)} components differ for sure.{where}"

    @property
    def read_as(self) -> str:
        """What kind of thing was read, for a line below the picture."""
        shapes = self.facts.shapes_text or f"{len(self.kind.numbers)}"
        return f"Read as {self.kind.name} ({shapes}), {self.kind.format.name}."

    @property
    def marks(self) -> list[list[str]]:
        """The text in pieces, each with what it was read as: a number that counts, or nothing."""
        text, end, pieces, kind = self.reading.text, 0, [], self.kind
        counting = [*kind.numbers, *(pair.third for pair in kind.pairs), kind.beside]
        spans = [one.printed.span for one in counting if one]
        spans = spans or [number.span for value in self.reading.values for number in value.numbers]
        for start, stop in sorted({*spans}):
            pieces += [[text[end:start], ""], [text[start:stop], "read"]]
            end = stop
        pieces.append([text[end:], ""])
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
        if len(kind.pairs) == 1:
            return _of_pair(kind.pairs[0]) | said
        if kind.pairs:
            listed = [_of_pair(pair) for pair in kind.pairs[:MOST_LISTED]]
            return {"components": listed, "worst": self.facts.worst} | said
        if len(kind.numbers) == 1:
            return _of_number(kind.numbers[0]) | said
        return {"numbers": [_of_number(one) for one in kind.numbers[:MOST_LISTED]]} | said if kind.numbers else said

    @property
    def table(self) -> Figures | None:
        """The components, a row of which is drawn: for two vectors."""
        if len(self.kind.pairs) < 2:
            return None
        rows = [
            [str(place), pair.first.text, pair.second.text, pair.apart]
            for place, pair in enumerate(self.kind.pairs[:200])
        ]
        return {"head": ["component", "first", "second", "floats apart"], "rows": rows, "picked": self.facts.at}


def answer(text: str, dtype: str, place: int | None = None) -> Answer:
    """Answer a paste. Raise `PasteError`, one sentence that says what would help, if nothing can be read in it."""
    reading = read(text)
    return Answer(reading, kind_of(reading, dtype), place)


def _of_number(number: Number) -> Figures:
    significand, exponent = significand_and_exponent(number.value)
    known: Figures = {
        "value": number.as_float,
        "hexadecimal": hexadecimal(number.as_float),
        "spacing": float(number.spacing),
        "power_of_two": power_within(number.size) if number.is_held else None,
        "floats": number.floats,
        "multiple_of_power_of_two": number.multiple_of_power,
        "one_ulp_of": number.one_ulp_of and [float(end) for end in number.one_ulp_of],
    }
    exact = f"{significand}·2^{exponent}" if number.finite else str(number.as_float)
    known = known if number.finite else dict.fromkeys(known)
    return {"text": number.printed.text, "exact": exact, "held": number.is_held} | known


def _of_pair(pair: Pair) -> Figures:
    low, high = pair.differences
    least, most = float(pair.largest), float(max(pair.first.size[1], pair.second.size[1]))
    relative = [float(low) / most if most else 0.0, min(float(high) / least, 2.0) if least else 2.0 * (high > 0)]
    nearer = min(pair.first, pair.second, key=lambda number: abs(number.value))
    told = abs(pair.third.value) if pair.third else abs(pair.first.value - pair.second.value)
    known: Figures = {
        "ulps": list(pair.ulps),
        "difference": float(low if low == high else min(max(told, low), high)),
        "differences": [float(low), float(high)],
        "power_of_two": power_within(pair.differences),
        "spacing": float(nearer.spacing),
        "relative": relative,
        "relative_to_eps": [one / float(pair.format.eps) for one in relative],
    }
    above = {name: pair.above(one) for name, one in tolerances(pair.format.name).items()}
    if not pair.finite:
        known, above = dict.fromkeys(known), dict.fromkeys(above, not pair.equal)
    return known | {"above": above, "numbers": [_of_number(pair.first), _of_number(pair.second)]}
