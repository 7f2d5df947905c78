"""The conditions of batches, by a way that tells where a row is and which rows are with it."""

import pytest
import torch

from lib.batch.arrangements import CONDITIONS, SIZES, Pick, block, block_size, is_compared, under
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.comparison import Subject, Way

SUBJECT = Subject(Experiment(), network.build(Experiment()))


def tell(subject, x):
    """Return for each row its number, its place and the numbers of all rows of its batch."""
    numbers = x[:, 0]
    places = torch.arange(len(x), dtype=x.dtype)
    return torch.cat([numbers[:, None], places[:, None], numbers.expand(len(x), -1)], 1)


TELL = Way("what a row sees", tell)


@pytest.mark.parametrize("size", SIZES[1:])
def test_rows_change_place_or_neighbours(size):
    """And nothing else: a batch has its rows, but for every other one if neighbours change."""
    rows = torch.arange(4.0 * size)
    told = {
        name: under(name, TELL, size, SUBJECT, rows[:, None]) for name in ("place", "neighbours")
    }
    assert all(torch.equal(result[:, 0], rows) for result in told.values())
    places = {name: result[:, 1] for name, result in told.items()}
    beside = {name: result[:, 2:] // size for name, result in told.items()}
    batch = (rows // size)[:, None]
    usual = rows % size
    assert torch.equal(places["place"], (usual + 1) % size)
    assert torch.equal(places["neighbours"], usual)
    assert (beside["place"] == batch).all()
    alike = torch.arange(size) % 2 == usual[:, None] % 2
    assert torch.equal(beside["neighbours"] == batch, alike)


@pytest.mark.parametrize("networks", ["one", "each-block"])
def test_a_block_has_other_studies_samples(networks):
    experiment = Experiment(networks=networks, hidden=(256,) * 3, inputs=3, evaluation="batched")
    size = block_size(experiment)
    others = sampling.block_size(experiment)
    assert size % 256 == 0 and size == max(256, others)
    theirs = [sampling.block(experiment, number) for number in range(2 * size // others)]
    assert torch.equal(block(experiment, 1), torch.cat(theirs)[size:])


def test_only_whole_batches_are_compared():
    """A block has 8,192 samples, of which batches of 3 leave over two."""
    experiment = Experiment(samples=10**6)
    for size, left_over in ((1, set()), (3, {8190, 8191, 16382, 16383}), (256, set())):
        for sample in (0, 8189, 8190, 8191, 8192, 16382, 16383, 16384):
            compared = is_compared(experiment, Pick(size, sample, "output", 1))
            assert compared == (sample not in left_over)
    for pick in ((-1, "output", 0), (10**6, "output", 0), (0, "output", 2), (0, "gradient", -1)):
        assert not is_compared(experiment, Pick(1, *pick))


def test_only_a_slice_begins_within_a_larger_tensor():
    begin = Way("where a batch begins", lambda subject, x: x[:, :1] * 0 + x.storage_offset())
    x = torch.arange(12.0)[:, None]
    for name in CONDITIONS:
        expected = x // 4 * 4 * (name == "slice")
        assert torch.equal(under(name, begin, 4, SUBJECT, x), expected)
