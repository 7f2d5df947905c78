"""How many floats apart the two results of all components are, for a picture, and how that settles sample by sample."""

from dataclasses import replace
from typing import Any, cast

from lib.discrepancy.sentences import HEADLINE, facts
from lib.discrepancy.study import BARS, MOST_ULPS, Discrepancy, DiscrepancyTally
from lib.experiment.query import Experiment
from lib.floats.quantities import counted, minus, percent, share_axis
from lib.floats.sentences import said
from lib.run.stream import Stream
from lib.run.tally import Histogram

_LABELS = [f"≤ −{MOST_ULPS}", *(minus(str(ulps)) for ulps in BARS[1:-1]), f"≥ {MOST_ULPS}"]


Ghost = tuple[str, tuple[float, ...]]
"""The histogram of the experiment that was seen before: its name, and the share of each bar."""


def shares(tally: DiscrepancyTally) -> tuple[float, ...]:
    """Return the share of the finite components that each bar counts, 0 if there are none."""
    return tuple(float(f"{count / max(tally.finite, 1):.5g}") for count in _counts(tally))


def frequencies(
    tally: DiscrepancyTally, names: tuple[str, str], ulps: int | None, ghost: Ghost | None = None
) -> dict[str, Any]:
    """Return the data of the picture; `names` are those of the two sides, `ulps` is the distance that is picked."""
    counts, parts = _counts(tally), shares(tally)
    equal = f"{percent(counts[MOST_ULPS], tally.finite)} are equal" if tally.finite else "None is finite"
    return {
        "heading": f"How often: {counted(tally.finite, 'component')}",
        "note": f"{equal}. The end bars hold {MOST_ULPS} and more. Pick a bar to see an example.",
        "label": f"How many floats apart: a bar for each distance, {equal}",
        "axis": f"{names[0]} − {names[1]}, in floats",
        **share_axis(max([*parts, *(ghost[1] if ghost else ())])),
        "picked": None if ulps is None else max(-MOST_ULPS, min(ulps, MOST_ULPS)),
        "keys": list(BARS),
        "labels": ["" if key % (MOST_ULPS // 2) else label for key, label in zip(BARS, _LABELS, strict=True)],
        "told": [
            f"{label} floats: {counted(count, 'component')}, {percent(count, tally.finite)}"
            for label, count in zip(_LABELS, counts, strict=True)
        ],
        "shares": list(parts),
        "ghost": {"name": f"before: {ghost[0]}", "shares": list(ghost[1])} if ghost else None,
    }


def _counts(tally: DiscrepancyTally) -> list[int]:
    bars = Histogram.of(tally.ulps.keys.clip(-MOST_ULPS, MOST_ULPS), tally.ulps.counts)
    return [bars[key] for key in BARS]


STAGES = 1, 2, 5, 10, 20, 50, 100, 200
MOST_SAMPLES, MOST_COST = 10_000, 500_000
"""An experiment of more samples or of a higher cost runs for so long that it is seen to grow, and one does not wait for
its stages to be measured anew."""


def growth(experiment: Experiment, names: tuple[str, str]) -> list[dict[str, Any]]:
    """Return the stages of a picture of the experiment's first samples, up to a quarter of them, for JSON.

    A tally of each is made anew, which takes half the time of the whole at most.
    """
    stages = []
    most = 0 if experiment.samples > MOST_SAMPLES or experiment.cost > MOST_COST else experiment.samples // 4
    for samples in (stage for stage in STAGES if stage <= most):
        part = replace(experiment, samples=samples)
        tally = cast(DiscrepancyTally, Stream(Discrepancy(part)).finish())
        drawn = frequencies(tally, names, None)
        stage = {key: drawn[key] for key in ("heading", "note", "top", "lines", "shares")}
        stages.append(stage | {"claim": said(HEADLINE, facts(tally, part))})
    return stages
