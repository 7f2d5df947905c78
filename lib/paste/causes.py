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


_TABLE: dict[str, Any] = tomllib.loads(Path(__file__).with_name("causes.toml").read_text("utf-8"))
LINKS = {name: Link(**row) for name, row in _TABLE.pop("links").items()}


def _related(name: str) -> Callable[[Comparison], bool]:
    """Return the condition that two values are related in this way."""
    return lambda c: c.relation.name == name


OF_SHAPES: dict[str, Callable[[Comparison], object]] = {
    "left_out": lambda c: c.has_gap,
    "sum over rows": _related("sum over rows"),
    "transposed": _related("transposed"),
    "shapes": lambda c: True,
}
"""The causes of two values of unlike shapes."""

OF_TWO: dict[str, Callable[[Comparison], object]] = {
    "nan": lambda c: c.has_nan,
    "infinity": lambda c: c.has_infinity,
    "left_out": lambda c: c.has_gap and c.fewest_floats == 0,
    "equal_rounded": lambda c: c.most_floats == 0 and c.dtypes_differ,
    "equal": lambda c: c.most_floats == 0,
    "few": lambda c: c.is_within_few,
    "factor": _related("factor"),
    "conjugate": _related("conjugate"),
    "sign": _related("sign"),
    "transposed": _related("transposed"),
    "sum over rows": _related("sum over rows"),
    "zero": lambda c: c.zero_side,
    "equal_rows": lambda c: c.equal_rows,
    "in_float32": lambda c: c.narrow and not c.narrow.is_narrow,
    "narrow": lambda c: c.narrow,
    "largest": lambda c: c.is_small_beside_the_largest,
    "digits": lambda c: c.digits_leave_open,
    "open": lambda c: True,
}
"""The causes of two values of one shape, the certain ones first."""

OF_ONE: dict[str, Callable[[Matrix], object]] = {
    "size": lambda m: m.value.is_size,
    "nan": lambda m: m.has_nan,
    "infinity": lambda m: m.has_infinity,
    "no_difference": lambda m: m.role and m.is_zero,
    "relative": lambda m: m.role == "relative",
    "difference": lambda m: m.role,
    "number": lambda m: m.count == 1 and not m.value.shape and not m.value.is_complex,
    "zeros": lambda m: m.is_zero,
    "vector": lambda m: not m.is_matrix,
    "equal_lines": lambda m: m.equal_lines,
    "blocks": lambda m: m.blocks,
    "zero_rows": lambda m: m.zero_rows,
    "matrix": lambda m: True,
}
"""What one value shows."""


def cause(name: str) -> Cause:
    """Return the cause of this name, with the texts of `causes.toml`."""
    return _cause(name, **_TABLE[name])


def _cause(
    name: str, title: str = "", says: str = "", verdict: str = "", do: str = "", link: str = ""
) -> Cause:
    decided = Verdict[verdict] if verdict else None
    shown = LINKS[link] if link else None
    return Cause(name, decided, decided.value if decided else title, says, do, shown)


def cause_of(comparison: Comparison) -> Cause:
    """Return the first cause that fits two values."""
    table = OF_SHAPES if comparison.shapes_differ else OF_TWO
    return cause(next(name for name, fits in table.items() if fits(comparison)))


def cause_of_one(matrix: Matrix) -> Cause:
    """Return the first cause that fits one value."""
    return cause(next(name for name, fits in OF_ONE.items() if fits(matrix)))


def cause_of_messages(messages: Sequence[Message]) -> Cause:
    """Return the verdict that a message of a library decides, and the first remedy."""
    rows = [message.row for message in messages]
    texts = {
        field: next((getattr(row, field) for row in rows if getattr(row, field)), "")
        for field in ("verdict", "do", "link")
    }
    return _cause("message", "A known message", **texts)
