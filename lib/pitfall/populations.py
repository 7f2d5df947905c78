"""The picture of two populations of errors on one axis: right rows are off by their rounding, the single call by the
other rows.

The end of the axis depends on the largest distance among the first samples, and its length on the dtype alone. So it
stays while samples arrive.
"""

from collections import Counter
from collections.abc import Sequence
from math import ceil, floor, log10
from typing import NamedTuple

import numpy as np

from lib.experiment.query import Experiment
from lib.floats.line import ZERO_BINADE
from lib.floats.quantities import percent, power_of_ten, size
from lib.pitfall.merging import drawings
from lib.pitfall.study import PitfallTally, octaves

_LABELLED = 4  # powers of ten from one label of the axis to the next
_OCTAVE = log10(2)


class Bar(NamedTuple):
    """The entries of one octave of errors, by its binade."""

    kind: str
    octave: int
    entries: int


def bars(tally: PitfallTally, experiment: Experiment) -> list[Bar]:
    """Return the bars of both populations, from the left; with one output, where both are the same, of one."""
    shown = {"right": tally.right_errors} | ({} if experiment.outputs == 1 else {"single": tally.single_errors})
    merged = {kind: octaves(errors) for kind, errors in shown.items()}
    return [Bar(kind, *bar) for kind, of in merged.items() for bar in np.stack([of.keys, of.counts], 1).tolist()]


def picture(tally: PitfallTally, experiment: Experiment, ghost: tuple[str, Sequence[Bar]] | None = None) -> dict:
    """Return the data of the picture: `drawings` to choose from, and the `errors`, places along the axis from 0 to 1,
    heights as fractions of the tallest bar.

    `ghost` is the name of the experiment before, and its bars, for an outline on the same axis.
    """
    top, now = axis_end(tally), bars(tally, experiment)
    decades = decades_of(experiment)
    widths = " → ".join(map(str, experiment.widths))
    far = experiment.outputs > 1 and tally.wrong.total > 0
    called = {"right": "right rows", "single": "wrong rows" if far else "one call"}
    typical = dict(zip(called, tally.typical, strict=True))
    (right, _), (single, _) = tally.typical
    names = [
        {
            "kind": kind,
            "at": _place(log10(typical[kind][0]), top, decades) if typical[kind][0] else 0.0,
            "lines": [called[kind], f"median {size(*typical[kind])}"],
        }
        for kind in dict.fromkeys(bar.kind for bar in now)
    ]
    errors = {
        "about": f"{widths}: each entry against the exact one, {tally.right_errors.total:,} in all",
        "bars": _placed(now, top, decades, called),
        "ghost": _placed(ghost[1], top, decades, called) if ghost else [],
        "ghost_name": f"before: {ghost[0]}" if ghost else "",
        "wide": round(_OCTAVE / decades, 4),
        "names": names,
        "factor": f"about {size(single / right, 1)} times larger" if far and right else "",
        "ticks": _ticks(top, decades, any(bar.octave == ZERO_BINADE for bar in now)),
    }
    return {"drawings": drawings(tally.first_sample, experiment), "errors": errors}


def decades_of(experiment: Experiment) -> int:
    """Return how many powers of ten the axis spans."""
    return 20 if experiment.dtype == "float64" else 14


def axis_end(tally: PitfallTally) -> int:
    """Return the power of ten at which the axis ends, one that has a label."""
    return _LABELLED * ceil(log10(tally.first.value) / _LABELLED) if tally.first.value else 0


def _placed(unplaced: Sequence[Bar], top: int, decades: int, called: dict[str, str]) -> list[dict]:
    """Bars on the axis, those beyond its ends in the last ones on it, and errors of 0 at its very beginning."""
    lowest, highest = ceil((top - decades) / _OCTAVE) + 2, floor(top / _OCTAVE) - 1
    counts: Counter[tuple[str, int]] = Counter()
    for kind, octave, entries in unplaced:
        counts[kind, octave if octave == ZERO_BINADE else min(max(octave, lowest), highest)] += entries
    tallest = max(counts.values(), default=1)
    totals = {kind: sum(count for (of, _), count in counts.items() if of == kind) for kind in called}
    return [
        {
            "kind": kind,
            "at": 0.0 if octave == ZERO_BINADE else _place(octave * _OCTAVE, top, decades),
            "tall": round(count / tallest, 4),
            "text": f"{called[kind]}, off by {_range(octave, lowest, highest)}: {percent(count, totals[kind])}",
        }
        for (kind, octave), count in counts.items()
    ]


def _range(octave: int, lowest: int, highest: int) -> str:
    if octave == ZERO_BINADE:
        return "0"
    low, high = size(2.0**octave), size(2.0 ** (octave + 1))
    return f"below {high}" if octave == lowest else f"{low} and above" if octave == highest else f"{low} to {high}"


def _ticks(top: int, decades: int, zero: bool) -> list[dict]:
    """The labels of the axis; at its beginning a zero, if there are errors of 0."""
    beginning = [{"at": 0.0, "text": "0"}] if zero else []
    exponents = range(_LABELLED * ceil((top - decades + 2 * zero) / _LABELLED), top + 1, _LABELLED)
    return beginning + [{"at": _place(e, top, decades), "text": power_of_ten(e) if e else "1"} for e in exponents]


def _place(exponent: float, top: int, decades: int) -> float:
    """The place of a power of ten on the axis, cut to its ends."""
    return round(min(max((exponent - top) / decades + 1, 0.0), 1.0), 4)
