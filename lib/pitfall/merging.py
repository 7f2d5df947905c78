"""One sample as a drawing of the paths that merge: what flows back from each output to x.

In one call all paths end in the one x, which has room for one gradient: their sum. With one call
per row, each output has x to itself.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import floor, isfinite, log10
from typing import NamedTuple, TypedDict

from lib.experiment.query import Experiment
from lib.floats.quantities import listed, minus, power_of_ten
from lib.pitfall.fixes import EXAMPLE_X, example_matrices
from lib.pitfall.study import Pitfall

MOST_DRAWN_INPUTS = 5
MOST_DRAWN_OUTPUTS = 6
"""The most inputs and outputs of a network whose matrices are drawn with numbers."""

FURTHEST = 9
"""The small example can be drawn at whole numbers up to this far from 0."""

Matrix = list[list[float]]
Texts = list[list[str]]


class BothWays(NamedTuple):
    """The right rows of one sample and the matrix of its single call, shape (outputs, inputs)."""

    rows: Matrix
    single: Matrix


def first_sample(experiment: Experiment) -> BothWays | None:
    """Return both matrices of the first sample, None if they are too large to be drawn.

    The rows are those of the code in the drawing, whatever the method of the experiment.
    """
    if experiment.outputs > MOST_DRAWN_OUTPUTS or experiment.inputs > MOST_DRAWN_INPUTS:
        return None
    shown = replace(experiment, method="rows", evaluation="per-sample")
    # A deadline in the past: only one sample is measured.
    matrices = Pitfall(shown).measure(0, deadline=0.0)
    return BothWays(matrices.rows[0].tolist(), matrices.single[0].tolist())


class Way(TypedDict):
    """A way to ask for the rows: its name, its code, the name of x, and what comes back.

    `highlights` has a text for each output, which is shown while the output is highlighted. `label`
    says what the drawing shows.
    """

    way: str
    code: str
    leaf: str
    matrix: Texts
    highlights: list[str]
    label: str


class Merging(TypedDict):
    """What `static/flows.js` draws of one sample.

    `sizes` has the sum of the finite absolute values of each right row, and `total` that of the
    first row of the single call, all divided by the largest of these sums. `sums` has a list for
    each input: its terms, and then the result. `x` is the point, empty if the visitor cannot choose
    it.
    """

    name: str
    about: str
    x: list[int]
    outputs: list[str]
    sizes: list[float]
    total: float
    merges: bool
    sums: Texts
    wrong: Way
    right: Way


class PitfallDrawing(TypedDict):
    """What `static/pitfall.js` draws: the drawings to choose from, and how far x may be from 0."""

    drawings: list[Merging]
    furthest: int


def drawings(
    both: BothWays | None, experiment: Experiment, point: tuple[int, int] = EXAMPLE_X
) -> PitfallDrawing:
    """Return the drawings to choose from.

    Args:
        both: the matrices of the experiment's first sample, None not to draw them.
        experiment: with one output, the example has one as well.
        point: the x of the small example.
    """
    example = BothWays(**example_matrices(point))
    outputs = ["2·x[0]", "2·x[1]", "4·x[0]²", "4·x[1]²"]
    if experiment.outputs == 1:
        example = BothWays(example.rows[:1], example.rows[:1])
        outputs = outputs[:1]
    merging = [_drawing("A small example", f"y = [{', '.join(outputs)}]", example, point)]
    if both:
        widths = " → ".join(map(str, experiment.widths))
        merging.append(_drawing("The network", f"y = net(x): {widths}", both))
    return {"drawings": merging, "furthest": FURTHEST}


def _drawing(name: str, about: str, both: BothWays, x: Sequence[int] = ()) -> Merging:
    texts, unit = _texts([*both.rows, *both.single])
    count = len(both.rows)
    rows = texts[:count]
    single = texts[count:]
    outputs = [f"y[{output}]" for output in range(count)]
    vectors = [_vector(row) for row in rows]
    by_output = list(zip(outputs, vectors, strict=True))
    sizes = [sum(filter(isfinite, map(abs, row))) for row in (*both.rows, both.single[0])]
    *shares, total = [size / (max(sizes) or 1.0) for size in sizes]
    merges = count > 1
    equals = "≈" if unit else "="
    sums = [
        [*_added(column), f" {equals} {result}"]
        for column, result in zip(zip(*rows, strict=True), single[0], strict=True)
    ]
    return {
        "name": name,
        "about": f"{about}; {unit}" if unit else about,
        "x": list(x),
        "outputs": outputs,
        "sizes": shares,
        "total": total,
        "merges": merges,
        "sums": sums if merges else [],
        "wrong": {
            "way": "Wrong: one call" if merges else "One call",
            "code": f"torch.stack(grad([{', '.join(outputs)}], [{', '.join(['x'] * count)}]))",
            "leaf": "x, shared by all",
            "matrix": single,
            "highlights": [f"{y} adds {row} to every row" for y, row in by_output],
            "label": f"One call returns {listed(map(_vector, single))}.",
        },
        "right": {
            "way": "Right: one call per row" if merges else "One call per row",
            "code": f"torch.stack([grad(y[i], x, retain_graph=True)[0] for i in range({count})])",
            "leaf": "x, once per call",
            "matrix": rows,
            "highlights": [f"{y} fills its own row: {row}" for y, row in by_output],
            "label": f"One call per row returns {listed(vectors)}.",
        },
    }


def _texts(matrix: Matrix) -> tuple[Texts, str]:
    """Return the entries as short texts, and a note on them.

    Whole numbers below 1000 stay as they are, without a note. Else all entries are divided by one
    power of ten and rounded, and the note says so.
    """
    finite = [abs(value) for row in matrix for value in row if isfinite(value)]
    if all(value == round(value) < 1000 for value in finite):
        return [[_signed(f"{value:g}") for value in row] for row in matrix], ""
    # Not below −300: 10**-324 is 0.
    exponent = max(floor(log10(max(finite))), -300)
    unit = "rounded" if exponent == 0 else f"numbers × {power_of_ten(exponent)}, rounded"
    scale = 10.0**exponent
    return [[_signed(f"{value / scale:.2f}") for value in row] for row in matrix], unit


def _signed(text: str) -> str:
    return "0.00" if text == "-0.00" else "0" if text == "-0" else minus(text)


def _added(terms: Iterable[str]) -> list[str]:
    """Return texts as parts of a sum: a negative term is subtracted."""
    first, *others = terms
    return [first, *(f" − {term[1:]}" if term.startswith("−") else f" + {term}" for term in others)]


def _vector(texts: Iterable[str]) -> str:
    return f"[{', '.join(texts)}]"
