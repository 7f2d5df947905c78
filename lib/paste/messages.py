"""Find the messages that PyTorch, NumPy and pytest write, listed in `messages.toml`, in a text.

A message is known only as a whole line: not within a sentence, in code, or after a "no".
"""

import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from lib.paste.values import Value

_ERROR = r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)"
_BEFORE = re.compile(rf"(?:E(?=\s)|>)?\s*(?:{_ERROR}(?:: |:$))?")
"""What stands before a message in its line: pytest's E, and the name of the error."""

_DETAILS = re.compile(
    r"^.*(?:Mismatched elements: |Max absolute|[Rr]elative difference|item=|key=).*"
    r"|^.*(?:[Mm]ismatch(?:es)? at ind|\(ACTUAL\)).*"
    r"| at index \([\d, ]*\)| \(up to \S+ allowed\)|^E(?=\s)",
    re.MULTILINE,
)
"""Figures beside a message that are not values to compare, and pytest's E."""

_SIDES = ("first", "second")
"""Groups of a pattern: the two values that the message compares."""

ROWS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("messages.toml").read_text("utf-8")
)
_PATTERNS = {name: re.compile(row["line"]) for name, row in ROWS.items()}


class Message(NamedTuple):
    """A message of a library: the name of its row in the table, and a sentence that explains it.

    `sides` are the spans of the two values that its line names, or empty.
    """

    name: str
    sentence: str
    sides: list[tuple[int, int]]

    def names(self, value: Value) -> bool:
        """Return whether the value is one of the two that the message names."""
        return value.span in self.sides


def without(pattern: re.Pattern[str], text: str) -> str:
    """Return the text with blanks in place of every match of the pattern."""
    return pattern.sub(lambda match: re.sub(".", " ", match[0]), text)


def messages_in(text: str) -> tuple[list[Message], str]:
    """Return the messages of a text, and the text with blanks in place of those without values."""
    messages: list[Message] = []
    rest = text
    end = -1
    for line in text.split("\n"):
        start = end + 1
        end = start + len(line)
        if message := _message(text, start, start + len(line.rstrip())):
            messages.append(message)
            if not message.sides:
                rest = rest[:start] + " " * len(line) + rest[end:]
    return messages, without(_DETAILS, rest) if messages else rest


def _message(text: str, start: int, end: int) -> Message | None:
    before = _BEFORE.match(text, start, end)
    start = before.end() if before else start
    for name, pattern in _PATTERNS.items():
        if match := pattern.fullmatch(text, start, end):
            sides = [match.span(side) for side in _SIDES if side in pattern.groupindex]
            return Message(name, ROWS[name]["says"].format(**match.groupdict()), sides)
    return None
