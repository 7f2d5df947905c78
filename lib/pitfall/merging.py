"""One sample as a picture of the paths that merge: what flows back from each output, and what either way of asking
returns.

In one call all paths end in the one x, which has room for one gradient: their sum. Asked for row by row, each output
has x to itself.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import floor, isfinite, log10
from typing import TypedDict

import torch

from lib.experiment.query import Experiment
from lib.floats.quantities import listed, minus, power_of_ten
from lib.pitfall.fixes import POST_POINT, post_matrices

MOST_INPUTS, MOST_OUTPUTS = 5, 6
"""The largest matrices that are drawn with their numbers."""

Rows = tuple[tuple[float, ...], ...]

_DECIMALS = 2


@dataclass(frozen=True)
class Both:
    """The right rows and the single call of one sample, each `outputs` tuples of `inputs` numbers; empty if unknown."""

    rows: Rows = ()
    single: Rows = ()

    @classmethod
    def of(cls, rows: torch.Tensor, single: torch.Tensor) -> "Both":
        """Keep two matrices, shape (outputs, inputs), if they are small enough to be drawn."""
        outputs, inputs = rows.shape
        if outputs > MOST_OUTPUTS or inputs > MOST_INPUTS:
            return cls()
        return cls(*(tuple(map(tuple, matrix.double().tolist())) for matrix in (rows, single)))


FURTHEST = 9
"""The post's example can be drawn at whole numbers as far from 0 as this."""


@cache
def post_example(point: tuple[int, int] = POST_POINT) -> Both:
    """Return both matrices of the forum post's example at a point, computed by PyTorch."""
    return Both(
        **{name: tuple(map(tuple, matrix)) for name, matrix in post_matrices(point).items()}
    )


class Way(TypedDict):
    """A way to ask for the rows: its name, its code, the name of x, and what comes back."""

    way: str
    code: str
    leaf: str
    matrix: list[list[str]]
    lit: list[str]
    label: str


class Merging(TypedDict):
    """What `static/flows.js` is told of one sample; `sizes` are those of the rows, `total` that of their sum.

    `x` is the point, empty if the visitor cannot choose it.
    """

    name: str
    about: str
    x: list[int]
    outputs: list[str]
    rows: list[list[str]]
    sizes: list[float]
    total: float
    merges: bool
    sums: list[list[str]]
    wrong: Way
    right: Way


class PitfallDrawing(TypedDict):
    """What `static/pitfall.js` is told: the drawings to choose from, and how far x may be from 0."""

    drawings: list[Merging]
    furthest: int


def drawings(
    both: Both, experiment: Experiment, point: tuple[int, int] = POST_POINT
) -> PitfallDrawing:
    """Return the drawings to choose from.

    Args:
        both: the matrices of the experiment's first sample; not drawn if they are empty.
        experiment: with one output, the example has one as well.
        point: the x of the post's example.
    """
    example, outputs = post_example(point), ["2·x[0]", "2·x[1]", "4·x[0]²", "4·x[1]²"]
    if experiment.outputs == 1:
        example, outputs = Both(example.rows[:1], example.rows[:1]), outputs[:1]
    merging = [_drawing("A small example", f"y = [{', '.join(outputs)}]", example, point)]
    if both.rows:
        widths = " → ".join(map(str, experiment.widths))
        merging.append(_drawing("The network", f"y = net(x): {widths}", both))
    return {"drawings": merging, "furthest": FURTHEST}


def _drawing(name: str, about: str, both: Both, x: Sequence[int] = ()) -> Merging:
    """The drawing of one sample, all its numbers as texts: how each way asks, what flows, what comes back."""
    texts, unit = _texts([*both.rows, *both.single])
    rows, single = texts[: len(both.rows)], texts[len(both.rows) :]
    outputs, vectors = [f"y[{output}]" for output in range(len(rows))], list(map(_vector, rows))
    sizes = [
        sum(abs(value) for value in row if isfinite(value)) for row in (*both.rows, both.single[0])
    ]
    largest = max(sizes) or 1.0
    *of_rows, total = (size / largest for size in sizes)
    merges = len(rows) > 1
    columns = zip(zip(*rows, strict=True), single[0], strict=True)
    return {
        "name": name,
        "about": "; ".join(filter(None, (about, unit))),
        "x": list(x),
        "outputs": outputs,
        "rows": rows,
        "sizes": of_rows,
        "total": total,
        "merges": merges,
        "sums": [
            [*_added(column), f" {'≈' if unit else '='} {result}"]
            for column, result in columns
            if merges
        ],
        "wrong": {
            "way": "Wrong: one call" if merges else "One call",
            "code": f"torch.stack(grad([{', '.join(outputs)}], [{', '.join('x' for _ in rows)}]))",
            "leaf": "x, shared by all",
            "matrix": single,
            "lit": [
                f"{y} adds {row} to every row" for y, row in zip(outputs, vectors, strict=True)
            ],
            "label": f"One call returns {listed(map(_vector, single))}.",
        },
        "right": {
            "way": "Right: one call per row" if merges else "One call per row",
            "code": f"torch.stack([grad(y[i], x, retain_graph=True)[0] for i in range({len(rows)})])",
            "leaf": "x, once per call",
            "matrix": rows,
            "lit": [
                f"{y} fills its own row: {row}" for y, row in zip(outputs, vectors, strict=True)
            ],
            "label": f"One call per row returns {listed(vectors)}.",
        },
    }


def _texts(matrix: Sequence[Sequence[float]]) -> tuple[list[list[str]], str]:
    """The entries as short texts, and the power of ten that multiplies all of them, or nothing."""
    finite = [abs(value) for row in matrix for value in row if isfinite(value)]
    largest = max(finite, default=0.0)
    if all(value == round(value) < 1000 for value in finite):
        return [[_signed(f"{value:g}") for value in row] for row in matrix], ""
    exponent = max(floor(log10(largest)), -300)  # 10**-324 is 0
    unit = "rounded" if exponent == 0 else f"numbers × {power_of_ten(exponent)}, rounded"
    return [
        [_signed(f"{value / 10.0**exponent:.{_DECIMALS}f}") for value in row] for row in matrix
    ], unit


def _signed(text: str) -> str:
    return "0.00" if text == "-0.00" else "0" if text == "-0" else minus(text)


def _added(terms: Iterable[str]) -> list[str]:
    """The texts as parts of a sum: a negative term is taken away."""
    first, *others = terms
    return [first, *(f" − {term[1:]}" if term.startswith("−") else f" + {term}" for term in others)]


def _vector(texts: Iterable[str]) -> str:
    return f"[{', '.join(texts)}]"
