"""The study of batches against a plain loop of PyTorch.

That a piece is measured as a whole and cut is shown by the law of all tallies, and who is closer by
the file of all components.
"""

from dataclasses import replace

import torch

from lib.batch.arrangements import block
from lib.batch.study import Batch
from lib.experiment.query import Experiment
from lib.network import network
from tests.cases import finish

SIZES = [1, 2, 3, 4, 8, 16, 32, 64, 128, 256]
# With a network for each block, a block has 256 samples and not 8,192: it is the whole piece.
SMALL = Experiment(
    inputs=3, hidden=(5,), outputs=2, activation="gelu", samples=70, networks="each-block"
)
# Its rows depend on their places, in batches of 3 at least.
WIDE = Experiment(inputs=64, hidden=(256,), outputs=16, samples=256, networks="each-block")


def by_backward(net, x):
    x = x.detach().requires_grad_()
    y = net(x)
    y.backward(torch.ones_like(y))
    return torch.cat([y.detach(), x.grad], -1)


def test_conditions_change_what_a_plain_loop_does():
    """Of each piece the first 96 samples are computed again, or two batches if that is more.

    The exported script is the plain loop for batches as they are.
    """
    net = network.build(WIDE)
    samples = block(WIDE, 0)
    for row in finish(Batch, WIDE).figures()["sizes"]:
        size = row["batch"]
        batches = samples[: min(max(96, 2 * size), 256) // size * size].split(size)
        usual = torch.cat([by_backward(net, batch.clone()) for batch in batches])
        rolled = [by_backward(net, batch.roll(1, 0)).roll(-1, 0) for batch in batches]
        changed = {"slice": torch.cat([by_backward(net, batch) for batch in batches])}
        if size > 1:
            changed["place"] = torch.cat(rolled)
        for name, values in changed.items():
            same = (usual == values).split([WIDE.outputs, WIDE.inputs], 1)
            for quantity, part in zip(("output", "gradient"), same, strict=True):
                counts = {"components": part.numel(), "nonfinite": 0, "equal": int(part.sum())}
                assert row["conditions"][name][quantity] == counts
        counts = {name: of["output"]["components"] for name, of in row["conditions"].items()}
        assert (counts.get("neighbours") == 0) == (size == 256), "a batch without another"


def test_forward_mode_is_measured_in_a_single_batch():
    small = replace(SMALL, gradient="method", method="jacfwd", samples=2)
    rows = finish(Batch, small).figures()["sizes"]
    assert [row["gradient"]["components"] for row in rows] == [2 * SMALL.inputs] * len(SIZES)
