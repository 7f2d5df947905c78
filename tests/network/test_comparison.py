"""Ways to compute a gradient; those of the studies are compared with plain calls there."""

from lib.experiment.query import Experiment
from lib.network import comparison, network, sampling
from lib.network.comparison import Subject, by


def test_a_way_takes_the_options_of_the_experiment_and_splits_a_block():
    net, block = network.build(Experiment()), sampling.block(Experiment(), 0)[:7]
    short, long = (Subject(Experiment(step=step), net) for step in (-10, -5))
    difference = by("finite-difference")
    assert difference is by("finite-difference")
    assert not difference(short, block).equal(difference(long, block))
    sizes = []
    way = comparison.Way("y", lambda subject, x: sizes.append(x.shape) or x)
    assert comparison.alone(way)(short, block).equal(block)
    assert comparison.in_batches(way, 3)(short, block).equal(block)
    assert sizes == [(5,)] * 7 + [(3, 5), (3, 5), (1, 5)]
