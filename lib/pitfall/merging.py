"""One sample as a picture of the paths that merge: what flows back from each output, and what either way of asking
returns.

In one call all paths end in the one x, which has room for one gradient: their sum. Asked for row by row, each output
has x to itself.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import floor, isfinite, log10

import torch

from lib.experiment.query import Experiment
from lib.floats.quantities import listed, minus, power_of_ten
from lib.pitfall.fixes import POST_POINT, post_matrices

MOST_INPUTS, MOST_OUTPUTS = 5, 6
"""The largest matrices that are drawn with their numbers."""

Rows = tuple[tuple[float, ...], ...]

_NUMBERS = ("none", "one", "two", "three", "four", "five", "six")
_DECIMALS = 2


@dataclass(frozen=True)
class Both:
    """The right rows and the single call of one sample, each `outputs` tuples of `inputs` numbers; empty if unknown.

    Of several in a sum, one that is known is kept: a tally has only that of its experiment's first sample.
    """

    rows: Rows = ()
    single: Rows = ()

    @classmethod
    def of(cls, rows: torch.Tensor, single: torch.Tensor) -> "Both":
        """Keep two matrices, shape (outputs, inputs), if they are small enough to be drawn."""
        outputs, inputs = rows.shape
        if outputs > MOST_OUTPUTS or inputs > MOST_INPUTS:
            return cls()
        return cls(*(tuple(map(tuple, matrix.double().tolist())) for matrix in (rows, single)))

    def __add__(self, other: "Both") -> "Both":
        return self if self.rows else other


@cache
def post_example() -> Both:
    """Return both matrices of the forum post's example, computed by PyTorch."""
    matrices = post_matrices()
    return Both(*(tuple(map(tuple, matrices[name])) for name in ("rows", "single")))


def drawings(both: Both, experiment: Experiment) -> list[dict]:
    """Return the data of all drawings to choose from: of the post's example, and of the first sample if it is known.

    `origin` says where an example is from, and `about` what y is.
    """
    point = ", ".join(f"{number:g}" for number in POST_POINT)
    post = _drawing(post_example()) | {
        "name": "A small example",
        "origin": "From a post in the PyTorch forum",
        "about": f"y = [2·x[0], 2·x[1], 4·x[0]², 4·x[1]²] at x = [{point}]",
    }
    if not both.rows:
        return [post]
    widths = " → ".join(map(str, experiment.widths))
    network = _drawing(both)
    network |= {"name": "Your first sample", "origin": "", "about": f"y = net(x): {widths}{network['about']}"}
    return [post, network]


def _drawing(both: Both) -> dict:
    """The drawing of one sample, all its numbers as texts: how each way asks, what flows, what comes back.

    `sizes` are those of the rows, and `total` that of their sum, as fractions of the largest.
    """
    texts, unit = _texts([*both.rows, *both.single])
    rows, single = texts[: len(both.rows)], texts[len(both.rows) :]
    outputs = len(rows)
    sizes = [sum(abs(value) for value in row if isfinite(value)) for row in (*both.rows, both.single[0])]
    largest = max(sizes) or 1.0
    *of_rows, total = (size / largest for size in sizes)
    columns = zip(zip(*rows, strict=True), single[0], strict=True)
    sums = [[*_added(column), f" {'≈' if unit else '='} {result}"] for column, result in columns] if outputs > 1 else []
    few = {1: "the one row is the sum", 2: "each row is the sum of both"}
    return {
        "outputs": [f"y[{output}]" for output in range(outputs)],
        "rows": rows,
        "sizes": of_rows,
        "total": total,
        "about": unit and f"; {unit}",
        "merges": outputs > 1,
        "sums": sums,
        "wrong": {
            "way": "Wrong: one call" if outputs > 1 else "One call",
            "code": single_call_code(outputs),
            "leaf": "x, shared by all",
            "matrix": single,
            "lit": [f"y[{i}] adds {_vector(row)} to every row" for i, row in enumerate(rows)],
            "note": few.get(outputs, f"every row is the sum of all {_NUMBERS[outputs]}"),
            "label": f"One call. {_flowing(rows, f'meet in x, and their sum {_vector(single[0])} is every row')}",
        },
        "right": {
            "way": "Right: one call per row" if outputs > 1 else "One call per row",
            "code": row_by_row_code(outputs),
            "leaf": "x, once per call",
            "matrix": rows,
            "lit": [f"y[{i}] fills its own row: {_vector(row)}" for i, row in enumerate(rows)],
            "note": "each row is its output’s own gradient",
            "label": f"One call per row. {_flowing(rows, 'reach x in calls of their own and come back as they are')}",
        },
    }


def single_call_code(outputs: int) -> str:
    """Return the line that asks for all rows in one call, of y and x."""
    asked, leaves = (", ".join(parts) for parts in ([f"y[{i}]" for i in range(outputs)], ["x"] * outputs))
    return f"torch.stack(grad([{asked}], [{leaves}]))"


def row_by_row_code(outputs: int) -> str:
    """Return the line that asks for one row at a time."""
    return f"torch.stack([grad(y[i], x, retain_graph=True)[0] for i in range({outputs})])"


def _texts(matrix: Sequence[Sequence[float]]) -> tuple[list[list[str]], str]:
    """The entries as short texts, and the power of ten that multiplies all of them, or nothing."""
    finite = [abs(value) for row in matrix for value in row if isfinite(value)]
    largest = max(finite, default=0.0)
    if all(value == round(value) < 1000 for value in finite):
        return [[_signed(f"{value:g}") for value in row] for row in matrix], ""
    exponent = max(floor(log10(largest)), -300)  # 10**-324 is 0
    unit = "rounded" if exponent == 0 else f"numbers × {power_of_ten(exponent)}, rounded"
    return [[_signed(f"{value / 10.0**exponent:.{_DECIMALS}f}") for value in row] for row in matrix], unit


def _signed(text: str) -> str:
    return "0.00" if text == "-0.00" else "0" if text == "-0" else minus(text)


def _added(terms: Iterable[str]) -> list[str]:
    """The texts as parts of a sum: a negative term is taken away."""
    first, *others = terms
    return [first, *(f" − {term[1:]}" if term.startswith("−") else f" + {term}" for term in others)]


def _vector(texts: Iterable[str]) -> str:
    return f"[{', '.join(texts)}]"


def _flowing(rows: Sequence[Sequence[str]], fate: str) -> str:
    """What becomes of the gradients of the outputs, for those who do not see them; of a single one nothing special."""
    named = [f"{_vector(row)} of y[{output}]" for output, row in enumerate(rows)]
    if len(rows) == 1:
        return f"The gradient {named[0]} reaches x and comes back as it is."
    return f"The gradients {listed(named)} {fate}."
