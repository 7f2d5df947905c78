"""A sum is traced with the terms of its own side."""

from dataclasses import replace
from fractions import Fraction

import torch

from lib.batch.origins import Origin
from lib.batch.shared_sum import SharedSum, shared_sum
from lib.batch.stages import Stages, stages
from lib.experiment.query import Experiment
from lib.network import network, sampling
from tests.known_orders import known


def test_each_side_has_its_own_terms():
    experiment = Experiment()
    net, x = network.build(experiment), sampling.block(experiment, 0)[0].clone()
    alone = stages(net, x)
    hidden = alone.forward[2].clone()
    unit = int(hidden.argmax())
    hidden[unit] = torch.nextafter(hidden[unit], torch.tensor(torch.inf))
    batch = with_hidden(alone, hidden, net[2](hidden[None])[0].detach())
    origin = Origin("forward", 3, 0)  # the activation after the sum
    same = with_hidden(alone, alone.forward[2], net[2](alone.forward[2][None])[0].detach())
    found, of_same = (shared_sum(experiment, net, (alone, side), origin, 1, 0) for side in (batch, same))
    known(isinstance(found, SharedSum), str(found))
    assert of_same.of_same_terms and not found.of_same_terms
    for traced, inputs in (found.alone, alone.forward[2]), (found.batch, hidden):
        factors = list(zip(net[2].weight[0].tolist(), inputs.tolist(), strict=True))
        assert [(term.left, term.right) for term in traced.terms[:-1]] == factors
        exact = sum(Fraction(w) * Fraction(h) for w, h in factors)
        assert traced.exact == exact + Fraction(net[2].bias[0].item())
    assert found.alone.result == alone.forward[3][0] and found.batch.result == batch.forward[3][0]


def with_hidden(side: Stages, hidden: torch.Tensor, sums: torch.Tensor) -> Stages:
    return replace(side, forward=(*side.forward[:2], hidden, sums, *side.forward[4:]))
