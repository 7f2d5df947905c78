"""What the tables of choices have in common: a row, and the check that no row and nothing of a row is missing."""

from collections.abc import Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Self, TypeVar

Row = TypeVar("Row")


@dataclass(frozen=True)
class Choice:
    """One row: the `label` that the page shows, and one line `about` what it is.

    Raises TypeError, which names the row and what it lacks, where it is not complete.
    """

    label: str
    about: str

    def __new__(cls, *given: object, **named: object) -> Self:
        try:
            signature(cls.__init__).bind(None, *given, **named)
        except TypeError as error:
            raise TypeError(f"The {cls.__name__.lower()} {', '.join(map(str, given[:1]))}: {error}.") from None
        return super().__new__(cls)


def complete(what: str, choices: Mapping[str, object], table: dict[str, Row]) -> dict[str, Row]:
    """The table, which has a row for each of the choices and none besides: else TypeError, by name."""
    for name in [*choices, *table]:
        if name not in table or name not in choices:
            raise TypeError(f"The {what} {name} {'lacks a row' if name in choices else 'is not among the choices'}.")
    return table
