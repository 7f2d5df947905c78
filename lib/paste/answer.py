"""The answer to a paste: what was compared, a verdict or a question, and what next.

NOTE [what is judged]: a verdict needs two values, and which two must be certain: the visitor
pressed them, a message of a library names them, or the text has nothing but values and labels and
can be read in one way only. Everything else is asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from lib.paste.causes import Cause, Verdict, cause, cause_of, cause_of_messages, cause_of_one
from lib.paste.comparison import Comparison
from lib.paste.floats_of import Pairs
from lib.paste.formats import dtype_of, format_of_values, wider
from lib.paste.labels import labelled, role_of
from lib.paste.matrix import Matrix
from lib.paste.messages import Message, count_of, difference_of, messages_in, sides_of
from lib.paste.pairing import Pairing, Sides, joined, pairing_of
from lib.paste.picked import Places, choices, picked, related_by_shape
from lib.paste.printed import PasteError
from lib.paste.values import Value, values_of

_SEVERITY = {verdict: place for place, verdict in enumerate(Verdict)}

Piece = tuple[str, int | None, str]


@dataclass(frozen=True, eq=False)
class Answer:
    """What is said of a paste.

    `values` are all values of the text. `comparisons` are the pairs that were compared, `one` is
    what is shown if no two are, and `messages` are those of libraries. `places` are what the
    visitor pressed.
    """

    text: str
    values: tuple[Value, ...]
    comparisons: tuple[Comparison, ...] = ()
    one: Matrix | None = None
    messages: tuple[Message, ...] = ()
    places: Places | None = None

    @cached_property
    def worst(self) -> Comparison | None:
        """The comparison with the most harmful verdict; of several, the one farthest apart."""
        return max(self.comparisons, key=_harm, default=None)

    @cached_property
    def cause(self) -> Cause:
        """What fits the comparison, the messages, or the one value; or the question."""
        if self.worst:
            return cause_of(self.worst)
        if self.messages:
            return cause_of_messages(self.messages)
        if self.one:
            return cause_of_one(self.one)
        return cause("ask" if len(self.choices) > 1 else "nothing")

    @cached_property
    def choices(self) -> list[Value]:
        """What can be pressed."""
        return [row for row, _ in choices(self.values)]

    @property
    def verdict(self) -> Verdict | None:
        return self.cause.verdict

    @property
    def sentence(self) -> str:
        """What fits, in words: of each message, and of the worst comparison."""
        sentences = [message.sentence for message in self.messages if message.sentence]
        if self.worst:
            label = f"{self.worst.label}: " if len(self.comparisons) > 1 and self.worst.label else ""
            sentences.append(label + self.cause.says.format(c=self.worst))
        elif not self.messages:
            sentences.append(self.cause.says.format(c=self.one))
        elif self.one:
            sentences.append(cause_of_one(self.one).says.format(c=self.one))
        return " ".join(dict.fromkeys(sentences))

    @property
    def notes(self) -> list[str]:
        """What the verdict does not speak of, in sentences."""
        notes = []
        messages = count_of(self.messages)
        if messages > 1:
            notes.append(f"{messages} messages of one kind: their values were not compared. Paste one at a time.")
        if len(self.comparisons) > 1:
            notes.append(f"{len(self.comparisons)} pairs were compared; this is the worst.")
        compared = self.compared
        if self.comparisons and compared < len(self.choices):
            notes.append(f"{compared} of {len(self.choices)} values were compared.")
        if self.worst and not self.worst.shapes_differ and self.worst.left_out:
            notes.append(f"Not compared, since NaN or the same infinity on both sides: {self.worst.left_out}.")
        if self.worst and self.worst.has_gap:
            notes.append("The numbers that the text leaves out were not compared.")
        return notes

    @property
    def compared(self) -> int:
        """How many of the values that can be pressed were compared."""
        roles = self._roles
        return sum(any(number.span in roles for number in row.numbers) for row in self.choices)

    @cached_property
    def _roles(self) -> dict[tuple[int, int], str]:
        """What each number that was compared is: first, second or difference."""
        roles: dict[tuple[int, int], str] = {}
        for comparison in self.comparisons:
            sides = comparison.sides
            for name, side in zip(("first", "second", "difference"), sides, strict=True):
                roles |= {number.span: name for number in side.numbers} if side else {}
        return roles

    @property
    def pieces(self) -> list[Piece]:
        """The text in pieces: each with its place among the choices, or None, and its role.

        The role is first, second, difference, read or "".
        """
        end = 0
        pieces: list[Piece] = []
        alone = "" if self.comparisons else "read"
        for place, row in enumerate(self.choices):
            roles = [self._roles[number.span] for number in row.numbers if number.span in self._roles]
            start, stop = row.numbers[0].span[0], row.numbers[-1].span[1]
            pieces.append((self.text[end:start], None, ""))
            pieces.append((self.text[start:stop], place, roles[0] if roles else alone))
            end = stop
        pieces.append((self.text[end:], None, ""))
        return [piece for piece in pieces if piece[0]]


def answer(text: str, dtype: str, places: Places | None = None) -> Answer:
    """Answer a paste: NOTE [what is judged].

    Args:
        text: what was pasted.
        dtype: the name of the dtype of numbers that tell none.
        places: the two choices that the visitor pressed, counted from 0, or None.

    Raises:
        PasteError: one sentence, if the text cannot be read or has no such choices.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    read = _read(text, dtype)
    if not places:
        return read
    comparison = Comparison(picked(read.values, places, dtype), dtype)
    return Answer(text, read.values, (comparison,), places=places)


