"""The answer to a paste: one verdict, one sentence, one picture, and what next."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lib.floats.exact_floats import tolerances
from lib.floats.quantities import hexadecimal
from lib.paste.causes import Cause, likely_cause
from lib.paste.evidence import Facts
from lib.paste.floats_of import NotFinite, NotFinitePair, Number, Pair, power_within
from lib.paste.kinds import Kind, kind_of
from lib.paste.read import Reading, read
from lib.paste.verdict import Verdict

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
        """How far apart they are, in floats; of vectors also how many components differ."""
        facts = self.facts
        if not self.kind.pairs:
            return ""
        drawn = facts.drawn
        if len(self.kind.pairs) == 1:
            return f"{facts.apart} apart in {facts.form.name}." if drawn and drawn.ulps[1] else ""
        said = f"{facts.differ} of {facts.count} components differ for sure."
        return f"{said} In component {facts.at} (counted from 0): {facts.apart}." if drawn else said

    @property
    def read_as(self) -> str:
        """What kind of thing was read, for a line below the picture."""
        names = {
            "pairs": f"two values of {len(self.kind.pairs)} numbers" if len(self.kind.pairs) > 1 else "two numbers",
            "differences": f"differences ({len(self.kind.numbers)})",
            "numbers": f"numbers ({len(self.kind.numbers)})",
            "jacobian": f"one matrix of {self.facts.shape_text}",
            "unequal": f"values of {self.facts.shapes_text}",
            "shape": f"a shape, {self.facts.shapes_text}",
            "message": "a message",
            "words": "words",
        }
        return f"Read as {names[self.kind.name]}, {self.facts.form.name}."

    @property
    def marks(self) -> list[list[str]]:
        """The text in pieces, each with what it was read as: a number that counts, or nothing."""
        text, end, pieces = self.reading.text, 0, []
        for start, stop in sorted(self.kind.used):
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
            return {"greatest": [_json(kind.absolute), _json(kind.relative)]} | said
        if len(kind.pairs) == 1:
            return _of_pair(kind.pairs[0]) | said
        if kind.pairs:
            return {"components": [_of_pair(pair) for pair in kind.pairs], "worst": self.facts.worst} | said
        if len(kind.numbers) == 1:
            return _of_number(kind.numbers[0]) | said
        return {"numbers": [_of_number(number) for number in kind.numbers]} | said if kind.numbers else said

    @property
    def table(self) -> Figures | None:
        """The components, a row of which is drawn: for two vectors."""
        if len(self.kind.pairs) < 2:
            return None
        rows = [
            [str(place), pair.first.text, pair.second.text, _floats_apart(pair)]
            for place, pair in enumerate(self.kind.pairs[:200])
        ]
        return {"head": ["component", "first", "second", "floats apart"], "rows": rows, "picked": self.facts.at}


def answer(text: str, dtype: str, place: int | None = None) -> Answer:
    """Answer a paste. Raise `PasteError`, one sentence that says what would help, if nothing can be read in it."""
    reading = read(text)
    return Answer(reading, kind_of(reading, dtype), place)


def _floats_apart(pair: Pair | NotFinitePair) -> str:
    if not isinstance(pair, Pair):
        return "equal" if pair.equal else "not finite"
    low, high = pair.ulps
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _json(value: float | None) -> float | None:
    return value if value is not None and abs(value) < float("inf") else None


def _of_number(number: Number | NotFinite) -> Figures:
    if isinstance(number, NotFinite):
        unknown = (
            "value",
            "hexadecimal",
            "spacing",
            "power_of_two",
            "floats",
            "multiple_of_power_of_two",
            "one_ulp_of",
        )
        return {"text": number.text, "exact": str(number.value), "held": True} | dict.fromkeys(unknown)
    return {
        "text": number.printed.text,
        "value": number.as_float,
        "exact": number.exact,
        "hexadecimal": hexadecimal(number.as_float),
        "spacing": float(number.spacing),
        "power_of_two": power_within(number.size) if number.is_held else None,
        "floats": number.floats,
        "held": number.is_held,
        "multiple_of_power_of_two": number.multiple_of_power,
        "one_ulp_of": number.one_ulp_of and [float(end) for end in number.one_ulp_of],
    }


def _of_pair(pair: Pair | NotFinitePair) -> Figures:
    numbers = {"numbers": [_of_number(pair.first), _of_number(pair.second)]}
    if not isinstance(pair, Pair):
        unknown = ("ulps", "differences", "difference", "power_of_two", "spacing", "relative", "relative_to_eps")
        above: Figures = dict.fromkeys(("assert_close", "allclose", "gradcheck"), not pair.equal)
        return dict.fromkeys(unknown) | {"above": above} | numbers
    low, high = pair.differences
    least, most = float(pair.largest), float(max(pair.first.size[1], pair.second.size[1]))
    relative = [float(low) / most if most else 0.0, min(float(high) / least, 2.0) if least else 2.0 * (high > 0)]
    nearer = min(pair.first, pair.second, key=lambda number: abs(number.value))
    known = abs(pair.third.value) if pair.third else abs(pair.first.value - pair.second.value)
    return {
        "ulps": list(pair.ulps),
        "difference": float(low if low == high else min(max(known, low), high)),
        "differences": [float(low), float(high)],
        "power_of_two": power_within(pair.differences),
        "spacing": float(nearer.spacing),
        "relative": relative,
        "relative_to_eps": [one / float(pair.format.eps) for one in relative],
        "above": {name: pair.above(one) for name, one in tolerances(pair.format.name).items()},
        **numbers,
    }
