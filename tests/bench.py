"""`python -m tests.bench`: measure speed and memory, and print each figure as JSON as it comes.

A figure `a_vs_b` is the speed of a, in samples per second, divided by the speed of b: 1 is as fast,
more is faster. A figure `a_of_b` is the time of a as a fraction of the time b; at most 1 is wanted.
Machines are shared and noisy, so a and b are measured in turn, in one process on one thread, and
the figure is the median of all rounds.

per_sample_vs_post  the per-sample study, and the post's loop, which counts nothing
batched_vs_bare     the batched study without its reference, and bare batches: backward and Jacobian
                    of whole batches, with nothing counted
judged_vs_bare      the batched study with its reference, and bare batches
derivative_vs_bare  the derivative study of 1/x in float32 with its reference in float64, and
                    autograd and the same formulas on random x with nothing compared
batch_vs_batched    the study of all ten batch sizes, and the batched study, both with their
                    reference
compare_vs_bare     here the *time* of `compare` divided by that of one backward() and one
                    Jacobian, for 64→256→16 with a batch of 8; at most 6 is wanted
replay_of_slice     one replay, of the slice of work between two updates of a chart
own_of_budget       the derivative study of a visitor's function of 99 parts at 2,000 x, each of
                    them certified by ball arithmetic, of 0.5 s
memory_growth_mb    growth of resident memory from 10**5 to 10**7 batched samples
ranks               the time of one process divided by that of two processes of torchrun; on two
                    cores 2 is best

The figures of the page are explained in tests/bench_page.py.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter
from urllib.parse import urlencode

import torch
from torch import Tensor, nn
from torch.autograd.functional import jacobian

from lib.batch.study import PIECE, Batch
from lib.derivative.formulas import derivatives_at
from lib.derivative.study import Derivative
from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.network import machine
from lib.network.sampling import POINTS
from lib.own import compare
from lib.replay.replay import replay
from lib.run.stream import Stream
from tests import bench_page
from tests.oracles import backward
from tests.server import ROOT

ROUNDS = 5
SLICE = 0.15  # seconds
RANKS_ROUNDS = 3


def post_network() -> nn.Sequential:
    return nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 2), nn.Sigmoid())


def bare_gradients(net: nn.Module, x: Tensor) -> None:
    """Backward and Jacobian once, as fast as plain PyTorch has them; nothing compared."""
    backward(net, x)
    jacobian(net, x).reshape(-1, *x.shape).sum(0)


def bare_batches(net: nn.Module, samples: int, size: int = 8192) -> None:
    """Backward and Jacobian of whole batches, as fast as in plain PyTorch, with nothing counted."""
    for _ in range(0, samples, size):
        x = torch.rand(size, 5)
        backward(net, x)
        jacobian(lambda batch: net(batch).sum(0), x).sum(0)


def study(of: type, query: str, **options: object) -> Callable[[int], object]:
    """A run of a study to its end, by the number of samples."""
    return lambda samples: Stream(
        of(replace(Experiment.parse(query), samples=samples), **options)
    ).finish()


def each(work: Callable, *arguments: object) -> Callable[[int], object]:
    """The same work over and over, by how often."""
    return lambda count: [work(*arguments) for _ in range(count)]


LARGEST = "+".join(f"sin({k}*x)" for k in range(2, 22))
"""A visitor's function of 99 parts, no two of which are the same operation; 100 are allowed."""


def samples_per_second(work: Callable[[int], object], samples: int) -> float:
    start = perf_counter()
    work(samples)
    return samples / (perf_counter() - start)


def resident_mb() -> float:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096 / 1e6


def memory_growth_mb() -> float:
    stream = Stream(Discrepancy(Experiment(samples=10**7, evaluation="batched")))
    while stream.tally.samples < 10**5:
        stream.advance(0)
    before = resident_mb()
    stream.finish()
    return resident_mb() - before


def seconds_of_ranks(count: int) -> float:
    """As the command line tells them, without the time in which it loads."""
    torchrun = str(Path(sys.executable).with_name("torchrun"))
    command = [torchrun, "--standalone", "--nproc-per-node", str(count), "-m", "lib"]
    query = f"evaluation=batched&samples={500 * 8192}"
    done = subprocess.run([*command, query], capture_output=True, check=True, cwd=ROOT)
    return json.loads(done.stdout)["seconds"]


Contestants = dict[str, tuple[Callable[[int], object], int]]
"""What is measured in turns, each with its number of samples."""

Figures = dict[str, tuple[str | float, str | float]]
"""Pairs of rates that are divided: of contestants, by name, or wanted ones, in 1/s."""


def measured(contestants: Contestants, figures: Figures) -> dict[str, float]:
    rounds = []
    for _ in range(ROUNDS + 1):
        rates = {name: samples_per_second(*work) for name, work in contestants.items()}
        rounds.append({name: rates.get(a, a) / rates.get(b, b) for name, (a, b) in figures.items()})
    # The first round warmed up.
    return {name: round(median(of[name] for of in rounds[1:]), 4) for name in figures}


def groups() -> Iterator[tuple[Contestants, Figures]]:
    net, frozen = post_network(), post_network().requires_grad_(False)
    batched, blocks = "evaluation=batched", 40 * 8192
    judged = (study(Discrepancy, batched), blocks)
    yield (
        {
            "post": (lambda n: [bare_gradients(net, torch.rand(5)) for _ in range(n)], 1000),
            "per_sample": (study(Discrepancy, ""), 1000),
            "bare": (lambda n: bare_batches(frozen, n), blocks),
            "plain": (study(Discrepancy, batched, judged=False), blocks),
            "judged": judged,
        },
        {
            "per_sample_vs_post": ("per_sample", "post"),
            "batched_vs_bare": ("plain", "bare"),
            "judged_vs_bare": ("judged", "bare"),
        },
    )
    yield (
        {"replays": (lambda n: [replay(Experiment(), number, 0) for number in range(n)], 20)},
        {"replay_of_slice": (1 / SLICE, "replays")},
    )
    yield (
        {"batch_sizes": (study(Batch, ""), 4 * PIECE), "judged": judged},
        {"batch_vs_batched": ("batch_sizes", "judged")},
    )
    yield (
        {
            "bare": (
                lambda n: [derivatives_at("reciprocal", x) for x in torch.randn(n).split(POINTS)],
                20 * POINTS,
            ),
            "derivative": (study(Derivative, ""), 20 * POINTS),
            "own": (study(Derivative, urlencode({"f": LARGEST})), 2000),
        },
        {"derivative_vs_bare": ("derivative", "bare"), "own_of_budget": (2000 / 0.5, "own")},
    )
    wide = nn.Sequential(nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 16)), torch.rand(8, 64)
    yield (
        {"bare": (each(bare_gradients, *wide), 3), "compare": (each(compare, *wide), 3)},
        {"compare_vs_bare": ("bare", "compare")},
    )


def main() -> None:
    def tell(**figures: object) -> None:
        print(json.dumps(figures), flush=True)

    tell(environment=machine.describe(Experiment()), rounds=ROUNDS)
    for group in groups():
        tell(**measured(*group))
    tell(memory_growth_mb=round(memory_growth_mb(), 1))
    ranks = [seconds_of_ranks(1) / seconds_of_ranks(2) for _ in range(RANKS_ROUNDS)]
    tell(ranks=round(median(ranks), 2))
    tell(**bench_page.figures())


if __name__ == "__main__":
    main()
