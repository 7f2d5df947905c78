"""The conditions of batches, by a way that tells where a row is and which rows are with it."""

import pytest
import torch

from lib.batch.arrangements import CONDITIONS, SIZES, of_size, under
from lib.experiment.query import Experiment
from lib.network import network
from lib.network.comparison import Subject, Way

SUBJECT = Subject(Experiment(), network.build(Experiment()))
STARTS: list[int] = []


def tell(subject: Subject, x: torch.Tensor) -> torch.Tensor:
    """For each row its number, its place and the numbers of all rows of its batch, shape (rows, 2 + rows)."""
    STARTS.append(x.storage_offset())
    numbers = x[:, 0]
    places = torch.arange(len(x), dtype=x.dtype)
    return torch.cat([numbers[:, None], places[:, None], numbers.expand(len(x), -1)], 1)


TELL = Way("what a row sees", tell)


def seen(name: str, size: int, batches: int = 4) -> torch.Tensor:
    STARTS.clear()
    rows = torch.arange(float(batches * size))
    told = under(name, TELL, size)(SUBJECT, rows[:, None])
    assert torch.equal(told[:, 0], rows)  # each row has the result of its own
    return told


@pytest.mark.parametrize("size", SIZES[1:])
def test_each_row_moves_on_by_one_place(size):
    told = seen("place", size)
    own = torch.arange(4 * size) % size
    assert torch.equal(told[:, 1], ((own + 1) % size).float())
    for row in told[::7]:
        assert {*row[2:].tolist()} == {*range(int(row[0]) // size * size, (int(row[0]) // size + 1) * size)}


@pytest.mark.parametrize("size", SIZES[1:])
def test_neighbours_change_and_places_do_not(size):
    told = seen("neighbours", size)
    assert torch.equal(told[:, 1], (torch.arange(4 * size) % size).float())
    for row in told[::7]:
        of_batch = (row[2:] // size).tolist()
        others = {batch for place, batch in enumerate(of_batch) if place % 2 != row[1] % 2}
        own = {batch for place, batch in enumerate(of_batch) if place % 2 == row[1] % 2}
        assert own == {row[0].item() // size} and own.isdisjoint(others) and others


@pytest.mark.parametrize("size", SIZES[1:])
def test_the_order_is_another_one_of_the_same_rows(size):
    told = seen("order", size)
    moved = told[:, 1] != torch.arange(4 * size) % size
    assert moved.float().mean() > 0.3
    for row in told[::7]:
        assert {*(row[2:] // size).tolist()} == {row[0].item() // size}


@pytest.mark.parametrize("size", SIZES)
def test_a_slice_begins_where_it_lies_and_a_copy_at_the_beginning(size):
    seen("slice", size)
    assert STARTS == [i * size for i in range(4)]
    if size > 1:
        seen("place", size)
        assert STARTS == [0] * 4


def test_a_single_row_has_no_other_place():
    assert of_size(1) == ["slice"] and of_size(2) == list(CONDITIONS)
