"""Which component to show: the first worth looking at, and the next that changes.

Both are pure functions of the experiment, whatever a run has measured so far, and look at a bounded number of samples.
"""

from dataclasses import replace
from functools import lru_cache

from lib.batch.arrangements import PASSES, Pick, block, is_compared, widths
from lib.batch.example import Example, example
from lib.experiment.query import Experiment
from lib.network import network
from lib.network.comparison import Subject, alone
from lib.network.machine import matmul_flags

_SEARCHED = 768  # samples
_MOST_COST = 2**28  # multiplications of a search, which is a second or less
_ENOUGH = 256  # changed components
_MOST_TRIED, _NEAR, _MANY = 12, 3, 5


def first_example(experiment: Experiment, size: int) -> Pick:
    """Return the component to show first in batches of this size, among the first samples.

    It is one that changes since a sum, which can be shown, ends up to three floats apart, the first with the most
    roundings up to five; else the first that changes, else the first output of all.
    """
    changed = _changed(experiment, size)
    tried = (example(experiment, place) for place in changed[:_MOST_TRIED])
    near = [found for found in tried if found.orders and 0 < (found.shown.floats or 0) <= _NEAR]
    if near:
        return max(near, key=roundings).place
    return changed[0] if changed else Pick(size, 0, "output", 0)


def roundings(found: Example) -> int:
    """Return how many partial sums are rounded in each order: in a few one sees best what becomes of them."""
    return min(_MANY, *(sum(map(bool, order.roundings)) for order in found.orders or ()))


def kept_example(experiment: Experiment, size: int, usual: int) -> Pick:
    """Return the component to show first in batches of this size: that of the usual size if it changes here, too, or if
    nothing can, so that another size shows the same sum in another order."""
    place = replace(first_example(experiment, usual), size=size)
    if size == 1 or is_compared(experiment, place) and example(experiment, place).shown.floats:
        return place
    return first_example(experiment, size)


def another(experiment: Experiment, place: Pick) -> Pick:
    """Return the first component that changes in a later sample, or the same one if there is no other.

    It is among the first samples. Within one, most components change because of the same sum.
    """
    changed = _changed(experiment, place.size)
    return next(
        (pick for pick in changed if pick.sample > place.sample), changed[0] if changed else place
    )


@lru_cache(maxsize=32)
def _changed(experiment: Experiment, size: int) -> tuple[Pick, ...]:
    """Return components of the first samples that change, by sample, outputs before the gradient."""
    net, samples = network.build(experiment), block(experiment, 0)
    most = min(_SEARCHED, experiment.samples, max(_MOST_COST // experiment.cost, size))
    subject, way = Subject(experiment, net), PASSES[experiment.gradient]
    columns = [
        (name, place) for name, width in widths(experiment).items() for place in range(width)
    ]
    found: list[Pick] = []
    with matmul_flags(experiment):
        for start in range(0, min(most, len(samples) // size * size), size):
            batch = samples[start : start + size]
            one, other = alone(way)(subject, batch), way(subject, batch.clone())
            apart = (one != other) & ~(one.isnan() & other.isnan())
            found += [
                Pick(size, start + row, *columns[column])
                for row, column in apart.nonzero().tolist()
            ]
            if len(found) >= _ENOUGH:
                break
    return tuple(place for place in found if place.sample < experiment.samples)
