"""The finite differences by step as tables: for the charts, small multiples by dtype, and to read."""

from dataclasses import dataclass
from math import log2, log10

import pandas as pd
import torch

from lib.display.quantities import step_text
from lib.display.tables import NUMBER, TEXT, text_table, typed
from lib.experiment.query import Experiment
from lib.network.jacobians import relative_step
from lib.variations.differences import DifferencesTally, StepTally, dtypes, steps

LOWEST_ERROR, HIGHEST_ERROR = -16, 2
"""The ends of the axis of errors, as powers of ten; the name of a line that goes lower is written just above the lower
end."""

_NAMED = {"x y": NUMBER, "name": TEXT}

GUIDES = {"truncation": "∝ h²", "rounding": "∝ u/h"}
"""The names of the lines of the two computed parts of the error, by their names in a `StepTally`."""


@dataclass(frozen=True)
class Best:
    """The step with the smallest error found in a dtype, None for eps^(1/3), and that error."""

    step: int | None
    error: float


def best(tally: DifferencesTally, experiment: Experiment, dtype: str) -> Best | None:
    """The step with the smallest error, the shortest of several; None if no error is known."""
    errors = [(step, tally.at(dtype, step).error) for step in steps(experiment, dtype)]
    return min((Best(step, error) for step, error in errors if error is not None), key=lambda b: b.error, default=None)


def digits(error: float) -> str:
    """How many decimal digits an error relative to the largest component leaves."""
    if error == 0:
        return "all"
    return f"{max(0.0, -log10(error)):.1f}"


def tables(tally: DifferencesTally, experiment: Experiment) -> dict[str, pd.DataFrame]:
    """All tables of each dtype, by the names that the charts use; x is a power of two, y a power of ten.

    "curve": x, y, step, error, digits (the last three as texts); an error of 0 does not fit on a log axis and has no
    row. "used", the step used: the same columns, at the upper end of the chart if its results were not finite.
    "guides": x and y at both ends, name. "names", of the guides: x, y, name.
    """
    return {
        table_name(dtype, kind): part
        for dtype in dtypes(experiment)
        for kind, part in _of_dtype(tally, experiment, dtype).items()
    }


def table_name(dtype: str, kind: str) -> str:
    """The name of a dtype's table of the "curve", the "used" step, the "guides" or their "names"."""
    return f"{dtype} steps {kind}"


def _of_dtype(tally: DifferencesTally, experiment: Experiment, dtype: str) -> dict[str, pd.DataFrame]:
    *powers, _ = steps(experiment, dtype)
    found = {step: tally.at(dtype, step) for step in powers}
    guides = _guides(found)
    return {
        "curve": _points(dtype, found),
        "used": _used(dtype, experiment.step, tally.at(dtype, experiment.step)),
        "guides": guides,
        "names": _names(guides),
    }


def _points(dtype: str, found: dict[int | None, StepTally]) -> pd.DataFrame:
    rows = [
        (log2(relative_step(getattr(torch, dtype), step)), log10(point.error), step_text(step), *_error(point.error))
        for step, point in found.items()
        if point.error
    ]
    return typed({"x y": NUMBER, "step error digits": TEXT}, rows)


def _used(dtype: str, step: int | None, point: StepTally) -> pd.DataFrame:
    """The step used, once its error is known; at the upper end of the chart if its results were not finite."""
    if point.samples and point.error is None:
        lost = _points(dtype, {step: StepTally.of((10.0**HIGHEST_ERROR, 0.0, 0.0))})
        return lost.assign(error="infinite or NaN", digits="none")
    return _points(dtype, {step: point})


def _guides(found: dict[int | None, StepTally]) -> pd.DataFrame:
    """Both ends of each line: the shortest and the longest step for which it is known."""
    rows = []
    for part, name in GUIDES.items():
        known = [(step, getattr(point, part)) for step, point in found.items() if getattr(point, part)]
        rows += [(step, log10(size), name) for step, size in known[:: max(1, len(known) - 1)]]
    return typed(_NAMED, rows)


def _names(guides: pd.DataFrame) -> pd.DataFrame:
    """The places of the names: at the lower end of each line, or where the line enters the chart."""
    rows = []
    for name, line in guides.groupby("name", sort=False):
        if len(line) == 2:
            low, high = line.sort_values("y").itertuples(index=False)
            y = max(low.y, LOWEST_ERROR + 1)
            rows.append((low.x + (high.x - low.x) * (y - low.y) / (high.y - low.y), y, name))
    return typed(_NAMED, rows)


def readable(tally: DifferencesTally, experiment: Experiment) -> pd.DataFrame:
    """A table to read with one row for each dtype: the best step, its error and digits, and the step used, with its
    error and digits. A dash stands for what is not known."""
    rows = []
    for dtype in dtypes(experiment):
        found, used = best(tally, experiment, dtype), tally.at(dtype, experiment.step).error
        of_best = [None] * 3 if found is None else [step_text(found.step), *_error(found.error)]
        of_used = [None] * 2 if used is None else _error(used)
        rows.append([dtype, *of_best, step_text(experiment.step), *of_used])
    head = ["dtype", "best step", "smallest error", "digits", "step used", "error with it", "digits with it"]
    return text_table(rows, head)


def _error(error: float) -> list[str]:
    return [f"{error:.1e}", digits(error)]
