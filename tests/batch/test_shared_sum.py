"""A sum is shown in two orders only if both have the same terms."""

from dataclasses import replace

import torch

from lib.batch.shared_sum import shared_sum
from lib.batch.stages import Origin, stages
from lib.experiment.query import Experiment
from lib.network import network, sampling


def test_a_sum_whose_terms_differ_is_not_shown_as_the_same():
    experiment = Experiment()
    net, x = network.build(experiment), sampling.block(experiment, 0)[0].clone()
    one = stages(net, x)
    origin = Origin("forward", 3, 0)
    hidden = one.forward[2].clone()
    unit = int(hidden.argmax())
    hidden[unit] = torch.nextafter(hidden[unit], torch.tensor(torch.inf))
    other = replace(one, forward=(*one.forward[:2], hidden, *one.forward[3:]))
    said = shared_sum(experiment, net, (one, other), origin, 1, 0)
    assert said == "The terms of this sum differ already, but they add up to the same."
