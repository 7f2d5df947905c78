"""A search for a discrepancy above its bound: `python -m tests.stress SECONDS [--seed SEED]`.

It draws experiments for which `bounds` proves a bound, of any shape, activation, dtype, method and
evaluation. It scales weights and inputs, puts pre-activations where slopes vanish or saturate,
and compares every discrepancy with the bound. At the end it prints, for each activation, dtype,
evaluation and method, how many components were searched and the largest share of the bound that a
discrepancy took. A component above its bound is printed with the case, and makes the exit code 1.
The same seed gives the same cases in the same order.
"""

import argparse
import random
import sys
from collections import defaultdict
from dataclasses import dataclass
from time import monotonic

import numpy as np
import torch

from lib.experiment.choices import ACTIVATIONS, DISTRIBUTIONS, DTYPES, OUTPUT_ACTIVATIONS
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment, QueryError
from lib.floats.ulps import to_float64
from lib.network import network, sampling
from lib.network.jacobians import backward_and_saved, summed_jacobian
from lib.network.machine import use_one_thread
from lib.reference import bounds

ZEROS = (-0.7517915246935645, -1.2784645427610738, 0.0, 20.0)
"""Where slopes of GELU and SiLU vanish, ReLU has its kink, and softplus takes another branch."""


@dataclass(frozen=True)
class Case:
    """An experiment, with weights and inputs multiplied by powers of two.

    `bias` replaces all biases, if it is given.
    """

    experiment: Experiment
    weights: int = 0
    inputs: int = 0
    bias: float | None = None
    block: int = 0

    def network(self) -> torch.nn.Sequential:
        net = network.build(self.experiment)
        for layer in net[::2]:
            layer.weight.mul_(2.0**self.weights)
            if self.bias is not None:
                layer.bias.fill_(self.bias)
        return net

    def samples(self) -> torch.Tensor:
        """The block of the experiment, or its first samples if they are evaluated one by one."""
        block = sampling.block(self.experiment, self.block) * 2.0**self.inputs
        return block if self.experiment.evaluation == "batched" else block[:16]


@dataclass(frozen=True)
class Searched:
    """How many components were searched, and the largest discrepancy as a share of the bound."""

    components: int = 0
    share: float = 0.0

    def __add__(self, other: "Searched") -> "Searched":
        components = self.components + other.components
        return Searched(components, max(self.share, other.share))


def search(
    case: Case, x: torch.Tensor | None = None, net: torch.nn.Sequential | None = None
) -> Searched:
    """Compare the discrepancies of a case with their bound.

    Args:
        case: the case.
        x: samples, shape (samples, inputs); by default those of the case.
        net: a network; by default that of the case.
    """
    experiment = case.experiment
    net = net or case.network()
    x = case.samples() if x is None else x
    gradients, activations, jacobians = [], [], []
    for part in x if experiment.evaluation == "per-sample" else [x]:
        gradient, saved = backward_and_saved(net, part)
        gradients.append(torch.atleast_2d(gradient))
        activations.append(torch.atleast_2d(saved))
        jacobians.append(torch.atleast_2d(summed_jacobian(experiment.method, net, part)))
    with np.errstate(invalid="ignore", over="ignore"):
        first, second = to_float64(torch.cat(gradients)), to_float64(torch.cat(jacobians))
        distance = np.abs(first - second)
    yardstick = bounds.GradientYardstick(net, experiment)
    width = sum(experiment.widths[1:])
    sums = yardstick.path_sums(torch.cat(activations).reshape(-1, width))
    units = (distance / yardstick.units_of(sums))[np.isfinite(distance)]
    return Searched(units.size, float((units / bounds.bound_units(experiment)).max(initial=0.0)))


def draw(rng: random.Random) -> Case:
    """Draw a case for which there is a bound.

    Small networks with many inputs are more frequent: most of their components can be searched in
    a second.
    """
    methods = [name for name, method in METHODS.items() if method.bounded]
    depth = rng.choice([0, 0, 1, 1, 1, 1, 2, 3, 6])
    widest = rng.choice([2, 4, 12, 12, 12, 40, 256])
    try:
        experiment = Experiment(
            inputs=rng.choice([1, 2, 5, 8, 20, 64, 64, 64, 64]),
            hidden=tuple(rng.randint(1, widest) for _ in range(depth)),
            outputs=rng.choice([1, 2, 2, 2, 3, 3, 3, 5, 8, 17, 64]),
            activation=rng.choice([*ACTIVATIONS]),
            output_activation=rng.choice([*OUTPUT_ACTIVATIONS]),
            dtype=rng.choice([*DTYPES]),
            method=rng.choice(methods),
            evaluation="per-sample" if rng.random() < 0.2 else "batched",
            distribution=rng.choice([*DISTRIBUTIONS]),
            seed=rng.randrange(2**31),
        )
    except QueryError:  # a network that costs too much
        return draw(rng)
    if bounds.bound_units(experiment) is None:
        return draw(rng)
    block = rng.randrange(1000)
    if rng.random() < 0.5:
        return Case(experiment, block=block)
    weights = rng.choice([-12, -4, -1, 1, 2, 4])
    inputs = rng.choice([-20, -6, -2, 1, 3, 6])
    return Case(experiment, weights, inputs, rng.choice([None, *ZEROS]), block)


def main() -> int:
    use_one_thread()
    parser = argparse.ArgumentParser(prog="python -m tests.stress")
    parser.add_argument("seconds", type=float, help="how long to search")
    parser.add_argument("--seed", type=int, default=0, help="of the cases")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    end = monotonic() + options.seconds
    totals: defaultdict[str, Searched] = defaultdict(Searched)
    broken = 0
    while monotonic() < end:
        case = draw(rng)
        experiment = case.experiment
        searched = search(case)
        for name in {*experiment.activations}:
            key = f"{name} {experiment.dtype} {experiment.evaluation} {experiment.method}"
            totals[key] += searched
        totals["all"] += searched
        if searched.share > 1:
            broken += 1
            print(f"ABOVE THE BOUND, {searched.share:.3g} times: {case}", flush=True)
    for key, searched in sorted(totals.items()):
        print(f"{key:57} {searched.components:14,} components {searched.share:7.3f}")
    print(f"{broken} cases are above the bound")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
