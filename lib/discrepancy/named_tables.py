"""The named comparisons as tables: one to read, and points for a chart whose axes are powers of a base."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log

import pandas as pd

from lib.discrepancy.named_comparisons import ComparisonTally, NamedTally
from lib.floats.quantities import percent, significant
from lib.floats.tables import NUMBER, TEXT, text_table, typed


def readable(tally: NamedTally, rows: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """A table to read, with a row for each name: what the comparison is, as `rows` says by column, and what was found.

    Columns of what was found: equal (share of the finite components), largest and mean difference, not finite
    (components). A dash stands for what is not known.
    """
    return text_table(dict(about) | _found(tally[name]) for name, about in rows.items())


def _found(tally: ComparisonTally) -> dict[str, str | None]:
    sizes = map(significant, (tally.max_abs.value, tally.total.mean)) if tally.finite else (None, None)
    largest, mean = sizes
    return {
        "equal": percent(tally.equal, tally.finite),
        "largest difference": largest,
        "mean difference": mean,
        "not finite": f"{tally.nonfinite:,}" if tally.components else None,
    }


@dataclass(frozen=True)
class Point:
    """One point of a chart: a difference of this size where the number along the axis is x.

    `kind` is "largest" or "mean".
    """

    name: str
    x: float
    size: float
    kind: str = "largest"


@dataclass(frozen=True)
class Growth:
    """A chart of sizes, `y`, against a number, `x`, both as powers of `base`.

    `slopes` are those of the guide lines by name, drawn through the first point of the name `through`, or the first of
    all. The tables are called `name` and `guides`.
    """

    name: str
    x: str
    y: str
    base: int
    slopes: Mapping[str, float]
    through: str = ""

    @property
    def guides(self) -> str:
        return f"{self.name} guides"

    def tables(self, points: Iterable[Point]) -> dict[str, pd.DataFrame]:
        """Both tables, whose x and y are exponents of the base; a size of 0 does not fit on a log axis.

        The points: x, y, name, kind, size (as a text). The guides: name, x and y at both ends of the axis.
        """
        points = list(points)
        shown = [point for point in points if point.size]
        ends = [self._exponent(end(point.x for point in points)) for end in (min, max)] if points else []
        through = [point for point in shown if self.through in ("", point.name)][:1]
        lines = [
            (name, x, self._exponent(point.size) + slope * (x - self._exponent(point.x)))
            for point in through
            for name, slope in self.slopes.items()
            for x in ends
        ]
        rows = [(self._exponent(p.x), self._exponent(p.size), p.name, p.kind, f"{p.size:.3g}") for p in shown]
        return {
            self.name: typed({"x y": NUMBER, "name kind size": TEXT}, rows),
            self.guides: typed({"name": TEXT, "x y": NUMBER}, lines),
        }

    def _exponent(self, number: float) -> float:
        return log(number) / log(self.base)
