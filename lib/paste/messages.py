"""Messages that PyTorch, NumPy and pytest write: the table `messages.toml`, found in a text.

A message is known by a whole line. A word in a sentence, a line of code or a negation is none.
"""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lib.paste.pairing import Sides
from lib.paste.values import Value

_BEFORE = re.compile(r"(?:E(?=\s)|>)?\s*(?:(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)(?:: |:$))?")
"""What stands before a message in its line: pytest's E, and the name of the error."""


@dataclass(frozen=True)
class Row:
    """A message: a pattern of its line, what it means, and what to do.

    `sides` are patterns of the labels of two values that are compared. `verdict` is the name of the
    verdict if the message alone decides. `marked` tells that pytest's E or the name of an error
    must stand before it, since code looks the same.
    """

    name: str
    line: str
    says: str
    do: str = ""
    link: str = ""
    verdict: str = ""
    sides: tuple[str, ...] = ()
    marked: bool = False


@dataclass(frozen=True)
class Message:
    """A line of a text that a library wrote: its row of the table, and its match."""

    row: Row
    match: re.Match[str]

    @property
    def sentence(self) -> str:
        groups = self.match.groupdict(default="")
        return self.row.says.format(**{name: text.rstrip(".") for name, text in groups.items()})

    def value(self, group: str, values: Sequence[Value]) -> Value | None:
        """Return the value that stands in a group of the line, or None."""
        start, end = self.match.span(group)
        inside = [value for value in values if start <= value.span[0] < end]
        return inside[0] if len(inside) == 1 else None


_TABLE = tomllib.loads(Path(__file__).with_name("messages.toml").read_text("utf-8"))
ROWS = tuple(Row(name, **fields) for name, fields in _TABLE.items())


def messages_in(text: str) -> tuple[Message, ...]:
    """Return the messages of a text, in its order."""
    messages = [_message(text, line) for line in re.finditer(".+", text)]
    return tuple(message for message in messages if message)


def _message(text: str, line: re.Match[str]) -> Message | None:
    before = _BEFORE.match(text, *line.span())
    start = before.end() if before else line.start()
    end = line.start() + len(line[0].rstrip())
    is_marked = text[line.start() : start].strip(" >") != ""
    for row in ROWS:
        match = re.compile(row.line).fullmatch(text, start, end)
        if match and (is_marked or not row.marked):
            return Message(row, match)
    return None


def count_of(messages: Sequence[Message]) -> int:
    """Return how many messages there are: the most lines of one kind."""
    names = [message.row.name for message in messages]
    return max(map(names.count, names), default=0)


def sides_of(messages: Sequence[Message], values: Sequence[Value]) -> Sides | None:
    """Return the two values that a single message holds against each other, or None.

    They stand in its line, or at the labels that it has.
    """
    if count_of(messages) > 1 or any(message.row.verdict for message in messages):
        return None
    sides: list[Value | None] = []
    for message in messages:
        if "first" in message.match.groupdict():
            sides = [message.value(group, values) for group in ("first", "second")]
        elif message.row.sides:
            sides = [_value_labelled(values, label) for label in message.row.sides]
    known = [value for value in sides if value]
    if len(known) < 2 or all(value.counts for value in known):
        return None
    first, second = ([number.value for number in value.numbers] for value in known)
    return Sides(*known) if first != second else None  # what differs is not printed


def difference_of(messages: Sequence[Message], values: Sequence[Value]) -> Value | None:
    """Return the difference that a single message tells, or None."""
    telling = [message for message in messages if "difference" in message.match.groupdict()]
    return telling[0].value("difference", values) if len(telling) == 1 else None


def _value_labelled(values: Sequence[Value], label: str) -> Value | None:
    """Return the last value with a label, behind pytest's E or not."""
    pattern = re.compile(rf"(?:E )?(?:{label})", re.IGNORECASE)
    named = [value for value in values if value.named and pattern.fullmatch(value.label)]
    return named[-1] if named else None
