"""The answer to a paste: what was compared, a verdict or a question, and what next.

NOTE [what is judged]: a verdict needs two values, and which two must be certain. The steps:

1. The visitor pressed two values: these are compared.
2. The same message occurs more than once, as in the output of several checks: it is explained,
   and no value is compared.
3. A message of a library names two values that are not both counts: these are compared.
4. A message decides by itself, or names values that step 3 does not compare, or the text has other
   words than labels: no value is compared.
5. There is one value: it is described, unless it is a limit or a count.
6. It is certain which values belong together: these are compared.

If nothing is compared, explained or described, the visitor is asked.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from lib.paste.causes import Cause, Verdict, cause, cause_of
from lib.paste.comparison import Comparison
from lib.paste.labels import labelled, role_of
from lib.paste.messages import ROWS, Message, messages_in, without
from lib.paste.one_value import OneValue
from lib.paste.pairing import alone, compared
from lib.paste.printed import PasteError
from lib.paste.values import Value, values_of

_CODE = re.compile(
    r"^(?:>>>|In \[\d+\]:).*(?:\n *\.\.\.:? .*)*|\\n|^(?:(?:Name|Length): .*)?dtype: \w+$",
    re.MULTILINE,
)
"""Lines that Python or IPython reads, as its prompt marks them, line ends as pytest writes them,
and what pandas writes below a column."""

_SIDES = ("first", "second", "difference")

Places = tuple[int, int]
"""The places of two values among the values of the text, counted from 0."""

Piece = tuple[str, int | None, str]
"""A part of the text; its place among the values, or None; its role: see `Answer.pieces`."""


@dataclass(frozen=True, eq=False)
class Answer:
    """The answer to a paste.

    `values` are all values of the text, and `messages` are those of libraries. `comparisons` are
    the pairs that were compared. `described` is the only value of the text, if it is described.
    """

    text: str
    values: Sequence[Value]
    messages: Sequence[Message] = ()
    comparisons: Sequence[Comparison] = ()
    described: OneValue | None = None

    @cached_property
    def comparison(self) -> Comparison | None:
        """The comparison with the most harmful verdict; of several, that with the largest share."""
        return max(self.comparisons, key=_harm, default=None)

    @cached_property
    def cause(self) -> Cause:
        """The cause that fits the comparison, else the messages, else the value described.

        If there is none of them, it is a question to the visitor.
        """
        if self.comparison:
            return cause_of(self.comparison)
        if self.messages:
            rows = [ROWS[message.name] for message in self.messages]
            return cause("message", max(rows, key=lambda row: "verdict" in row))
        if self.described:
            return cause_of(self.described)
        return cause("ask" if len(self.values) > 1 else "nothing")

    @property
    def verdict(self) -> Verdict | None:
        return self.cause.verdict

    @property
    def sentence(self) -> str:
        """The answer in words: of each message, and of the comparison or the value described."""
        sentences = [*dict.fromkeys(message.sentence for message in self.messages)]
        shown = self.comparison or self.described
        if shown:
            sentences.append(cause_of(shown).says.format(c=shown))
        return " ".join(sentences) or self.cause.says

    @property
    def notes(self) -> list[str]:
        """Sentences on what was not compared, and on several pairs."""
        notes: list[str] = []
        if self.comparison and len(self.comparisons) > 1:
            number = 1 + self.comparisons.index(self.comparison)
            worst = f"; pair {number}, {self.comparison.first.label}, is the worst"
            worst = "" if self.verdict is Verdict.EQUAL else worst
            notes.append(f"{len(self.comparisons)} pairs were compared{worst}.")
        if 0 < self.compared < len(self.values):
            notes.append(f"{self.compared} of {len(self.values)} values were compared.")
        if any(comparison.has_gap for comparison in self.comparisons):
            notes.append("The numbers that the text leaves out were not compared.")
        pair = self.comparison
        is_related = pair and not pair.shapes_differ and not pair.unlike.size
        if self.verdict is Verdict.NOT_ROUNDING and is_related:
            notes.append("This holds if no terms much larger than these numbers cancelled.")
        return notes

    @property
    def compared(self) -> int:
        """How many of the values were compared."""
        return len(self._roles)

    @cached_property
    def _roles(self) -> dict[tuple[int, int], str]:
        """The role of each value that was compared, by its span: first, second or difference."""
        return {
            span: role
            for comparison in self.comparisons
            for role, value in zip(_SIDES, comparison.values, strict=False)
            for span in value.parts or [value.span]
        }

    @property
    def pieces(self) -> list[Piece]:
        """The text in pieces.

        The role of a value that was compared is first, second or difference. If none was compared,
        that of every value is read. All other pieces have the role "".
        """
        end = 0
        pieces: list[Piece] = []
        default = "" if self.comparisons else "read"
        for place, value in enumerate(self.values):
            start, stop = value.span
            role = self._roles.get(value.span, default)
            pieces += [(self.text[end:start], None, ""), (self.text[start:stop], place, role)]
            end = stop
        return [piece for piece in [*pieces, (self.text[end:], None, "")] if piece[0]]


def answer(text: str, dtype: str, places: Places | None = None) -> Answer:
    """Answer a paste: NOTE [what is judged].

    Args:
        text: what was pasted.
        dtype: the name of the dtype of values that name none.
        places: the places of two values that the visitor pressed, or None.

    Raises:
        PasteError: one sentence, if the text cannot be read or has no such two values.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    messages, rest = messages_in(without(_CODE, text))
    read = values_of(rest)
    if not all(value.is_size or value.is_count for value in read):
        # Beside other values, a shape is a part of their labels.
        read = [value for value in read if not value.is_size]
    named = labelled(rest, read)
    values = named or read
    # Step 1.
    if places:
        if len({*places}) < 2 or not all(0 <= place < len(values) for place in places):
            raise PasteError("Two different values of the text are needed.")
        return Answer(text, values, (), [Comparison(dtype, *(values[place] for place in places))])
    explained = Answer(text, values, messages)
    # Step 2.
    if len({message.name for message in messages}) < len(messages):
        return explained
    sides = [value for message in messages for value in values if message.names(value)]
    # Step 3.
    if len(sides) == 2 and not all(value.is_count for value in sides):
        # Pytest prints a bare number with all its digits.
        sides = [value if value.name else value.exact for value in sides]
        return replace(explained, comparisons=[Comparison(dtype, *sides)])
    # Step 4.
    if sides or not named or any("verdict" in ROWS[message.name] for message in messages):
        return explained
    # Step 5.
    results = [value for value in values if role_of(value.label) != "limit"]
    if described := alone(results, dtype):
        return replace(explained, described=described)
    # Step 6.
    judged = replace(explained, comparisons=compared(results, dtype))
    # Values in which nothing differs are not those of a check that failed.
    return explained if messages and judged.verdict is Verdict.EQUAL else judged


def answer_of(texts: Sequence[str], dtype: str) -> Answer:
    """Answer values that are given one by one: two, or three of which one is the difference.

    Args:
        texts: two or three texts of one value each.
        dtype: the name of the dtype of values that name none.

    Raises:
        PasteError: one sentence, if a text cannot be read or has no value.
    """
    for text in texts:
        if len(values_of(text)) != 1:
            raise PasteError.quoting("{} must be one number, one list or one tensor.", text)
    return answer("\n".join(texts), dtype, (0, 1) if len(texts) == 2 else None)


def _harm(pair: Comparison) -> tuple[int, float, float]:
    """Return how harmful the verdict is, and the largest difference relative to the numbers.

    Of pairs that print alike, the doubt decides.
    """
    severity = [*Verdict].index(cause_of(pair).verdict)
    if pair.shapes_differ or not pair.worst:
        return severity, 0.0, 0.0
    return severity, pair.share, pair.apart[1]
