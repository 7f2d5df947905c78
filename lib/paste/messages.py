"""Messages that PyTorch and NumPy write: the table `messages.toml`, found in a text.

A message is known by a whole line. A word in a sentence, a line of code or a negation is none.
"""

import re
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from lib.paste.values import without

_ERROR = r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)"
_BEFORE = re.compile(rf"(?:E(?=\s)|>)?\s*(?:{_ERROR}(?:: |:$))?")
"""What stands before a message in its line: pytest's E, and the name of the error."""

_DETAILS = re.compile(
    r"^.*(?:Mismatched elements: |[Rr]elative difference|[Mm]ismatch(?:es)? at ind|\(ACTUAL\)).*"
    r"| at index \([\d, ]*\)| \(up to \S+ allowed\)",
    re.MULTILINE,
)
"""Figures beside a message that are no values to compare."""

ROWS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("messages.toml").read_text("utf-8")
)
_PATTERNS = {name: re.compile(row["line"]) for name, row in ROWS.items()}


class Message(NamedTuple):
    """What a library wrote: the name of its row in the table, and what it means."""

    name: str
    sentence: str


def messages_in(text: str) -> tuple[list[Message], str]:
    """Return the messages of a text, and the text with blanks in place of them."""
    messages: list[Message] = []
    lines: list[str] = []
    for line in text.split("\n"):
        message = _message(line)
        messages += [message] if message else []
        lines.append(" " * len(line) if message else line)
    rest = "\n".join(lines)
    return messages, without(_DETAILS, rest) if messages else rest


def _message(line: str) -> Message | None:
    before = _BEFORE.match(line)
    words = line[before.end() if before else 0 :].rstrip()
    for name, pattern in _PATTERNS.items():
        if match := pattern.fullmatch(words):
            return Message(name, ROWS[name]["says"].format(**match.groupdict()))
    return None
