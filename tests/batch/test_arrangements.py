"""The conditions of batches, by a way that tells where a row is and which rows are with it."""

from dataclasses import replace

import pytest
import torch

from lib.batch.arrangements import CONDITIONS, PASSES, SIZES, block, of_size, under
from lib.experiment.query import Experiment
from lib.network import network
from lib.network.comparison import Subject, Way
from tests.cases import SHAPES
from tests.oracles import closed_form_jacobian

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


@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize("experiment", SHAPES, ids=lambda e: e.query)
def test_by_vmap_the_outputs_are_those_of_torch_and_the_gradient_is_that_of_the_chain_rule(experiment, size):
    experiment = replace(experiment, dtype="float64")
    net, x = network.build(experiment), block(experiment, 0)[: 2 * size]
    found = under("vmap", PASSES["backward"], size)(Subject(experiment, net), x)
    outputs, gradients = found.split([experiment.outputs, experiment.inputs], 1)
    assert torch.equal(outputs, torch.cat([torch.vmap(net)(batch) for batch in x.split(size)]))
    for one, gradient in zip(x, gradients.numpy(), strict=True):
        exact = closed_form_jacobian(net, experiment.activations, one).sum(0)
        assert gradient == pytest.approx(exact, rel=1e-9, abs=1e-13)


def test_a_single_row_has_no_other_place():
    assert of_size(1) == ["slice", "vmap"] and of_size(2) == list(CONDITIONS)
