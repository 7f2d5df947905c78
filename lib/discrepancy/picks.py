"""Which component to show: the first worth looking at, the next of the same distance, and the worst
so far.

The first and the next are pure functions of the experiment, whatever a run has measured so far, and
look at a bounded number of samples.
"""

from collections.abc import Callable, Iterator

import numpy as np

from lib.discrepancy.study import DiscrepancyTally, bars_of
from lib.experiment.query import Experiment
from lib.network.comparison import BY_METHOD, PLAIN
from lib.network.sampling import block_size
from lib.reference.compared import Comparisons, Gradients, Variant
from lib.replay.replay import refuse_missing
from lib.run.tally import Extreme, Place

WORST: dict[str, Callable[[DiscrepancyTally], Extreme[Place]]] = {
    "difference": lambda tally: tally.max_abs,
    "ulps": lambda tally: tally.max_ulps,
    "rounding units": lambda tally: tally.verdict.max_units,
}
"""What a component can be the worst by."""

_FIRST_SAMPLES = 64
_MOST_SEARCHED = {"per-sample": 512, "batched": 2**16}
_MOST_COST = 2**28  # multiplications of a search, which is a second or less


def first_component(experiment: Experiment) -> tuple[int, int]:
    """Return the sample and the component to show first, among the first samples.

    It is the first component whose two values are one float apart, else the first at the shortest
    distance, else the first that is finite on both sides, else the first of all.
    """
    best = np.inf, 0, 0
    for gradients in _measured(_study(experiment), 0, _FIRST_SAMPLES):
        far = np.where(
            gradients.ulps == 0, np.float64(2**64), gradients.ulps
        )  # equal ones are the last choice
        far[~gradients.finite] = np.inf
        ahead, found = divmod(int(far.argmin()), far.shape[1])
        best = min(best, (float(far[ahead, found]), gradients.number + ahead, found))
        if best[0] == 1:
            break
    return best[1:]


def next_component(experiment: Experiment, sample: int, component: int) -> tuple[int, int]:
    """Return the next component of the same bar of the histogram of distances, in the order of the
    samples.

    If a bounded number of samples holds none, the search starts again at the first sample; if that
    finds none either, the component itself is returned. Components that are not finite on both
    sides have a bar of their own. Raise `ValueError` if the experiment has no such sample or
    component.
    """
    refuse_missing(experiment, sample, component)
    study = _study(experiment)
    most = min(_MOST_SEARCHED[experiment.evaluation], max(_MOST_COST // experiment.cost, 1))
    wanted = None
    for start in (sample, 0):
        for gradients in _measured(study, start, most):
            bars = bars_of(gradients)
            alike = bars == (bars[0, component] if wanted is None else wanted)
            if wanted is None:
                wanted = bars[0, component]
                alike[0, : component + 1] = False
            if alike.any():
                ahead, found = divmod(int(alike.argmax()), experiment.inputs)
                return gradients.number + ahead, found
    return sample, component


def sample_and_component(experiment: Experiment, place: Place) -> tuple[int, int]:
    """Return the numbers of the sample and of the component at a place of the experiment's
    tally."""
    return place.block * block_size(experiment) + place.index, place.component


def _study(experiment: Experiment) -> Comparisons:
    return Comparisons(Variant(experiment, {PLAIN: BY_METHOD}))


def _measured(study: Comparisons, start: int, most: int) -> Iterator[Gradients]:
    """Yield the gradients of at most `most` samples from `start` on: one by one per sample, else by
    blocks."""
    stop = min(start + most, study.experiment.samples)
    while start < stop:
        gradients = study.measure(start, 0.0).under(PLAIN)
        yield gradients
        start += len(gradients)
