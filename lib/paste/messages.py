"""Messages that PyTorch, NumPy and pytest write: the table `messages.toml`, and its lines in a text.

A message is known by a whole line. A word in a sentence, a line of code or a negation is none.
"""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lib.paste.formats import dtype_of
from lib.paste.pairing import Sides, joined
from lib.paste.printed import Printed
from lib.paste.values import Value

_BEFORE = re.compile(r"(?:E(?=\s)|>)?\s*(?:(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)(?:: |:$))?")
"""What stands before a message in its line: pytest's E, and the name of the error."""


_ALL_DIGITS = 17
"""So many digits tell every float64 from its neighbours."""


@dataclass(frozen=True)
class Row:
    """A message: a pattern of its line, what it means, and what to do.

    `sides` are patterns of the labels of two values that are compared. `verdict` is the name of the
    verdict if the message alone decides. `marked` tells that pytest's E or the name of an error
    must stand before it, since code looks the same.
    """

    name: str
    line: re.Pattern[str]
    says: str
    do: str = ""
    link: str = ""
    verdict: str = ""
    sides: tuple[str, ...] = ()
    marked: bool = False


@dataclass(frozen=True)
class Message:
    """A line of a text that a library wrote: its row of the table, and the groups with their places."""

    row: Row
    groups: dict[str, str]
    spans: dict[str, tuple[int, int]]

    @property
    def sentence(self) -> str:
        return self.row.says.format(**self.groups)


def _row(name: str, fields: dict) -> Row:
    line = re.compile(fields.pop("line"))
    sides = tuple(fields.pop("sides", ()))
    return Row(name=name, line=line, sides=sides, **fields)


_TABLE = tomllib.loads(Path(__file__).with_name("messages.toml").read_text("utf-8"))
ROWS = tuple(_row(name, fields) for name, fields in _TABLE.items())


def messages_in(text: str) -> tuple[Message, ...]:
    """Return the messages of a text, in its order."""
    messages = []
    start = 0
    for line in text.split("\n"):
        before = _BEFORE.match(line)
        skipped = before.end() if before else 0
        message = _message(line, skipped, start)
        if message:
            messages.append(message)
        start += len(line) + 1
    return tuple(messages)


def _message(line: str, skipped: int, start: int) -> Message | None:
    end = len(line.rstrip())
    is_marked = line[:skipped].strip(" >") != ""
    for row in ROWS:
        match = row.line.fullmatch(line, skipped, end)
        if match and (is_marked or not row.marked):
            groups = {name: text.rstrip(".") for name, text in match.groupdict().items() if text}
            spans = {name: _moved(match.span(name), start) for name in groups}
            return Message(row, groups, spans)
    return None


def _moved(span: tuple[int, int], start: int) -> tuple[int, int]:
    return span[0] + start, span[1] + start


def count_of(messages: Sequence[Message]) -> int:
    """Return how many messages there are: the most lines of one kind."""
    names = [message.row.name for message in messages if message.row.says]
    return max(map(names.count, names), default=0)


def sides_of(messages: Sequence[Message], values: Sequence[Value]) -> Sides | None:
    """Return the two values that a single message holds against each other, or None.

    They stand in its line, in several lines of its kind, or at the labels that it has.
    """
    if count_of(messages) > 1 or any(message.row.verdict for message in messages):
        return None
    labels = next((message.row.sides for message in messages if message.row.sides), ())
    labelled = [_value_labelled(values, label) for label in labels]
    spans = [message.spans for message in messages if {"first", "second"} <= message.spans.keys()]
    pairs = [(_value_at(values, each["first"]), _value_at(values, each["second"])) for each in spans]
    if pairs and all(first and second for first, second in pairs):
        dtype = dtype_of(labelled[0]) if labelled and labelled[0] else ""
        sides = [_in_full(joined(side) if len(pairs) > 1 else side[0], dtype) for side in zip(*pairs, strict=True)]
    else:
        sides = labelled
    is_complete = bool(sides) and all(sides)
    return Sides(*sides) if is_complete and not all(side.counts for side in sides) else None


def _in_full(value: Value, dtype: str) -> Value:
    """Return a value of this dtype, whose numbers were printed with all digits that they have."""
    numbers = tuple(_with_all_digits(number) for number in value.numbers)
    return value._replace(numbers=numbers, dtype=dtype or value.dtype)


def _with_all_digits(number: Printed) -> Printed:
    missing = _ALL_DIGITS - (number.digits or _ALL_DIGITS)
    if missing <= 0 or number.place is None or number.counts:
        return number
    return number._replace(digits=_ALL_DIGITS, place=number.place - missing)


def difference_of(messages: Sequence[Message], values: Sequence[Value]) -> Value | None:
    """Return the difference that a single message tells, or None."""
    spans = [message.spans["difference"] for message in messages if "difference" in message.spans]
    return _value_at(values, spans[0]) if len(spans) == 1 else None


def _value_at(values: Sequence[Value], span: tuple[int, int]) -> Value | None:
    inside = [value for value in values if span[0] <= value.span[0] < span[1]]
    return inside[0] if len(inside) == 1 else None


def _value_labelled(values: Sequence[Value], label: str) -> Value | None:
    """Return the last value with a label, behind pytest's E or not."""
    pattern = re.compile(rf"(?:E )?(?:{label})", re.IGNORECASE)
    named = [value for value in values if label and pattern.fullmatch(value.label)]
    return named[-1] if named else None
