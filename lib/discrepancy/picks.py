"""Which component to show: the first, or the next in the same bar of the histogram.

The first and the next are pure functions of the experiment, whatever a run has measured so far, and
look at a bounded number of samples.
"""

from collections.abc import Iterator

import numpy as np

from lib.discrepancy.study import Discrepancy, bars_of
from lib.experiment.query import Experiment
from lib.network.sampling import block_size
from lib.reference.pair import Pair
from lib.replay.replay import refuse_missing
from lib.run.tally import Place

_FIRST_SAMPLES = 64
_MOST_SEARCHED = {"per-sample": 512, "batched": 2**16}
# Replaces the bar of a component that is passed over: no bar has this number.
_PASSED = 127
_MOST_COST = 2**28
"""The most multiplications of a search, which then takes a second or less."""


def first_component(experiment: Experiment) -> tuple[int, int]:
    """Return the sample and the component to show first, among the first samples.

    It is the first component whose two values are one float apart. If there is none, it is the
    first at the shortest distance above 0, else the first with equal values, else the first of all.
    """
    nearest = np.inf, 0, 0
    for gradients in measured(Discrepancy(experiment, judged=False), 0, _FIRST_SAMPLES):
        distances = gradients.ulps.astype(np.float64)
        # Equal values are the last choice.
        distances[distances == 0] = 2.0**64
        distances[~gradients.finite] = np.inf
        index, component = divmod(int(distances.argmin()), experiment.inputs)
        place = float(distances[index, component]), gradients.number + index, component
        nearest = min(nearest, place)
        if nearest[0] == 1:
            break
    return nearest[1:]


def next_component(experiment: Experiment, sample: int, component: int) -> tuple[int, int]:
    """Return the next component of the same bar of the histogram, in the order of the samples.

    If a bounded number of samples holds none, the search starts again at the first sample; if that
    finds none either, the component itself is returned. Components with an infinite value or
    NaN on either side have a bar of their own.

    Raises:
        ValueError: if the experiment has no such sample or component.
    """
    refuse_missing(experiment, sample, component)
    study = Discrepancy(experiment, judged=False)
    most = min(_MOST_SEARCHED[experiment.evaluation], max(_MOST_COST // experiment.cost, 1))
    bar = None
    for start in (sample, 0):
        for gradients in measured(study, start, most):
            bars = bars_of(gradients)
            if bar is None:
                bar = bars[0, component]
                bars[0, : component + 1] = _PASSED
            matches = bars == bar
            if matches.any():
                index, match = divmod(int(matches.argmax()), experiment.inputs)
                return gradients.number + index, match
    return sample, component


def sample_and_component(experiment: Experiment, place: Place) -> tuple[int, int]:
    """Return the numbers of the sample and of the component at a place of a tally."""
    return place.block * block_size(experiment) + place.index, place.component


def measured(study: Discrepancy, start: int, most: int) -> Iterator[Pair]:
    """Yield the gradients of `most` samples from the sample `start` on, or up to the last sample.

    Per sample, each yield has one sample. Batched, it has the rest of a block, and the last one may
    go beyond `most` samples.
    """
    stop = min(start + most, study.experiment.samples)
    while start < stop:
        gradients = study.measure(start, 0.0)
        yield gradients
        start += len(gradients)
