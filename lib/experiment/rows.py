"""What the tables of choices have in common: their rows, and the checks that every row exists and is complete."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Self, TypeVar

Row = TypeVar("Row")


class Named:
    """A row of a table, named by its first field.

    Raises TypeError, naming the row and what it lacks, if the row is incomplete.
    """

    def __new__(cls, *given: object, **named: object) -> Self:
        try:
            if given or named:  # what copies a row fills it afterwards
                signature(cls.__init__).bind(None, *given, **named)
        except TypeError as error:
            first = [*given, *named.values()][0]
            name = getattr(first, "__name__", str(first))
            raise TypeError(f"The {cls.__name__.lower()} {name}: {error}.") from None
        return super().__new__(cls)


@dataclass(frozen=True)
class Choice(Named):
    """One row: the `label` that the page shows, and `about`, one line that describes it.

    `note` is what is special about it, in Markdown. The page shows it beside the control, and no sentence elsewhere
    changes for it.
    """

    label: str
    about: str
    note: str = field(default="", kw_only=True)


def complete(what: str, choices: Mapping[str, object], table: dict[str, Row]) -> dict[str, Row]:
    """Return the table, or raise TypeError, naming the row, unless it has a row for each choice and no other row."""
    for name in [*choices, *table]:
        if name not in table or name not in choices:
            raise TypeError(f"The {what} {name} {'lacks a row' if name in choices else 'is not among the choices'}.")
    return table
