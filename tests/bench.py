"""`python -m tests.bench`: measure speed, and print each figure as JSON as it comes.

A figure `a_vs_b` is the speed of a, in samples per second, divided by the speed of b: 1 is as fast,
more is faster. Machines are shared and noisy, so a and b are measured in turn, in one process on
one thread, and the figure is the median of all rounds.

per_sample_vs_post  the per-sample study, and the post's loop, which counts nothing
batched_vs_bare     the batched study without its reference, and bare batches: backward and Jacobian
                    of whole batches, with nothing counted
judged_vs_bare      the batched study with its reference, and bare batches
derivative_vs_bare  the derivative study of 1/x in float32 with its reference in float64, and
                    autograd and the same formulas on random x with nothing compared
batch_vs_batched    the study of all ten batch sizes, and the batched study, both with their
                    reference
compare_vs_bare     `compare`, and one backward() and one Jacobian, for 64→256→16 with a batch of 8

first_chart_vs_empty_page is the time from the request to the first picture, divided by that of a
page that only imports the same libraries and draws one chart. `python -m tests.load` measures a
server with many visitors.
"""

import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter

import torch
from playwright.sync_api import Browser, sync_playwright
from torch import Tensor, nn
from torch.autograd.functional import jacobian

from lib.batch.study import Batch
from lib.derivative.formulas import derivatives_at
from lib.derivative.study import Derivative
from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.network import machine
from lib.network.sampling import POINTS
from lib.own import compare
from lib.run.stream import Stream
from tests.browser import find
from tests.oracles import backward
from tests.server import serve

ROUNDS = 5
EMPTY = """
import altair, flint, numpy, pandas, pyarrow, torch
import streamlit as st

table = pandas.DataFrame({"x": range(17), "y": range(17)})
st.altair_chart(altair.Chart(table).mark_bar().encode(x="x:O", y="y:Q"))
"""

Work = Callable[[int], object]
"""What is measured, by the number of samples."""


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


def study(of: type, query: str, **options: object) -> Work:
    """A run of a study to its end."""
    return lambda samples: Stream(
        of(replace(Experiment.parse(query), samples=samples), **options)
    ).finish()


def each(work: Callable, *arguments: object) -> Work:
    """The same work over and over."""
    return lambda count: [work(*arguments) for _ in range(count)]


def comparisons() -> Iterator[tuple[str, Work, Work, int]]:
    """Names of figures, what is divided by what, and the number of samples of both."""
    post = post_network()
    yield (
        "per_sample_vs_post",
        study(Discrepancy, ""),
        lambda count: [bare_gradients(post, torch.rand(5)) for _ in range(count)],
        1000,
    )
    batched = "evaluation=batched"
    judged = study(Discrepancy, batched)
    bare = partial(bare_batches, post_network().requires_grad_(False))

    yield "batched_vs_bare", study(Discrepancy, batched, judged=False), bare, 40 * 8192
    yield "judged_vs_bare", judged, bare, 40 * 8192
    yield "batch_vs_batched", study(Batch, ""), judged, 8192
    yield (
        "derivative_vs_bare",
        study(Derivative, ""),
        lambda count: [derivatives_at("reciprocal", x) for x in torch.randn(count).split(POINTS)],
        20 * POINTS,
    )
    wide = nn.Sequential(nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 16)), torch.rand(8, 64)
    yield "compare_vs_bare", each(compare, *wide), each(bare_gradients, *wide), 3


def seconds_of(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def ratio(first: Callable[[], object], second: Callable[[], object]) -> float:
    """The median of the time of the second divided by that of the first. The first round warms
    up."""
    ratios = [seconds_of(second) / seconds_of(first) for _ in range(ROUNDS + 1)]
    return round(median(ratios[1:]), 4)


def see_chart(browser: Browser, address: str) -> None:
    """Open a page with an empty cache, until its first chart or drawing is there."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"http://{address}")
        page.locator("svg.marks, .drawing svg").first.wait_for()


def first_chart() -> float:
    """The ratio of both times. Each visit has a new experiment, so that nothing is in a cache."""
    seeds = iter(range(ROUNDS + 1))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        script = Path(folder) / "empty.py"
        script.write_text(EMPTY)
        browser = playwright.chromium.launch(executable_path=find())
        with serve() as server, serve(script) as empty:
            return ratio(
                lambda: see_chart(browser, empty.address),
                lambda: see_chart(browser, f"{server.address}/?seed={next(seeds)}"),
            )


def main() -> None:
    print(json.dumps({"environment": machine.describe(Experiment()), "rounds": ROUNDS}))
    for name, work, bare, samples in comparisons():
        figure = ratio(partial(work, samples), partial(bare, samples))
        print(json.dumps({name: figure}), flush=True)
    print(json.dumps({"first_chart_vs_empty_page": first_chart()}))


if __name__ == "__main__":
    main()
