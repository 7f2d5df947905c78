"""Which component to show: the first worth looking at, and the next that changes.

Both search a bounded number of samples. They do not depend on what the run has measured so far.
"""

from functools import lru_cache

from lib.batch.arrangements import PASSES, Pick, block, widths
from lib.batch.example import example
from lib.experiment.query import Experiment
from lib.network import network
from lib.network.comparison import Subject, alone
from lib.network.machine import matmul_flags

_SEARCHED = 768
"""The most samples that are searched."""
_MOST_COST = 2**28
"""A search ends with the batch in which it reaches this many multiplications."""
_ENOUGH = 256
"""A search ends as soon as it has found this many changed components."""
_MOST_TRIED = 12
"""How many of these are tried as the first example."""
_NEAR = 3
"""How many floats apart the results of the first example may be, so that its line shows each."""


def first_example(experiment: Experiment, size: int) -> Pick:
    """Return the component to show first in batches of this size, among the first samples.

    It is the first that changes because of a sum that can be shown, with results a few floats
    apart; else the first that changes; else the first output.
    """
    changed = _changed(experiment, size)
    for pick in changed[:_MOST_TRIED]:
        tried = example(experiment, pick)
        if tried.orders and 0 < (tried.shown.floats or 0) <= _NEAR:
            return pick
    return changed[0] if changed else Pick(size, 0, "output", 0)


def next_pick(experiment: Experiment, pick: Pick) -> Pick:
    """Return the first component that changes in the next sample with a change.

    After the last sample that is searched, start again at the first. If nothing changes, return
    `pick`. The other components of a sample are skipped: most of them change because of the same
    sum.
    """
    changed = _changed(experiment, pick.size)
    first = changed[0] if changed else pick
    return next((later for later in changed if later.sample > pick.sample), first)


@lru_cache(maxsize=32)
def _changed(experiment: Experiment, size: int) -> tuple[Pick, ...]:
    """Return the components that change, of the first samples: by sample, outputs first."""
    net = network.build(experiment)
    samples = block(experiment, 0)
    most = min(_SEARCHED, experiment.samples, max(_MOST_COST // experiment.cost, size))
    subject = Subject(experiment, net)
    way = PASSES[experiment.gradient]
    columns = []
    for quantity, width in widths(experiment).items():
        columns += [(quantity, component) for component in range(width)]
    changed: list[Pick] = []
    with matmul_flags(experiment):
        for start in range(0, min(most, len(samples) // size * size), size):
            batch = samples[start : start + size]
            first = alone(way)(subject, batch)
            second = way(subject, batch.clone())
            apart = (first != second) & ~(first.isnan() & second.isnan())
            changed += [
                Pick(size, start + row, *columns[column])
                for row, column in apart.nonzero().tolist()
                if start + row < experiment.samples
            ]
            if len(changed) >= _ENOUGH:
                break
    return tuple(changed)
