"""The kinds of fields in a query: how each kind parses a text, and which values it admits."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lib.experiment.choices import Choice
from lib.experiment.parser import read


class Refusal(ValueError):
    """The reason why an input is refused, in one sentence.

    `shown` is the part of the sentence that quotes the input, so it may contain anything.
    """

    def __init__(self, sentence: str, shown: str = "") -> None:
        super().__init__(sentence)
        self.shown = shown


@dataclass(frozen=True)
class Field:
    """One kind of field. `allowed` completes the sentence "it must be …".

    `admits` says whether a value has the right type and lies within its bounds. `parse` returns the value that a text
    stands for, or the text itself if it stands for none; `format` turns an admitted value back into a text. `limits`
    are those of a whole number, and `table` has the rows of a choice. `reason` says of a text that is not admitted why,
    if there is more to say.
    """

    allowed: str
    admits: Callable[[Any], bool]
    parse: Callable[[str], Any] = str
    format: Callable[[Any], str] = str
    limits: tuple[int, int] | None = None
    table: Mapping[str, Choice] = field(default_factory=dict)
    reason: Callable[[str], str] = lambda text: ""


def whole_number(low: int, high: int) -> Field:
    """A whole number, written in plain ASCII digits."""
    admits = lambda value: type(value) is int and low <= value <= high  # noqa: E731
    return Field(f"a whole number from {low} to {high}", admits, _whole, limits=(low, high))


def or_empty(number: Field, default: str) -> Field:
    """A field that may be left empty: its value is then None, and `default` describes what None stands for."""
    return Field(
        f"{number.allowed}, or empty for {default}",
        lambda value: value is None or number.admits(value),
        lambda text: number.parse(text) if text else None,
        lambda value: "" if value is None else number.format(value),
        number.limits,
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
    return Field(f"one of {', '.join(table)}", lambda value: type(value) is str and value in table, table=table)


def _whole(text: str) -> int | str:
    # The limit on the length keeps numbers with thousands of digits away from int().
    return int(text) if re.fullmatch(r"-[1-9][0-9]{0,19}|[0-9]{1,20}", text) else text


def _fault(text: str) -> str:
    try:
        if text:
            read(text)
    except ValueError as error:
        return str(error)
    return ""


EXPRESSION = Field(
    "empty, or an expression in x such as x*tanh(softplus(x))",
    lambda value: type(value) is str and not _fault(value),
    reason=_fault,
)
"""A visitor's own function of x, as `parser.read` takes it, or the empty text."""
