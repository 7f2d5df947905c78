"""The answer to a paste: what was compared, a verdict or a question, and what next.

NOTE [what is judged]: a verdict needs two values, and which two must be certain: the visitor
pressed them, a message of a library names them, or the text has nothing but values and labels and
can be read in one way only. Everything else is asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from lib.paste.causes import Cause, Verdict, cause, cause_of
from lib.paste.comparison import Comparison
from lib.paste.formats import dtype_of
from lib.paste.labels import has_subtraction, labelled, role_of
from lib.paste.matrix import Matrix
from lib.paste.messages import Message, compared, messages_in
from lib.paste.pairing import Places, pairing_of, picked
from lib.paste.printed import PasteError
from lib.paste.values import Value, values_of, without_code

_SEVERITY = list(Verdict)
_SIDES = ("first", "second", "difference")

Piece = tuple[str, int | None, str]


@dataclass(frozen=True, eq=False)
class Answer:
    """What is said of a paste.

    `values` are all values of the text. `comparisons` are the pairs that were compared. If
    no two were, `matrix` is the value that is described. `messages` are those of libraries.
    `places` are the values that the visitor pressed, and `note` is what else there is to say.
    """

    text: str
    values: tuple[Value, ...]
    comparisons: Sequence[Comparison] = ()
    matrix: Matrix | None = None
    messages: tuple[Message, ...] = ()
    places: Places | None = None
    note: str = ""

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
            fields = ("verdict", "do", "link")
            rows = [message.row for message in reversed(self.messages)]
            return cause(
                "message", **{key: row[key] for row in rows for key in fields if key in row}
            )
        if self.matrix:
            return cause_of(self.matrix)
        return cause("ask" if len(self.values) > 1 else "nothing")

    @property
    def verdict(self) -> Verdict | None:
        return self.cause.verdict

    @property
    def sentence(self) -> str:
        """What fits, in words: of each message, and of the worst comparison or the one value."""
        sentences = [message.sentence for message in self.messages]
        shown = self.worst or self.matrix
        if shown:
            sentences.append(cause_of(shown).says.format(c=shown))
        return " ".join(dict.fromkeys(sentences)) or self.cause.says

    @property
    def notes(self) -> list[str]:
        """What the verdict does not speak of, in sentences."""
        notes = [self.note] if self.note else []
        worst = self.worst
        if not worst:
            return notes
        if len(self.comparisons) > 1:
            label = worst.first.label
            notes.append(f"{len(self.comparisons)} pairs were compared; {label} is the worst.")
        if self.compared < len(self.values):
            notes.append(f"{self.compared} of {len(self.values)} values were compared.")
        if worst.has_gap:
            notes.append("The numbers that the text leaves out were not compared.")
        return notes

    @cached_property
    def _roles(self) -> dict[tuple[int, int], str]:
        """What is compared, by its place in the text: first, second or difference."""
        return {
            value.span: role
            for comparison in self.comparisons
            for role, value in zip(_SIDES, comparison.values, strict=False)
        }

    @property
    def compared(self) -> int:
        """How many of the values were compared."""
        return len(self._roles)

    @property
    def pieces(self) -> list[Piece]:
        """The text in pieces: each with its place among the values, or None, and its role.

        The role is first, second, difference, read or "".
        """
        end = 0
        pieces: list[Piece] = []
        alone = "" if self.comparisons else "read"
        for place, value in enumerate(self.values):
            pieces.append((self.text[end : value.span[0]], None, ""))
            end = value.span[1]
            words = self.text[value.span[0] : end]
            pieces.append((words, place, self._roles.get(value.span, alone)))
        pieces.append((self.text[end:], None, ""))
        return [piece for piece in pieces if piece[0]]


def answer(text: str, dtype: str, places: Places | None = None) -> Answer:
    """Answer a paste: NOTE [what is judged].

    Args:
        text: what was pasted.
        dtype: the name of the dtype of numbers that tell none.
        places: the two values that the visitor pressed, counted from 0, or None.

    Raises:
        PasteError: one sentence, if the text cannot be read or has no such two values.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    read = _read(text, dtype)
    if not places:
        return read
    return Answer(text, read.values, picked(read.values, places, dtype), places=places)


def answer_of(texts: Sequence[str], dtype: str) -> Answer:
    """Answer two values, or three of which one is the difference, that are given one by one.

    Args:
        texts: two or three texts of one value each.
        dtype: the name of the dtype of numbers that tell none.

    Raises:
        PasteError: one sentence, if a text cannot be read or has no value.
    """
    counts = [len(answer(text, dtype).values) for text in texts]
    if 0 in counts:
        sentence = "{} must be one number, one list or one tensor."
        raise PasteError.quoting(sentence, texts[counts.index(0)])
    return answer("\n".join(texts), dtype, (0, counts[0]) if len(texts) == 2 else None)


def _read(text: str, dtype: str) -> Answer:
    plain = without_code(text)
    read = values_of(plain)
    every = tuple(value for value in read if value.numbers)
    values, pure = labelled(plain, [value for value in read if not value.in_words])
    for value in values:
        dtype_of(value)  # refuses a dtype that is not known
    messages = messages_in(plain)
    names = [message.name for message in messages]
    if len({*names}) < len(names):
        return Answer(text, every, note="Several messages of one kind: paste one at a time.")
    if messages:
        differences = [message.value("difference", values) for message in messages]
        matrix = next((Matrix(value, dtype, True) for value in differences if value), None)
        return Answer(text, values, compared(messages, values, dtype), matrix, messages)
    is_one_of_several = len(values) == 1 < len(every) and not values[0].shape
    is_readable = pure and not is_one_of_several and not has_subtraction(plain)
    matrix = _alone(values, dtype) if is_readable else None
    if matrix:
        return Answer(text, values, matrix=matrix)
    pairing = pairing_of(values, dtype) if pure and len(values) > 1 else ()
    return Answer(text, values if pairing else every, pairing)


def _alone(values: Sequence[Value], dtype: str) -> Matrix | None:
    """Return the only value, unless it is a relative difference, or the largest of differences."""
    roles = {role_of(value.label) for value in values if not value.counts}
    if len(values) == 1 and roles != {"relative"}:
        return Matrix(values[0], dtype, roles == {"difference"})
    if not roles or not roles <= {"difference", "relative"}:
        return None
    differences = [value for value in values if role_of(value.label) == "difference"]
    shown = [Matrix(value, dtype, True) for value in differences if not value.counts]
    shown = [matrix for matrix in shown if not matrix.is_zero]
    return max(shown, key=lambda matrix: abs(matrix.largest.value), default=None)


def _harm(comparison: Comparison) -> tuple[int, float]:
    verdict = cause_of(comparison).verdict
    severity = _SEVERITY.index(verdict) if verdict else 0
    if comparison.shapes_differ or not comparison.largest:
        return severity, 0.0
    return severity, comparison.least_apart / comparison.largest
