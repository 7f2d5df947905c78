"""How the claim and the histogram settle: what they were after the first few samples of an experiment."""

from dataclasses import replace
from typing import Any, cast

from lib.discrepancy.frequencies import frequencies, shares
from lib.discrepancy.sentences import HEADLINE, Facts
from lib.discrepancy.study import Discrepancy, DiscrepancyTally
from lib.experiment.query import Experiment
from lib.floats.sentences import said
from lib.run.stream import Stream

STAGES = 1, 2, 5, 10, 20, 50, 100, 200
MOST_SAMPLES = 10_000
"""An experiment of more samples runs for so long that it can be watched itself."""


def growth(experiment: Experiment, names: tuple[str, str]) -> list[dict[str, Any]]:
    """Return the stages of a picture of the experiment's first samples, for JSON: a tally of each is made anew."""
    if experiment.samples > MOST_SAMPLES:
        return []
    stages = []
    for samples in (stage for stage in STAGES if stage < experiment.samples):
        part = replace(experiment, samples=samples)
        tally = cast(DiscrepancyTally, Stream(Discrepancy(part)).finish())
        drawn = frequencies(tally, names, None)
        stage = {key: drawn[key] for key in ("heading", "top", "lines")}
        equal = next(bar["above"] for bar in drawn["bars"] if bar["key"] == 0)
        stages.append(stage | {"claim": said(HEADLINE, Facts.of(tally, part)), "equal": equal, "shares": shares(tally)})
    return stages
