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
from lib.paste.formats import dtype_of
from lib.paste.labels import labelled, role_of
from lib.paste.matrix import Matrix
from lib.paste.messages import Message, compared, count_of, messages_in
from lib.paste.pairing import Places, choices, has_difference, joined, pairing_of, picked
from lib.paste.printed import PasteError
from lib.paste.values import Value, values_of, without_code

_SEVERITY = list(Verdict)

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
    comparisons: Sequence[Comparison] = ()
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
        sentences = [message.sentence for message in self.messages]
        if self.worst or not self.messages:
            label = self.worst.label if self.worst and len(self.comparisons) > 1 else ""
            says = self.cause.says.format(c=self.worst or self.one)
            sentences.append(f"{label}: {says}" if label else says)
        elif self.one:
            sentences.append(cause_of_one(self.one).says.format(c=self.one))
        return " ".join(dict.fromkeys(sentences))

    @property
    def notes(self) -> list[str]:
        """What the verdict does not speak of, in sentences."""
        notes = []
        messages = count_of(self.messages)
        if messages > 1:
            notes.append(f"{messages} messages of one kind: paste one at a time.")
        if len(self.comparisons) > 1:
            notes.append(f"{len(self.comparisons)} pairs were compared; this is the worst.")
        if self.comparisons and self.compared < len(self.choices):
            notes.append(f"{self.compared} of {len(self.choices)} values were compared.")
        if self.worst and not self.worst.shapes_differ and self.worst.alike_not_finite:
            count = self.worst.alike_not_finite
            notes.append(f"Not compared, since NaN or the same infinity on both sides: {count}.")
        if self.worst and self.worst.has_gap:
            notes.append("The numbers that the text leaves out were not compared.")
        return notes

    @cached_property
    def compared(self) -> int:
        """How many of the values that can be pressed were compared."""
        return sum(self._role(row) != "" for row in self.choices)

    @cached_property
    def _roles(self) -> dict[tuple[int, int], str]:
        """What each number that was compared is: first, second or difference."""
        names = ("first", "second", "difference")
        return {
            number.span: name
            for comparison in self.comparisons
            for name, value in zip(names, comparison.values, strict=False)
            for number in value.numbers
        }

    def _role(self, row: Value) -> str:
        return self._roles.get(row.numbers[0].span, "")

    @property
    def pieces(self) -> list[Piece]:
        """The text in pieces: each with its place among the choices, or None, and its role.

        The role is first, second, difference, read or "".
        """
        end = 0
        pieces: list[Piece] = []
        alone = "" if self.comparisons else "read"
        for place, row in enumerate(self.choices):
            start, stop = row.numbers[0].span[0], row.numbers[-1].span[1]
            pieces.append((self.text[end:start], None, ""))
            pieces.append((self.text[start:stop], place, self._role(row) or alone))
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
    return Answer(text, read.values, picked(read.values, places, dtype), places=places)


def answer_of(texts: Sequence[str], dtype: str) -> Answer:
    """Answer two values, and perhaps their difference, that are given one by one.

    Args:
        texts: two or three texts of one value each.
        dtype: the name of the dtype of numbers that tell none.

    Raises:
        PasteError: one sentence, if a text is no single value, or the third is not the difference
            of the others.
    """
    values: list[Value] = []
    for text in texts:
        read = [value for value in values_of(text, in_words=True) if value.numbers]
        if len(read) != 1:
            raise PasteError.quoting("{} must be one number, one list or one tensor.", text)
        values += read
    comparison = Comparison(dtype, *values)
    if comparison.third and not has_difference(comparison):
        raise PasteError.quoting("{} is not the difference of the other two.", texts[2])
    return Answer("\n".join(texts), tuple(values), [comparison])


def _read(text: str, dtype: str) -> Answer:
    plain = without_code(text)
    values, pure = labelled(plain, values_of(plain))
    for value in values:
        dtype_of(value)  # refuses a dtype that is not known
    messages = messages_in(plain)
    if messages:
        if count_of(messages) > 1:
            return Answer(text, values, messages=messages)
        differences = [message.value("difference", values) for message in messages]
        one = next((Matrix(each, dtype, "difference") for each in differences if each), None)
        return Answer(text, values, compared(messages, values, dtype), one, messages)
    every, _ = labelled(plain, values_of(plain, in_words=True))
    if len(values) == 1 and (values[0].shape or len(every) == 1):
        return Answer(text, values, one=_matrix(values, dtype))
    if len(values) > 1 and pure:
        if all(role_of(value.label) in ("difference", "relative") for value in values):
            return Answer(text, values, one=_matrix(values, dtype))
        pairing = pairing_of(values, dtype)
        if pairing:
            return Answer(text, values, pairing)
    return Answer(text, every)


def _matrix(values: Sequence[Value], dtype: str) -> Matrix:
    """Return one value, or several differences as one: the absolute ones, if one is not 0."""
    for role in ("difference", "relative"):
        shown = [value for value in values if role_of(value.label) == role and not value.counts]
        if any(number.value for value in shown for number in value.numbers):
            return Matrix(joined(shown), dtype, role)
    role = "" if values[0].counts else role_of(values[0].label)
    return Matrix(joined(values), dtype, role)


def _harm(comparison: Comparison) -> tuple[int, float]:
    verdict = cause_of(comparison).verdict
    severity = _SEVERITY.index(verdict) if verdict else 0
    if comparison.shapes_differ or not comparison.largest:
        return severity, 0.0
    return severity, comparison.least_apart / comparison.largest
