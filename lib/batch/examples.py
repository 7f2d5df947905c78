"""Which component to show: the first worth looking at, and the next that changes.

Both are pure functions of the experiment, whatever a run has measured so far, and look at a bounded number of samples.
"""

from functools import lru_cache

import torch

from lib.batch.evaluated import EVALUATED, QUANTITIES
from lib.batch.example import Example, Place, example
from lib.batch.origins import Origin
from lib.batch.study import block
from lib.experiment.query import Experiment
from lib.network import network
from lib.network.comparison import Subject
from lib.network.machine import matmul_flags

_SEARCHED = 768  # samples
_MOST_COST = 2**28  # multiplications of a search, which is a second or less
_ENOUGH = 256  # changed components
_MOST_TRIED, _NEAR = 12, 3


def first_example(experiment: Experiment, size: int) -> Place:
    """Return the component to show first in batches of this size, among the first samples.

    It is one that changes by at most three floats since a sum comes out otherwise, if there is one: that sum alone
    rather than among others, and the component's own rather than that of a hidden unit. Else it is the first that
    changes, else the first output of all.
    """
    changed = _changed(experiment, size)
    tried = [found for found in (example(experiment, place) for place in changed[:_MOST_TRIED]) if _follows(found)]
    if tried:
        return max(tried, key=lambda found: (found.effect == "all", _is_own(experiment, found))).place
    return changed[0] if changed else Place(size, 0, "output", 0)


def another(experiment: Experiment, place: Place) -> Place:
    """Return the next component that changes, among the first samples, or the same one if there is no other."""
    changed = _changed(experiment, place.size)
    return next((one for one in changed if _order(one) > _order(place)), changed[0] if changed else place)


def _follows(found: Example) -> bool:
    """Whether a component changes by few floats, since a sum that can be shown comes out otherwise."""
    return found.sum is not None and found.step == "sum" and bool(found.effect) and 0 < (found.ulps or 0) <= _NEAR


def _is_own(experiment: Experiment, found: Example) -> bool:
    """Whether the two diverge in the sum of the component itself."""
    place, last = found.place, 2 * len(experiment.activations) - 2
    own = {"output": Origin("forward", last, place.component), "gradient": Origin("backward", 0, place.component)}
    return found.origin == own[place.quantity]


def _order(place: Place) -> tuple[int, int, int]:
    return place.sample, QUANTITIES.index(place.quantity), place.component


@lru_cache(maxsize=32)
def _changed(experiment: Experiment, size: int) -> tuple[Place, ...]:
    """Return components of the first samples that change, by sample, outputs before the gradient."""
    net, samples = network.build(experiment), block(experiment, 0)
    most = min(_SEARCHED, len(samples), experiment.samples, max(_MOST_COST // experiment.cost, size))
    subject, way = Subject(experiment, net), EVALUATED[experiment.gradient]
    found: list[Place] = []
    with matmul_flags(experiment):
        for start in range(0, min(most, len(samples) // size * size), size):
            batch = samples[start : start + size]
            one, other = torch.stack([way(subject, x.clone()) for x in batch]), way(subject, batch.clone())
            apart = (one != other) & ~(one.isnan() & other.isnan())
            for row, column in apart.nonzero().tolist():
                gradient = column >= experiment.outputs
                component = column - gradient * experiment.outputs
                found.append(Place(size, start + row, QUANTITIES[gradient], component))
            if len(found) >= _ENOUGH:
                break
    return tuple(place for place in found if place.sample < experiment.samples)
