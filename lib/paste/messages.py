"""Messages that PyTorch, NumPy and pytest write: the table `messages.toml`, and its lines in a text.

A message is known by a whole line. A word in a sentence, a line of code or a negation is none.
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

_BEFORE = re.compile(r"(?:E(?=\s)|>)?\s*(?:(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)(?:: |:$))?")
"""What stands before a message in its line: pytest's E, and the name of the error."""


@dataclass(frozen=True)
class Row:
    """A message: a pattern of its line, what it means, and what to do.

    `sides` are patterns of the labels of two values that are compared. `verdict` is the name of the
    verdict if the message alone decides.
    """

    name: str
    line: re.Pattern[str]
    says: str
    do: str = ""
    link: str = ""
    verdict: str = ""
    sides: tuple[str, ...] = ()


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


def messages_in(text: str) -> list[Message]:
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
    return messages


def _message(line: str, skipped: int, start: int) -> Message | None:
    end = len(line.rstrip())
    for row in ROWS:
        match = row.line.fullmatch(line, skipped, end)
        if match:
            groups = {name: text.rstrip(".") for name, text in match.groupdict().items() if text}
            spans = {name: _moved(match.span(name), start) for name in groups}
            return Message(row, groups, spans)
    return None


def _moved(span: tuple[int, int], start: int) -> tuple[int, int]:
    return span[0] + start, span[1] + start
