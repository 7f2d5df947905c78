"""The answer of `compare`: words, a table, JSON, and what a notebook shows."""

from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

import pandas as pd

from lib.floats.exact_floats import format_of
from lib.own import line_picture
from lib.own.part import Part
from lib.own.sentences import about, part_text
from lib.own.verdict import EQUAL, ROUNDING, SEVERITY


@dataclass(frozen=True, eq=False)
class Report:
    """The answer of `compare`: `print` it, or let a notebook show it.

    `kind` is "equal", "rounding", "not rounding" or "undecided", that of the worst part. `parts` are the gradients, or
    the values and the gradients of two ways. `notes` are sentences on what could not be done.
    """

    parts: tuple[Part, ...]
    x_shapes: tuple[tuple[int, ...], ...]
    result_shape: tuple[int, ...]
    of: str
    mean: tuple[int, str] | None = None
    notes: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        return max((part.verdict.kind for part in self.parts), key=SEVERITY.__getitem__)

    @property
    def same(self) -> bool:
        """Whether every difference is none, or rounding."""
        return self.kind in (EQUAL, ROUNDING)

    @cached_property
    def table(self) -> pd.DataFrame:
        """Every component of every part, in their order."""
        return pd.concat([part.rows(range(part.pair.components)) for part in self.parts], ignore_index=True)

    def worst(self, count: int = 5) -> pd.DataFrame:
        """Return the components that differ, those farthest apart first, at most so many of each part."""
        return pd.concat([part.rows(part.pair.worst(count)) for part in self.parts], ignore_index=True)

    def figures(self) -> dict[str, Any]:
        """Return the figures that the command line prints as JSON."""
        return {
            "kind": self.kind,
            "x": [list(shape) for shape in self.x_shapes],
            "result": list(self.result_shape),
            "of": self.of,
            "mean_of": self.mean[0] if self.mean else None,
            "parts": [
                {
                    "what": part.what,
                    "sides": list(part.labels),
                    "kind": part.verdict.kind,
                    "components": part.pair.components,
                    "differing": part.pair.differing,
                    "max_ulps": int(part.pair.ulps.max()),
                    "remains": part.pair.remains,
                    "expected": part.pair.expected,
                    "causes": [cause.text for cause in part.causes],
                    "says": part_text(part),
                }
                for part in self.parts
            ],
            "notes": list(self.notes),
        }

    @property
    def picture(self) -> str:
        """The float line of the worst component as SVG, or an empty text if no two finite numbers differ."""
        part = max(self.parts, key=lambda part: (SEVERITY[part.verdict.kind], part.pair.differing))
        return next((line_picture.svg(part, k) for k in part.pair.worst(1) if part.pair.comparable[k]), "")

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was found, a paragraph each: the verdict of every part, then what was compared, then the notes."""
        whole = about(self.of, self.x_shapes, self.result_shape, self.mean)
        return (*(part_text(part) for part in self.parts), whole, *self.notes)

    def __str__(self) -> str:
        text = "\n".join(self.sentences)
        with pd.option_context("display.width", 200, "display.max_columns", 12, "display.max_colwidth", 40):
            return f"{text}\n\n{self._read(3).to_string(index=False)}" if self._differs else text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        words = "".join(f"<p>{escape(sentence)}</p>" for sentence in self.sentences)
        table = self._read(5).to_html(index=False, border=0, escape=True) if self._differs else ""
        return f"<div>{words}{self.picture}{table}</div>"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Return the forms that a notebook chooses from: Jupyter takes HTML, a terminal the plain text."""
        return {"text/plain": str(self), "text/html": self._repr_html_()}

    @property
    def _differs(self) -> bool:
        return any(part.pair.differing for part in self.parts)

    def _read(self, count: int) -> pd.DataFrame:
        """The worst components as texts: the values in so many digits that neighbouring floats read differently."""
        tables = []
        for part in self.parts:
            table = part.rows(components := part.pair.worst(count)).astype(object)
            for name in (*part.labels, "float64"):
                if name in table:
                    dtypes = map(part.pair.dtype_at, components)
                    texts = [f"{x:.{format_of(d).digits}g}" for x, d in zip(table[name], dtypes, strict=True)]
                    table[name] = texts
            table["difference"] = [f"{x:.3g}" for x in table["difference"]]
            tables.append(table)
        return pd.concat([table for table in tables if len(table)], ignore_index=True).fillna("")
