"""The conditions of batches, by a way that tells where a row is and which rows are with it."""

import pytest
import torch

from lib.batch.arrangements import SIZES, Pick, block, block_size, is_compared, under
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.comparison import Subject, Way

SUBJECT = Subject(Experiment(), network.build(Experiment()))


def tell(subject: Subject, x: torch.Tensor) -> torch.Tensor:
    """Return for each row its number, its place and the numbers of all rows of its batch."""
    numbers = x[:, 0]
    places = torch.arange(len(x), dtype=x.dtype)
    return torch.cat([numbers[:, None], places[:, None], numbers.expand(len(x), -1)], 1)


TELL = Way("what a row sees", tell)


def seen(name: str, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the places of the rows of four batches, and the rows of the batch of each."""
    rows = torch.arange(4.0 * size)
    told = under(name, TELL, size)(SUBJECT, rows[:, None])
    assert torch.equal(told[:, 0], rows)  # each row has the result of its own
    return told[:, 1], told[:, 2:]


@pytest.mark.parametrize("size", SIZES[1:])
def test_rows_change_their_place_their_neighbours_or_their_order(size):
    """And nothing else: a batch has its rows, but for every other one if neighbours change."""
    rows = torch.arange(4.0 * size)
    usual = rows % size
    own = (rows // size)[:, None]
    moved, of_moved = seen("place", size)
    kept, beside = seen("neighbours", size)
    shuffled, of_shuffled = seen("order", size)
    assert torch.equal(moved, (usual + 1) % size) and torch.equal(kept, usual)
    assert (shuffled != usual).float().mean() > 0.3
    batch = own * size + torch.arange(size)
    assert torch.equal(of_moved.sort(1)[0], batch)
    assert torch.equal(of_shuffled.sort(1)[0], batch)
    alike = torch.arange(size) % 2 == usual[:, None] % 2
    assert torch.equal(beside // size == own, alike)


@pytest.mark.parametrize("networks", ["one", "each-block"])
def test_a_block_has_the_samples_of_the_other_studies_and_room_for_every_batch(networks):
    experiment = Experiment(networks=networks, hidden=(256,) * 3, inputs=3, evaluation="batched")
    size = block_size(experiment)
    others = sampling.block_size(experiment)
    assert size % 256 == 0 and size == max(256, others)
    theirs = [sampling.block(experiment, number) for number in range(2 * size // others)]
    assert torch.equal(block(experiment, 1), torch.cat(theirs)[size:])


@pytest.mark.parametrize("size", [1, 3, 256])
def test_only_components_of_samples_of_whole_batches_are_compared(size):
    experiment = Experiment(samples=10**6)
    length = block_size(experiment)
    whole = {start + row for start in range(0, length - size + 1, size) for row in range(size)}
    for sample in [*range(8), *range(length - 260, length + 8), 2 * length - 1, 2 * length]:
        compared = is_compared(experiment, Pick(size, sample, "output", 1))
        assert compared == (sample % length in whole)
    for pick in ((-1, "output", 0), (10**6, "output", 0), (0, "output", 2), (0, "gradient", -1)):
        assert not is_compared(experiment, Pick(size, *pick))
