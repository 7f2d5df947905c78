"""A derivative tally, and derivatives at one x, as tables to read."""

from math import isfinite

import pandas as pd
import torch

from lib.derivative.explanation import Explanation
from lib.derivative.tally import DerivativeTally, SeriesTally
from lib.derivative.unsafe import Components, Unsafe
from lib.floats.exact_floats import shortest
from lib.floats.quantities import UNKNOWN, hexadecimal, minus, percent, significant


def comparison(tally: DerivativeTally, dtype: torch.dtype) -> pd.DataFrame:
    """Return a row for autograd and for each formula; errors are in ulps."""

    def row(name: str, series: SeriesTally) -> dict[str, str]:
        worst = series.worst.largest
        return {
            "derivative": name,
            "equal to autograd": percent(series.equal, tally.existing),
            "correctly rounded": percent(series.correct, tally.existing),
            "mean error": UNKNOWN if series.mean is None else significant(series.mean),
            "largest error": significant(worst.value) if worst.place else UNKNOWN,
            "at x": shortest(worst.place.x, dtype) if worst.place else UNKNOWN,
            "0, infinite, NaN or finite by mistake": f"{series.lost:,}",
        }

    return pd.DataFrame(row(name, series) for name, series in tally.series.tallies.items())


def explained(explanation: Explanation) -> pd.DataFrame:
    """Return a row for the exact derivative at one x and for each computed one.

    A computed value is written in decimal and in hexadecimal digits, with the number of floats
    that it is off.
    """
    exact = explanation.exact
    rows = [{"derivative": "exact", "value": exact.text if exact.exists else UNKNOWN}]
    for name, value in explanation.computed.items():
        steps = explanation.steps(name)
        correct = "✓" if value == exact.nearest else "✗"
        rows.append(
            {
                "derivative": name,
                "value": shortest(value, getattr(torch, explanation.dtype)),
                "hexadecimal": hexadecimal(value),
                "floats off": significant(steps) if isfinite(steps) else UNKNOWN,
                "correctly rounded": correct if exact.exists else UNKNOWN,
            }
        )
    return pd.DataFrame(rows).fillna(UNKNOWN)


def unsafe(row: Unsafe, computed: tuple[Components, Components]) -> pd.DataFrame:
    """Return the gradients of an unsafe and of a safe spelling beside the exact one.

    Args:
        row: the two spellings.
        computed: the gradients that PyTorch gives for them here.
    """

    def vector(values: Components) -> str:
        texts = [value if isinstance(value, str) else minus(f"{value:.7g}") for value in values]
        return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"

    gradients = {"unsafe": computed[0], "instead": computed[1], "exact": row.exact}
    rows = [(spelling, vector(gradient)) for spelling, gradient in gradients.items()]
    return pd.DataFrame(rows, columns=["spelling", f"gradient in float32 at x = {vector(row.x)}"])
