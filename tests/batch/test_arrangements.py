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
def test_rows_change_their_place_their_neighbours_or_their_order(size):
    """And nothing else: a batch has the rows that it had, but for every other one if neighbours change."""
    usual = torch.arange(4 * size) % size
    moved, beside, shuffled = (seen(name, size) for name in ("place", "neighbours", "order"))
    assert torch.equal(moved[:, 1], ((usual + 1) % size).float()) and torch.equal(
        beside[:, 1], usual.float()
    )
    assert (shuffled[:, 1] != usual).float().mean() > 0.3
    for told in (moved, shuffled):
        assert torch.equal(
            told[:, 2:].sort(1)[0], told[:, 2:].min(1)[0][:, None] + torch.arange(float(size))
        )
        assert torch.equal(told[:, 2:] // size, (told[:, :1] // size).expand(-1, size))
    of_batch, own = beside[:, 2:] // size, beside[:, :1] // size
    alike = torch.arange(size) % 2 == beside[:, 1:2] % 2
    assert torch.equal(of_batch == own, alike)


@pytest.mark.parametrize("size", SIZES)
def test_a_slice_begins_where_it_lies_and_a_copy_at_the_beginning(size):
    seen("slice", size)
    assert STARTS == [i * size for i in range(4)]
    if size > 1:
        seen("place", size)
        assert STARTS == [0] * 4


@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize("experiment", SHAPES, ids=lambda e: e.query)
def test_by_vmap_the_outputs_are_those_of_torch_and_the_gradient_is_that_of_the_chain_rule(
    experiment, size
):
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
