"""The causes of a difference, and what one value shows: tables of conditions, tried in order.

Conditions use the numbers and their dtypes and, for one value, whether its label says
"difference". What is said of each cause, and what to do, stands in `causes.toml`.
"""

import tomllib
from collections.abc import Callable, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from lib.paste import one_side
from lib.paste.comparison import Comparison
from lib.paste.one_value import OneValue


class Verdict(Enum):
    """What two values show, from the harmless to the harmful. Its value is what the page writes."""

    EQUAL = "Equal to the digits printed"
    ROUNDING = "Rounding fits"
    NARROWER = "Rounding in a narrower format"
    OPEN = "Open"
    NOT_ROUNDING = "Not rounding"


class Link(NamedTuple):
    """A way to the part of the page that shows a cause: its words, the study of the tab, and the
    key of the section, or ""."""

    words: str
    study: str
    section: str = ""


class Cause(NamedTuple):
    """What is said: the verdict or None, a title, a sentence with figures, a line of code, and a
    link. The title is that of the verdict, if the row has none."""

    name: str
    verdict: Verdict | None
    title: str
    says: str
    do: str
    link: Link | None


_TABLE: dict[str, Any] = tomllib.loads(Path(__file__).with_name("causes.toml").read_text("utf-8"))
LINKS = {name: Link(**row) for name, row in _TABLE.pop("links").items()}

Row = tuple[str, Callable[[Any], object]]
"""The name of a cause, and whether it fits."""

OF_TWO: tuple[Row, ...] = (
    ("left_out", lambda c: c.has_gap and (c.shapes_differ or c.texts_are_equal)),
    ("", lambda c: c.shapes_differ and c.relation.name),
    ("two_shapes", lambda c: c.shapes_differ and (c.first.is_size or () in c.shapes)),
    ("shapes", lambda c: c.shapes_differ),
    ("beyond", lambda c: c.unlike.size and c.overflow > 1 + c.format.eps),
    ("overflow", lambda c: c.unlike.size and c.overflow >= 0.5),
    ("not_finite", lambda c: c.unlike.size),
    ("same", lambda c: c.texts_are_equal and c.apart[0] == 0),
    ("same", one_side.has_fewer_digits),
    ("same", one_side.are_same_floats),
    ("narrower", lambda c: c.is_rounded),
    ("same_float", lambda c: c.apart[1] == 0),
    ("rounding", lambda c: c.apart[1] <= c.limit),
    ("", lambda c: c.relation.is_clear and c.relation.name),
    ("left_out", lambda c: c.has_gap),
    ("narrower", lambda c: not c.relation.name and c.narrower),
    ("digits", lambda c: c.apart[0] <= c.limit or not c.largest),
    ("zero", one_side.is_zero),
    ("rows", one_side.has_equal_rows),
    ("open", lambda c: True),
)
"""The causes of a difference between two values; the first that fits is the one.

In order: too many numbers are left out to compare; the shapes differ; a number is not finite; the
same numbers are printed, or the same in fewer digits; rounding explains the difference, to a
narrower format that one side names, to the same float, or in the format of both; one side is
clearly related to the other; numbers are left out; the digits show a narrower format; the digits
are too few; one side is zero or has equal rows; none of these. A row without a name takes the name
of the relation.
"""

OF_ONE: tuple[Row, ...] = (
    ("size", lambda m: m.value.is_size),
    ("gap", lambda m: m.value.gap),
    ("not_finite", lambda m: m.is_not_finite),
    ("no_difference", lambda m: m.is_difference and m.is_zero),
    ("difference", lambda m: m.is_difference),
    ("zeros", lambda m: m.is_zero and m.value.shape),
    ("equal_rows", lambda m: m.equal_rows),
    ("value", lambda m: True),
)
"""What one value shows; the first that fits is the one."""


def cause(name: str, row: Mapping[str, str] | None = None) -> Cause:
    """Return the cause of this name, with the texts of its row in `causes.toml`, or of `row`."""
    texts = row or _TABLE[name]
    verdict = Verdict[texts["verdict"]] if "verdict" in texts else None
    title = texts.get("title", verdict.value if verdict else "A known message")
    link = LINKS.get(texts.get("link", ""))
    return Cause(name, verdict, title, texts["says"], texts.get("do", ""), link)


def cause_of(value: Comparison | OneValue) -> Cause:
    """Return the first cause that fits a comparison or one value."""
    table = OF_TWO if isinstance(value, Comparison) else OF_ONE
    fitting = ((name, fits(value)) for name, fits in table)
    name, relation = next(row for row in fitting if row[1])
    return cause(name or str(relation))