def answer_of(texts: Sequence[str], dtype: str) -> Answer:
    """Answer two values, and perhaps their difference, that are given one by one.

    Args:
        texts: two or three texts of one value each.
        dtype: the name of the dtype of numbers that tell none.

    Raises:
        PasteError: one sentence, if a text is no single value, or the third is not the difference
            of the others.
    """
    values = []
    for text in texts:
        found, _ = values_of(text, in_words=True)
        if len(found) != 1:
            raise PasteError.quoting("{} must be one number, one list or one tensor.", text)
        values.append(found[0])
    first, second, *third = values
    if third and not _is_difference(dtype)(first, second, third[0]):
        raise PasteError.quoting("{} is not the difference of the other two.", texts[2])
    comparison = Comparison(Sides(first, second, *third), dtype)
    return Answer("\n".join(texts), tuple(values), (comparison,))


def _read(text: str, dtype: str) -> Answer:
    values, pure = labelled(text, *values_of(text))
    for value in values:
        dtype_of(value)  # refuses a dtype that is not known
    messages = messages_in(text)
    if messages:
        return _of_messages(text, values, messages, dtype)
    every, _ = labelled(text, *values_of(text, in_words=True))
    if len(values) == 1 and (values[0].shape or len(every) == 1):
        return Answer(text, values, one=_matrix(values, dtype))
    if len(values) > 1 and pure:
        if all(role_of(value.label) in ("difference", "relative") for value in values):
            return Answer(text, values, one=_matrix(values, dtype))
        pairing = pairing_of(values, _is_difference(dtype)) or related_by_shape(values, dtype)
        if pairing:
            return Answer(text, values, _compared(pairing, dtype))
    return Answer(text, every)


def _of_messages(text: str, values: tuple[Value, ...], messages: tuple[Message, ...], dtype: str) -> Answer:
    """Compare the two values that a message names, or show its difference."""
    sides = sides_of(messages, values)
    difference = difference_of(messages, values)
    comparisons = _compared((sides,) if sides else None, dtype)
    one = Matrix(difference, dtype, "difference") if difference else None
    return Answer(text, values, comparisons, one, messages)


def _compared(pairing: Pairing | None, dtype: str) -> tuple[Comparison, ...]:
    return tuple(Comparison(sides, dtype) for sides in pairing or ())


def _matrix(values: Sequence[Value], dtype: str) -> Matrix:
    """Return one value, or several differences as one."""
    roles = {role_of(value.label) for value in values}
    absolute = [value for value in values if role_of(value.label) == "difference" and not value.counts]
    if not any(number.value for value in absolute for number in value.numbers) and "relative" in roles:
        absolute = []
    shown = absolute or values
    value = shown[0] if len(shown) == 1 else joined(shown)
    role = "difference" if absolute else "relative" if "relative" in roles else ""
    return Matrix(value, dtype, role)


def _is_difference(dtype: str):
    """Return the condition that a value can be the difference of two others."""

    def fits(first: Value, second: Value, third: Value) -> bool:
        forms = wider(format_of_values([first, second], dtype))
        numbers = (first.numbers, second.numbers, third.numbers)
        return any(Pairs.of(*numbers, form).possible for form in forms)

    return fits


def _harm(comparison: Comparison) -> tuple[int, float]:
    verdict = cause_of(comparison).verdict
    return (_SEVERITY[verdict] if verdict else 0, comparison.relative_size)
