"""The tables behind the charts of each study: tidy, one row per mark, with every column explained here."""

from dataclasses import dataclass

_SHARE = "as a part of all {}"
_LAST = "; the last row of a series repeats the one before it, which closes the line"


@dataclass(frozen=True)
class Plot:
    """A chart: its title on the page, and the meaning of each column of its table."""

    title: str
    columns: dict[str, str]


DISCREPANCY = {
    "closer": Plot(
        "Who is closer?",
        {
            "verdict": "which gradient is closer to the exact one",
            "components": "how many there are",
            "share": _SHARE.format("components with a verdict"),
        },
    ),
    "units": Plot(
        "How far off are both, and how far apart?",
        {
            "series": "what is measured",
            "x": "log2 of its size in rounding units, lower end of the step; −10 stands for zero" + _LAST,
            "size": "the size in words",
            "share": _SHARE.format("components with a reference"),
        },
    ),
}

PITFALL = {
    "populations": Plot(
        "How far off, and from what?",
        {
            "x": "log10 of the distance, lower end of the column; the first column holds the zeros",
            "x2": "its upper end",
            "kind": "what an entry of the single call is held against",
            "error": "the distance in words",
            "entries": "how many there are",
            "share": _SHARE.format("finite entries"),
        },
    )
}

DERIVATIVE = {
    "errors": Plot(
        "How far from the exact derivative?",
        {
            "series": "autograd or a formula",
            "x": "the error in ulps of the exact derivative, lower end of the step" + _LAST,
            "ulps": "the error in words",
            "share": _SHARE.format("x with a finite value"),
        },
    ),
    "by_x": Plot(
        "At which x?",
        {
            "series": "autograd or a formula",
            "x": "the middle of the bin, from 0 at the left end of the axis to 1 at its right end",
            "mean": "log2(1 + the mean error in ulps)",
            "error": "the mean error in ulps",
            "correct": "the share of x there that is correctly rounded",
            "range": "the x of the bin",
        },
    ),
}

BATCH = {
    "staircase": Plot(
        "How much changes in a batch?",
        {
            "batch": "samples in the batch",
            "quantity": "outputs or gradient",
            "components": "how many were compared",
            "changed": "how many of them are not equal to those of the sample alone",
            "share": _SHARE.format("of those"),
            "max_ulps": "the largest distance in ulps",
        },
    )
}

PLOTS = DISCREPANCY | PITFALL | BATCH | DERIVATIVE
"""All charts in the order of the page, by the names of their tables."""
