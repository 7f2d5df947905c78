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


def cause(name: str, verdict: Verdict | None = None, do: str = "", link: str = "") -> Cause:
    """Return the cause of this name, with the texts of `causes.toml` or those given."""
    row = {"says": "", "do": do, "link": link, "title": ""} | _TABLE.get(name, {})
    title = verdict.value if verdict else row["title"]
    shown = LINKS[row["link"]] if row["link"] else None
    return Cause(name, verdict, title, row["says"], row["do"], shown)


def _is(name: str) -> Callable[[Comparison], bool]:
    """Return the condition that two values are related in this way."""
    return lambda c: c.relation.name == name


OF_UNLIKE_SHAPES: Sequence[tuple[Cause, Callable[[Comparison], object]]] = [
    (cause("sum over rows", Verdict.NOT_ROUNDING), _is("sum over rows")),
    (cause("mean over rows", Verdict.NOT_ROUNDING), _is("mean over rows")),
    (cause("transposed", Verdict.NOT_ROUNDING), _is("transposed")),
    (cause("cut", Verdict.OPEN), lambda c: c.has_gap),
    (cause("shapes", Verdict.NOT_ROUNDING), lambda c: c.shapes_differ),
]
"""The causes of two values of unlike shapes."""

OF_ONE_SHAPE: Sequence[tuple[Cause, Callable[[Comparison], object]]] = [
    (cause("nan", Verdict.NOT_ROUNDING), lambda c: c.has_nan),
    (cause("infinity", Verdict.NOT_ROUNDING), lambda c: c.has_infinity),
    (cause("left_out", Verdict.OPEN), lambda c: c.has_gap and c.prints_alike),
    (cause("equal_rounded", Verdict.ROUNDING), lambda c: c.most_floats == 0 and c.dtypes_differ),
    (cause("equal", Verdict.NOTHING), lambda c: c.most_floats == 0),
    (cause("few", Verdict.ROUNDING), lambda c: c.is_within_few),
    (cause("factor", Verdict.NOT_ROUNDING), _is("factor")),
    (cause("conjugate", Verdict.NOT_ROUNDING), _is("conjugate")),
    (cause("sign", Verdict.NOT_ROUNDING), _is("sign")),
    (cause("transposed", Verdict.NOT_ROUNDING), _is("transposed")),
    (cause("sum over rows", Verdict.NOT_ROUNDING), _is("sum over rows")),
    (cause("zero", Verdict.NOT_ROUNDING), lambda c: c.zero_side),
    (cause("equal_rows", Verdict.NOT_ROUNDING), lambda c: c.equal_rows),
    (cause("in_float32", Verdict.ROUNDING), lambda c: c.narrow and c.narrow.name == "float32"),
    (cause("narrow", Verdict.NOT_ROUNDING), lambda c: c.narrow),
    (cause("same_digits", Verdict.OPEN), lambda c: c.prints_alike),
    (cause("largest", Verdict.ROUNDING), lambda c: c.is_small_beside_the_largest),
    (cause("digits", Verdict.OPEN), lambda c: c.digits_leave_open),
    (cause("open", Verdict.OPEN), lambda c: True),
]
"""The causes of two values of one shape, the certain ones first."""

OF_ONE_VALUE: Sequence[tuple[Cause, Callable[[Matrix], object]]] = [
    (cause("size"), lambda m: m.value.size),
    (cause("nan", Verdict.NOT_ROUNDING), lambda m: m.has_nan),
    (cause("infinity", Verdict.NOT_ROUNDING), lambda m: m.has_infinity),
    (cause("no_difference"), lambda m: m.role and m.is_zero),
    (cause("relative"), lambda m: m.role == "relative"),
    (cause("difference"), lambda m: m.role == "difference"),
    (cause("number"), lambda m: not m.value.shape),
    (cause("zeros"), lambda m: m.is_zero),
    (cause("vector"), lambda m: not m.is_matrix),
    (cause("equal_lines"), lambda m: m.equal_rows),
    (cause("blocks"), lambda m: m.blocks),
    (cause("zero_rows"), lambda m: m.zero_rows),
    (cause("one_row"), lambda m: m.is_one_row),
    (cause("symmetric"), lambda m: m.is_symmetric),
    (cause("matrix"), lambda m: True),
]
"""What one value shows."""


def cause_of(comparison: Comparison) -> Cause:
    """Return the first cause that fits two values."""
    table = OF_UNLIKE_SHAPES if comparison.shapes_differ else OF_ONE_SHAPE
    return next(each for each, fits in table if fits(comparison))


def cause_of_one(matrix: Matrix) -> Cause:
    """Return the first cause that fits one value."""
    return next(each for each, fits in OF_ONE_VALUE if fits(matrix))


def cause_of_messages(messages: Sequence[Message]) -> Cause:
    """Return what messages of libraries say: the verdict that one of them decides, and the first remedy."""
    rows = [message.row for message in messages]
    verdict = next((Verdict[row.verdict] for row in rows if row.verdict), None)
    do = next((row.do for row in rows if row.do), "")
    link = next((row.link for row in rows if row.link), "")
    return cause("message", verdict, do, link)
