"""A search for a discrepancy above its bound: `python -m tests.stress SECONDS [--seed SEED]`.

It draws experiments for which `bounds` proves a bound, of any shape, activation, dtype, method and evaluation, scales
their weights and inputs, puts pre-activations where slopes vanish or saturate, and compares every discrepancy with the
bound. At the end it prints, for each activation, dtype, evaluation and method, how many components were searched and
the largest share of the bound that a discrepancy took. A component above its bound is printed with the case, and makes
the exit code 1. The same seed gives the same cases in the same order."""

import argparse
import random
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from time import monotonic

import numpy as np
import torch

from lib.experiment.choices import ACTIVATIONS, DISTRIBUTIONS, DTYPES, OUTPUT_ACTIVATIONS
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment, QueryError
from lib.floats.line import to_float64
from lib.network import network, sampling
from lib.network.jacobians import backward_and_saved, summed_jacobian
from lib.network.machine import use_one_thread
from lib.reference import bounds

ZEROS = (-0.7517915246935645, -1.2784645427610738, 0.0, 20.0)
"""Where the slopes of GELU and SiLU vanish, where ReLU has its kink, and where softplus takes another branch."""


@dataclass(frozen=True)
class Case:
    """An experiment, whose weights and inputs are multiplied by powers of two, and whose biases may be all the same."""

    experiment: Experiment
    weights: int = 0
    inputs: int = 0
    bias: float | None = None
    block: int = 0

    def __str__(self) -> str:
        changed = {
            name: getattr(self, name)
            for name in ("weights", "inputs", "bias", "block")
            if getattr(self, name)
        }
        return f"{self.experiment.query or 'the post'} {changed or ''}".rstrip()

    def network(self) -> torch.nn.Sequential:
        net = network.build(self.experiment)
        for layer in net[::2]:
            layer.weight.mul_(2.0**self.weights)
            if self.bias is not None:
                layer.bias.fill_(self.bias)
        return net

    def samples(self) -> torch.Tensor:
        """The block of the experiment, or its first samples where they are evaluated one by one, scaled."""
        block = sampling.block(self.experiment, self.block) * 2.0**self.inputs
        return block if self.experiment.evaluation == "batched" else block[:16]


@dataclass
class Found:
    """What a search found: components, and the largest of their discrepancies as a share of the bound."""

    components: int = 0
    share: float = 0.0

    def __iadd__(self, other: "Found") -> "Found":
        self.components += other.components
        self.share = max(self.share, other.share)
        return self


def search(
    case: Case, x: torch.Tensor | None = None, net: torch.nn.Sequential | None = None
) -> Found:
    """The discrepancies of a case by their bound, at its own samples or at x, shape (samples, inputs), of its own
    network or of another."""
    net, samples = net or case.network(), case.samples() if x is None else x
    alone = case.experiment.evaluation == "per-sample"
    measured = [
        (*backward_and_saved(net, part), summed_jacobian(case.experiment.method, net, part))
        for part in (samples if alone else [samples])
    ]
    width = sum(case.experiment.widths[1:])
    backward, saved, jacobian = (
        torch.cat([torch.atleast_2d(row) for row in part]) for part in zip(*measured, strict=True)
    )
    with np.errstate(invalid="ignore", over="ignore"):
        off = np.abs(to_float64(backward) - to_float64(jacobian))
    yardstick = bounds.GradientYardstick(net, case.experiment)
    units = off / yardstick.units_of(yardstick.path_sums(saved.reshape(-1, width)))
    units = units[np.isfinite(off)]
    return Found(units.size, float((units / bounds.bound_units(case.experiment)).max(initial=0.0)))


def draw(rng: random.Random) -> Case:
    """A case for which there is a bound."""
    methods = [name for name, method in METHODS.items() if method.bounded]
    while True:  # more often small networks with many inputs, of which most components can be searched in a second
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
            continue
        if bounds.bound_units(experiment) is not None:
            break
    scaled = rng.random() < 0.5
    return Case(
        experiment,
        weights=rng.choice([-12, -4, -1, 1, 2, 4]) if scaled else 0,
        inputs=rng.choice([-20, -6, -2, 1, 3, 6]) if scaled else 0,
        bias=rng.choice([None, *ZEROS]) if scaled else None,
        block=rng.randrange(1000),
    )


@dataclass
class Search:
    """A search through cases: what was found for each activation, dtype, evaluation and method, and what broke the
    bound."""

    found: defaultdict[tuple[str, ...], Found] = field(default_factory=lambda: defaultdict(Found))
    broken: list[tuple[Case, float]] = field(default_factory=list)

    def through(self, cases: Iterable[Case]) -> None:
        for case in cases:
            experiment, found = case.experiment, search(case)
            inner = experiment.activation if experiment.hidden else experiment.output_activation
            for name in {inner, experiment.output_activation}:
                key = (name, experiment.dtype, experiment.evaluation, experiment.method)
                self.found[key] += replace(found)
            self.found["all",] += found
            if found.share > 1:
                self.broken.append((case, found.share))
                print(f"ABOVE THE BOUND, {found.share:.3g} times: {case}", flush=True)

    def report(self) -> str:
        head = f"{'activation':12} {'dtype':9} {'evaluation':11} {'method':22} {'components':>14} {'share':>7}"
        lines = [
            f"{' '.join(f'{part:{width}}' for part, width in zip(key, (12, 9, 11, 22), strict=False)):57} "
            f"{found.components:14,} {found.share:7.3f}"
            for key, found in sorted(self.found.items())
        ]
        return "\n".join([head, *lines, f"{len(self.broken)} cases are above the bound"])


def main() -> int:
    use_one_thread()
    parser = argparse.ArgumentParser(
        prog="python -m tests.stress", description=__doc__.split("\n")[0]
    )
    parser.add_argument("seconds", type=float, help="how long to search")
    parser.add_argument("--seed", type=int, default=0, help="of the cases")
    options = parser.parse_args()
    rng, search_, end = random.Random(options.seed), Search(), monotonic() + options.seconds
    while monotonic() < end:
        search_.through([draw(rng)])
    print(search_.report())
    return 1 if search_.broken else 0


if __name__ == "__main__":
    sys.exit(main())
