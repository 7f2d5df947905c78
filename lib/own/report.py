"""The answer of `compare`: words, a table, JSON, and what a notebook shows. Nothing here is proved: it is measured."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from lib.floats.exact_floats import format_of
from lib.floats.quantities import counted, distance, listed, size
from lib.floats.sentences import Sentence, said
from lib.own.difference import EQUAL, KINDS, NOT_ROUNDING, ROUNDING, UNDECIDED, Difference
from lib.own.slope import FEWEST_DIGITS
from lib.paste.verdict import Verdict


@dataclass(frozen=True)
class Facts:
    """A difference, and its figures as texts."""

    difference: Difference
    kind: str
    one: str
    other: str
    differ: str
    apart: str
    remains: str
    expected: str
    digits: int
    measured: str
    factor: str
    causes: str
    lost: str
    example: str
    errors: Sequence[str]
    closer: Sequence[str]

    @classmethod
    def of(cls, found: Difference) -> "Facts":
        wrong = next((one for one in found.slopes if one.contradicts), None)
        distances, factor = found.errors, found.factor
        closer = [] if distances is None else [(distances[k] < distances[1 - k]).sum() for k in (0, 1)]
        return cls(
            found,
            found.kind,
            *found.sides,
            differ=f"{found.differing:,} of {counted(found.ulps.size, 'component')}",
            apart=distance(int(found.ulps.max())) if found.ulps.any() else "",
            remains="" if found.remains is None else size(found.remains),
            expected=size(found.expected),
            digits=min((one.digits for one in found.slopes), default=0),
            measured=f"{wrong.measured:.6g} ± {wrong.error:.1g}, not {wrong.by_gradient:.6g}" if wrong else "",
            factor="" if factor is None or abs(factor - 1) < 0.01 else f"{factor:.6g}",
            causes=listed(found.causes),
            lost=counted(found.lost.size, "component"),
            example=_example(found),
            errors=[] if distances is None else [size(float(np.nanmax(side))) for side in distances],
            closer=[f"{count:,}" for count in closer],
        )


def _example(found: Difference) -> str:
    if not found.lost.size or found.exact is None:
        return ""
    component = int(found.lost[0])
    name, index, _ = found.place(component)
    at = f"{name}[{', '.join(map(str, index))}]" if index else name
    side = int(np.abs(found.values - found.exact)[:, component].argmax())
    return f"{at} is {found.values[side, component]:.6g}, there {found.exact[side, component]:.6g}"


SENTENCES = (
    Sentence("{f.one} and {f.other} are equal in every component.", lambda f: not f.difference.differing),
    Sentence("{f.one} and {f.other} differ in {f.differ}, by at most {f.apart}.", lambda f: f.apart),
    Sentence("NaN or an infinity stands against something else.", lambda f: f.difference.unmatched.any()),
    Sentence(
        "What NaN or an infinity hides is open: an x where all is finite would decide.",
        lambda f: f.kind == UNDECIDED and not f.difference.comparable.all(),
    ),
    Sentence(
        "In float64 throughout, {f.remains} of the difference remains; of a rounding error about {f.expected} would.",
        lambda f: f.remains and f.difference.differing,
    ),
    Sentence(
        "Too much for rounding, too little for a bug that is there at every x: another x would decide.",
        lambda f: f.kind == UNDECIDED and f.remains and f.difference.comparable.all(),
    ),
    Sentence(
        "A network that runs in float64 throughout would decide: there a rounding error all but vanishes.",
        lambda f: f.kind == UNDECIDED and not f.remains and f.difference.comparable.all(),
    ),
    Sentence(
        "Central differences along a random direction give the slope {f.measured}: the gradient is not the function's.",
        lambda f: f.measured,
    ),
    Sentence(
        "In float64 central differences agree with the gradient along a random direction to {f.digits} digits, in "
        "which components far below the largest do not show.",
        lambda f: f.kind in (EQUAL, ROUNDING) and f.digits >= FEWEST_DIGITS,
    ),
    Sentence(
        f"Central differences confirm nothing here: they cannot see an error of 1e-{FEWEST_DIGITS}, as at a kink, "
        "or the gradient is another one in float64.",
        lambda f: f.kind in (EQUAL, ROUNDING) and f.difference.slopes and f.digits < FEWEST_DIGITS,
    ),
    Sentence(
        "{f.other} is {f.factor} times {f.one}, to half of the digits: a sum beside a mean, or a sign?",
        lambda f: f.kind == NOT_ROUNDING and f.factor,
    ),
    Sentence(
        "{f.other} is {f.one} transposed, to half of the digits.",
        lambda f: f.kind == NOT_ROUNDING and f.difference.transposed,
    ),
    Sentence("Look at {f.causes}.", lambda f: f.kind == NOT_ROUNDING and f.causes),
    Sentence(
        "Looked for and not found: detach(), no_grad(), item(), a hook, a custom backward.",
        lambda f: f.kind == NOT_ROUNDING and not f.causes and not f.factor and not f.difference.transposed,
    ),
    Sentence(
        "More than half of the digits are not those of float64 in {f.lost}: {f.example}.",
        lambda f: f.kind in (EQUAL, ROUNDING) and f.example,
    ),
    Sentence(
        "Largest error: {f.errors[0]} of {f.one}, {f.errors[1]} of {f.other}; closer: {f.closer[0]} and {f.closer[1]}.",
        lambda f: f.errors,
    ),
)
"""What is said of a difference."""

MEAN = Sentence(
    "The result is the mean over {f.mean_of:,} terms: its gradient is 1/{f.mean_of:,} of that of their sum.",
    lambda f: f.mean_of > 1,
)

VERDICTS = {
    EQUAL: Verdict.ROUNDING,
    ROUNDING: Verdict.ROUNDING,
    UNDECIDED: Verdict.MORE_DIGITS,
    NOT_ROUNDING: Verdict.NOT_ROUNDING,
}


@dataclass(frozen=True, eq=False)
class Report:
    """The answer of `compare`: `print` it, or let a notebook show it.

    `kind` is "equal", "rounding", "not rounding" or "undecided", that of the worst part. `parts` are the gradients, or
    the values and the gradients of two ways. `mean_of` is the number of terms if the result is a mean, else 0. `notes`
    are sentences on what could not be done.
    """

    parts: tuple[Difference, ...]
    x_shapes: tuple[tuple[int, ...], ...]
    result_shape: tuple[int, ...]
    of: str
    mean_of: int = 0
    notes: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        return max((part.kind for part in self.parts), key=KINDS.index)

    @property
    def same(self) -> bool:
        """Whether every difference is none, or rounding."""
        return self.kind in (EQUAL, ROUNDING)

    @cached_property
    def table(self) -> pd.DataFrame:
        """Every component of every part, in their order."""
        return self._rows({id(part): range(part.ulps.size) for part in self.parts})

    def worst(self, count: int = 5) -> pd.DataFrame:
        """Return the components that differ, those farthest apart first, at most so many of each part."""
        return self._rows({id(part): part.worst(count) for part in self.parts})

    def _rows(self, components: dict[int, Sequence[int]]) -> pd.DataFrame:
        rows = [
            {
                "what": part.what,
                "of": part.place(k)[0],
                "index": part.place(k)[1],
                "first": part.values[0, k],
                "second": part.values[1, k],
                "difference": float(part.values[0, k]) - float(part.values[1, k]),
                "ulps": part.ulps[k],
                "float64": np.nan
                if part.exact is None or part.narrow or part.kind == NOT_ROUNDING
                else part.exact.mean(0)[k],
            }
            for part in self.parts
            for k in components[id(part)]
        ]
        columns = ["what", "of", "index", "first", "second", "difference", "ulps", "float64"]
        return pd.DataFrame(rows, columns=columns)

    def figures(self) -> dict[str, Any]:
        """Return the figures that the command line prints as JSON."""
        return {
            "kind": self.kind,
            "verdict": VERDICTS[self.kind].value,
            "x": [list(shape) for shape in self.x_shapes],
            "result": list(self.result_shape),
            "of": self.of,
            "mean_of": self.mean_of or None,
            "parts": [
                {
                    "what": part.what,
                    "sides": list(part.sides),
                    "kind": part.kind,
                    "components": part.ulps.size,
                    "differing": part.differing,
                    "max_ulps": int(part.ulps.max()),
                    "remains": part.remains,
                    "expected": part.expected,
                    "factor": part.factor,
                    "digits": min((one.digits for one in part.slopes), default=None),
                    "causes": list(part.causes),
                    "says": said(SENTENCES, Facts.of(part)),
                }
                for part in self.parts
            ],
            "notes": list(self.notes),
        }

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was found: a paragraph for every part, then the notes."""
        found = [said(SENTENCES, Facts.of(part)) for part in self.parts]
        words = (
            f"{VERDICTS[part.kind].value}. {part.what}: {text}" for part, text in zip(self.parts, found, strict=True)
        )
        return *words, *filter(None, [said([MEAN], self)]), *self.notes

    def __str__(self) -> str:
        words = "\n".join(self.sentences)
        with pd.option_context("display.width", 200, "display.max_columns", 12, "display.max_colwidth", 40):
            return words + ("" if self._shown.empty else f"\n\n{self._shown.to_string(index=False)}")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        words = "".join(f"<p>{escape(sentence)}</p>" for sentence in self.sentences)
        table = "" if self._shown.empty else self._shown.to_html(index=False, border=0, escape=True)
        return f"<div>{words}{table}</div>"

    @cached_property
    def _shown(self) -> pd.DataFrame:
        """The worst components, in so many digits that neighbouring floats read differently."""
        table = self.worst(3).astype(object)
        dtypes = [part.place(k)[2] for part in self.parts for k in part.worst(3)]
        for name in ("first", "second", "float64"):
            table[name] = [f"{x:.{format_of(d).digits}g}" for x, d in zip(table[name], dtypes, strict=True)]
        table["difference"] = [f"{x:.3g}" for x in table["difference"]]
        return table
