"""The causes of a difference, and what one value shows: tables of conditions, tried in order.

Conditions use the numbers and their dtypes and, for one value, whether its label says
"difference". What is said of each cause, and what to do, stands in `causes.toml`.
"""

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from lib.paste.comparison import Comparison
from lib.paste.matrix import Matrix
from lib.paste.messages import Message


class Verdict(Enum):
    """What two values show, from the harmless to the harmful. Its value is what the page writes."""

    NOTHING = "Nothing differs"
    ROUNDING = "Rounding fits"
    OPEN = "Open"
    NOT_ROUNDING = "Not rounding"


@dataclass(frozen=True)
class Link:
    """A way to the part of the page that shows a cause: its words, the study of the tab, and the
    key of the section, or ""."""

    words: str
    study: str
    section: str = ""


@dataclass(frozen=True)
class Cause:
    """What is said: the verdict or None, a title, a sentence with figures, a line of code, and a
    link. The title is that of the verdict, if there is one."""

    name: str
    verdict: Verdict | None
    title: str
    says: str
    do: str = ""
    link: Link | None = None


_FIELDS = ("verdict", "do", "link")
_TABLE: dict[str, Any] = tomllib.loads(Path(__file__).with_name("causes.toml").read_text("utf-8"))
LINKS = {name: Link(**row) for name, row in _TABLE.pop("links").items()}


OF_TWO: dict[str, Callable[[Comparison], object]] = {
    "not_finite": lambda c: c.is_not_finite,
    "left_out": lambda c: c.has_gap and c.fewest_floats == 0,
    "equal": lambda c: c.most_floats == 0 and not c.dtypes_differ,
    "few": lambda c: c.most_floats <= c.few,
    "related": lambda c: c.relation.name,
    "zero": lambda c: c.is_zero_on_one_side,
    "equal_rows": lambda c: c.has_equal_rows_on_one_side,
    "in_float32": lambda c: c.narrow and not c.narrow.is_narrow,
    "narrow": lambda c: c.narrow,
    "largest": lambda c: 0 < c.size and c.most_apart <= c.limit,
    "digits": lambda c: c.fewest_floats <= c.few or c.least_apart <= c.limit,
    "open": lambda c: True,
}
"""The causes of two values of one shape, the certain ones first."""

OF_SHAPES: dict[str, Callable[[Comparison], object]] = {
    "left_out": lambda c: c.has_gap,
    "related": lambda c: c.relation.name,
    "shapes": lambda c: True,
}
"""The causes of two values of unlike shapes."""

OF_ONE: dict[str, Callable[[Matrix], object]] = {
    "size": lambda m: m.value.is_size,
    "not_finite": lambda m: m.not_finite,
    "no_difference": lambda m: m.role and m.is_zero,
    "relative": lambda m: m.role == "relative",
    "difference": lambda m: m.role,
    "number": lambda m: not m.shape,
    "zeros": lambda m: m.is_zero,
    "vector": lambda m: not m.is_matrix,
    "equal_lines": lambda m: m.equal_lines,
    "blocks": lambda m: m.blocks,
    "matrix": lambda m: True,
}
"""What one value shows."""


def cause(name: str, **texts: str) -> Cause:
    """Return the cause of this name, with the texts of `causes.toml` or those given."""
    row = {"title": "", "says": "", "verdict": "", "do": "", "link": ""} | _TABLE[name] | texts
    verdict = Verdict[row["verdict"]] if row["verdict"] else None
    title = verdict.value if verdict else row["title"]
    return Cause(name, verdict, title, row["says"], row["do"], LINKS.get(row["link"]))


def cause_of(comparison: Comparison) -> Cause:
    """Return the first cause that fits two values."""
    table = OF_SHAPES if comparison.shapes_differ else OF_TWO
    name = next(name for name, fits in table.items() if fits(comparison))
    return cause(comparison.relation.name if name == "related" else name)


def cause_of_one(matrix: Matrix) -> Cause:
    """Return the first cause that fits one value."""
    return cause(next(name for name, fits in OF_ONE.items() if fits(matrix)))


def cause_of_messages(messages: Sequence[Message]) -> Cause:
    """Return the verdict that a message of a library decides, and the first remedy."""
    texts: dict[str, str] = {}
    for message in reversed(messages):
        texts |= {field: message.row[field] for field in _FIELDS if field in message.row}
    return cause("message", **texts)
