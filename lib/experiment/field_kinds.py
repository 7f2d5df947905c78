"""The kinds of fields in a query: how each reads a text, and what it admits."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from lib.experiment.choices import Choice


class Refusal(ValueError):
    """The reason why an input is refused, in one sentence.

    `shown` is the part of the sentence that quotes the input, so it may contain anything.
    """

    def __init__(self, sentence: str, shown: str = "") -> None:
        super().__init__(sentence)
        self.shown = shown

    @classmethod
    def quoting(cls, sentence: str, value: object) -> Self:
        """Return the error, with the value, cut to 60 characters, in place of the first {}."""
        try:
            text = repr(value) if isinstance(value, str) else " ".join(str(value).split())
        except ValueError:
            # Python does not print whole numbers with many thousands of digits.
            text = "a number too long to print"
        shown = text if len(text) <= 60 else f"{text[:57]}…"
        return cls(sentence.replace("{}", shown, 1), shown)


class QueryError(Refusal):
    """The reason why a query is refused: the field, the value and what is allowed."""


@dataclass(frozen=True)
class Field:
    """One kind of field.

    Args:
        allowed: the end of the sentence "it must be …".
        admits: whether a value has the right type and lies within its bounds.
        parse: returns the value that a text stands for, or the text itself if it stands for none.
        format: turns an admitted value back into a text.
        limits: the lowest and the highest value of a whole number.
        table: the rows of a choice.
        fault: returns why a text is not admitted, or "" to say what is `allowed`.
    """

    allowed: str
    admits: Callable[[Any], bool]
    parse: Callable[[str], Any] = str
    format: Callable[[Any], str] = str
    limits: tuple[int, int] | None = None
    table: Mapping[str, Choice] = field(default_factory=dict)
    fault: Callable[[str], str] = lambda text: ""

    def check(self, name: str, value: object, given: object = None) -> None:
        """Raise QueryError, which quotes what was `given`, unless the value is admitted."""
        if not self.admits(value):
            fault = self.fault(value) if isinstance(value, str) else ""
            quoted = value if given is None else given
            raise not_allowed(name, quoted, fault or f"it must be {self.allowed}")


def not_allowed(name: str, value: object, reason: str) -> QueryError:
    """Return the error that refuses a value of a key."""
    return QueryError.quoting(f"{name} = {{}} is not allowed: {reason}.", value)


def whole_number(low: int, high: int, empty: str = "") -> Field:
    """A whole number in plain ASCII digits.

    Args:
        low, high: the lowest and the highest value.
        empty: the meaning of an empty text, whose value is None. By default an empty text is not
            admitted.
    """

    def admits(value: object) -> bool:
        if value is None:
            return bool(empty)
        return type(value) is int and low <= value <= high

    return Field(
        f"a whole number from {low} to {high}{f', or empty for {empty}' if empty else ''}",
        admits,
        lambda text: _whole(text) if text or not empty else None,
        lambda value: "" if value is None else str(value),
        (low, high),
    )


def widths(most: int, low: int, high: int) -> Field:
    """Up to `most` whole numbers joined by commas; the empty text stands for the empty tuple."""
    width = whole_number(low, high)
    return Field(
        f"up to {most} widths from {low} to {high}, separated by commas, or empty for none",
        lambda value: type(value) is tuple and len(value) <= most and all(map(width.admits, value)),
        lambda text: tuple(map(_whole, text.split(","))) if text else (),
        lambda value: ",".join(map(str, value)),
    )


def one_of(table: Mapping[str, Choice]) -> Field:
    """One of the keys of a table."""
    return Field(
        f"one of {', '.join(table)}",
        lambda value: type(value) is str and value in table,
        table=table,
    )


def expression(fault: Callable[[str], str]) -> Field:
    """A visitor's expression in x, or empty; `fault` returns what is wrong with a text, or ""."""
    return Field(
        "empty, or an expression in x such as x*tanh(softplus(x))",
        lambda value: type(value) is str and not (value and fault(value)),
        fault=fault,
    )


def _whole(text: str) -> int | str:
    # The limit on the length keeps numbers with thousands of digits away from int().
    return int(text) if re.fullmatch(r"-[1-9][0-9]{0,19}|[0-9]{1,20}", text) else text
