"""Messages that PyTorch, NumPy and pytest write: the table `messages.toml`, found in a text.

A message is known by a whole line. A word in a sentence, a line of code or a negation is none.
"""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lib.paste.comparison import Comparison
from lib.paste.formats import python_floats
from lib.paste.values import Value

_ERROR = r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)"
_BEFORE = re.compile(rf"(?:E(?=\s)|>)?\s*(?:{_ERROR}(?:: |:$))?")
"""What stands before a message in its line: pytest's E, and the name of the error."""

_TABLE = Path(__file__).with_name("messages.toml").read_text("utf-8")
ROWS: dict[str, dict[str, Any]] = tomllib.loads(_TABLE)


@dataclass(frozen=True)
class Message:
    """A line of a text that a library wrote: the name of its row in the table, and its match."""

    name: str
    match: re.Match[str]

    @property
    def row(self) -> dict[str, Any]:
        return ROWS[self.name]

    @property
    def sentence(self) -> str:
        groups = self.match.groupdict(default="")
        return self.row["says"].format(**{name: text.rstrip(".") for name, text in groups.items()})

    def value(self, group: str, values: Sequence[Value]) -> Value | None:
        """Return the value that stands in a group of the line, or None."""
        if group not in self.match.groupdict():
            return None
        start, end = self.match.span(group)
        inside = [value for value in values if start <= value.span[0] < end]
        return inside[0] if len(inside) == 1 else None


def messages_in(text: str) -> tuple[Message, ...]:
    """Return the messages of a text, in its order."""
    messages = [_message(text, line) for line in re.finditer(".+", text)]
    return tuple(message for message in messages if message)


def _message(text: str, line: re.Match[str]) -> Message | None:
    before = _BEFORE.match(text, *line.span())
    start = before.end() if before else line.start()
    end = line.start() + len(line[0].rstrip())
    is_marked = text[line.start() : start].strip(" >") != ""
    for name, row in ROWS.items():
        match = re.compile(row["line"]).fullmatch(text, start, end)
        if match and (is_marked or "marked" not in row):
            return Message(name, match)
    return None


def compared(messages: Sequence[Message], values: Sequence[Value], dtype: str) -> list[Comparison]:
    """Compare the two values that a message holds against each other, if they differ.

    They stand in its line, where Python's floats are printed, or at the labels that it has.
    """
    sides: list[Value] = []
    for message in messages:
        in_line = [message.value(group, values) for group in ("first", "second")]
        labelled = [_value_labelled(values, label) for label in message.row.get("sides", ())]
        both = [value for value in labelled or in_line if value]
        if len(both) == 2:
            sides = both if labelled else python_floats(both, dtype)
    are_decided = any("verdict" in message.row for message in messages)
    if are_decided or len(sides) < 2 or all(value.counts for value in sides):
        return []
    first, second = ([number.value for number in value.numbers] for value in sides)
    return [Comparison(dtype, *sides)] if first != second else []


def _value_labelled(values: Sequence[Value], label: str) -> Value | None:
    """Return the last value with a label, behind pytest's E or not."""
    pattern = re.compile(rf"(?:E )?(?:{label})", re.IGNORECASE)
    named = [value for value in values if value.named and pattern.fullmatch(value.label)]
    return named[-1] if named else None
