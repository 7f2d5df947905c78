"""A derivative tally, and derivatives at single points, as tables to read."""

import pandas as pd
import torch

from lib.derivative.explanation import Explanation
from lib.derivative.tally import DerivativeTally, SeriesTally
from lib.derivative.unsafe import Components, Unsafe
from lib.floats.line import shortest
from lib.floats.quantities import hexadecimal, minus, percent, significant
from lib.floats.tables import text_table


def comparison(tally: DerivativeTally, dtype: torch.dtype) -> pd.DataFrame:
    """Autograd and the formulas, one row each; errors are in ulps of the exact derivative."""

    def row(name: str, series: SeriesTally) -> dict[str, str | None]:
        worst = series.worst.largest
        return {
            "derivative": name,
            "equal to autograd": percent(series.equal.total, tally.exist),
            "correctly rounded": percent(series.correct.total, tally.exist),
            "mean error": None if series.mean is None else significant(series.mean),
            "largest error": significant(worst.value) if worst.place else None,
            "at x": shortest(worst.place.x, dtype) if worst.place else None,
            "infinite or NaN by mistake": f"{series.nonfinite:,}",
            "0 by mistake": f"{series.zero.total:,}",
        }

    return text_table(row(*one) for one in tally.series.tallies.items())


def explained(explanation: Explanation, dtype: torch.dtype) -> pd.DataFrame:
    """The exact derivative at one x, and the computed ones, one row each: the value in decimal and
    hexadecimal digits, and how many floats it is off."""
    exact = {"derivative": "exact", "value": explanation.exact}
    return text_table(
        [exact]
        + [
            {
                "derivative": name,
                "value": shortest(one.value, dtype),
                "hexadecimal": hexadecimal(one.value),
                "floats off": None if one.steps is None else significant(one.steps),
                "correctly rounded": None
                if explanation.nearest is None
                else "✗✓"[one.value == explanation.nearest],
            }
            for name, one in explanation.computed.items()
        ]
    )


def unsafe(row: Unsafe, found: tuple[Components, Components]) -> pd.DataFrame:
    """The gradients of an unsafe and of a safe spelling, as PyTorch gives them here, beside what is right."""

    def vector(values: Components) -> str:
        texts = ["none" if value is None else minus(f"{value:.7g}") for value in values]
        return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"

    first, second = found
    rows = [("unsafe", vector(first)), ("instead", vector(second)), ("exact", vector(row.right))]
    rows += [("unsafe, in PyTorch 2.13 elsewhere", vector(row.gives))]
    return text_table(rows, ["spelling", f"gradient in float32 at x = {vector(row.x)}"])
