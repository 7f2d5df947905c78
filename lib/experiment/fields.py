"""The kinds of fields in a query: how each kind parses a text, and which values it admits."""

import re
from collections.abc import Mapping
from typing import Any, Protocol

from lib.experiment.parser import read
from lib.experiment.rows import Choice


class Refusal(ValueError):
    """The reason why an input is refused, in one sentence.

    `shown` is the part of the sentence that quotes the input, so it may contain anything.
    """

    def __init__(self, sentence: str, shown: str = "") -> None:
        super().__init__(sentence)
        self.shown = shown


class Field(Protocol):
    """One kind of field. `allowed` completes the sentence "it must be …"."""

    allowed: str

    def parse(self, text: str) -> object:
        """Return the value that the text stands for, or the text itself if it stands for none."""

    def format(self, value: Any) -> str:
        """Return the text of an admitted value; `parse` turns it back into the value."""

    def admits(self, value: object) -> bool:
        """Return whether the value has the right type and lies within its bounds."""


class WholeNumber:
    """A whole number from `low` to `high`, written in plain ASCII digits."""

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = low, high
        self.allowed = f"a whole number from {low} to {high}"

    def parse(self, text: str) -> int | str:
        # The limit on the length keeps numbers with thousands of digits away from int().
        return int(text) if re.fullmatch(r"-[1-9][0-9]{0,19}|[0-9]{1,20}", text) else text

    def format(self, value: int) -> str:
        return str(value)

    def admits(self, value: object) -> bool:
        return type(value) is int and self.low <= value <= self.high


class Widths:
    """Up to `most` whole numbers joined by commas; the empty text stands for the empty tuple."""

    def __init__(self, most: int, width: WholeNumber) -> None:
        self.most, self.width = most, width
        self.allowed = f"up to {most} widths from {width.low} to {width.high}, separated by commas, or empty for none"

    def parse(self, text: str) -> tuple[int | str, ...]:
        return tuple(self.width.parse(part) for part in text.split(",")) if text else ()

    def format(self, value: tuple[int, ...]) -> str:
        return ",".join(map(str, value))

    def admits(self, value: object) -> bool:
        return type(value) is tuple and len(value) <= self.most and all(map(self.width.admits, value))


class OrEmpty:
    """A field that may be left empty: its value is then None, and `default` describes what None stands for."""

    def __init__(self, field: WholeNumber, default: str) -> None:
        self.field = field
        self.allowed = f"{field.allowed}, or empty for {default}"

    def parse(self, text: str) -> object:
        return self.field.parse(text) if text else None

    def format(self, value: int | None) -> str:
        return "" if value is None else self.field.format(value)

    def admits(self, value: object) -> bool:
        return value is None or self.field.admits(value)


class Expression:
    """A visitor's own function of x, as `parser.read` takes it, or the empty text."""

    allowed = "empty, or an expression in x such as x*tanh(softplus(x))"

    def parse(self, text: str) -> str:
        return text

    def format(self, value: str) -> str:
        return value

    def admits(self, value: object) -> bool:
        return type(value) is str and not self.fault(value)

    def fault(self, value: str) -> str:
        """Return why a text is not admitted, as the end of a sentence; nothing if it is."""
        try:
            if value:
                read(value)
        except ValueError as error:
            return str(error)
        return ""


class OneOf:
    """One of the keys of a table."""

    def __init__(self, table: Mapping[str, Choice]) -> None:
        self.table = table
        self.allowed = f"one of {', '.join(table)}"

    def parse(self, text: str) -> str:
        return text

    def format(self, value: str) -> str:
        return value

    def admits(self, value: object) -> bool:
        return type(value) is str and value in self.table
