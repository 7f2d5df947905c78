"""The tables of the charts against the tally they are made from, and the printout of the post."""

import numpy as np
import pytest
import torch

from lib.experiment import Experiment
from lib.stream import Stream
from lib.studies.discrepancy import Discrepancy, DiscrepancyTally, Gradients
from lib.studies.discrepancy_tables import MOST_ULPS, ULP_LABELS, printout, tables
from tests.cases import EVERY_DTYPE

EXPERIMENTS = [
    Experiment(samples=300),
    Experiment(samples=300, dtype="bfloat16", evaluation="batched"),
    Experiment(samples=50, outputs=1),
    Experiment(samples=300, method="single-call", outputs=3),
    Experiment(samples=20, inputs=1, hidden=(1,), activation="relu", seed=5),
]


@pytest.fixture(params=EXPERIMENTS, ids=lambda e: e.query)
def experiment(request):
    return request.param


@pytest.fixture
def tally(experiment) -> DiscrepancyTally:
    return Stream(Discrepancy(experiment)).finish()


def test_an_empty_tally_gives_tables_of_the_same_columns_and_types(experiment, tally):
    empty, full = tables(Discrepancy.empty, experiment), tables(tally, experiment)
    assert empty.keys() == full.keys()
    for name in full:
        assert empty[name].dtypes.to_dict() == full[name].dtypes.to_dict(), name


def test_the_ulp_table_holds_every_component_with_the_tails_gathered(experiment, tally):
    table = tables(tally, experiment)["ulps"].set_index("ulps")
    assert list(table.index) == ULP_LABELS
    assert table["components"].sum() == tally.components
    assert table.loc["0", "components"] == tally.equal and table.loc["0", "kind"] == "equal"
    assert table.loc["−1", "components"] == tally.ulps[-1]
    assert table.loc[ULP_LABELS[-1], "components"] == tally.ulps.counts[tally.ulps.keys >= MOST_ULPS].sum()
    np.testing.assert_allclose(table["share"], table["components"] / tally.components, rtol=1e-6)


def test_the_cells_hold_every_component_and_the_zeros_in_a_row_of_their_own(experiment, tally):
    made = tables(tally, experiment)
    cells, frame = made["cells"], made["frame"]
    assert cells["components"].sum() == tally.components
    zeros = cells[cells["y"] == frame["y"].min()]
    assert zeros["components"].sum() == tally.equal and (zeros["kind"] == "equal").all()
    assert (zeros["discrepancy"] == "0").all()
    others = cells.drop(zeros.index)
    assert (others["kind"] == "different").all() and (others["y"] >= frame["y"].min() + 2).all()
    assert (cells["x"] >= frame["x"].min()).all() and (cells["x2"] <= frame["x"].max()).all()
    assert (cells["y2"] <= frame["y"].max()).all()
    assert not cells.duplicated(["x", "y"]).any() and len(cells) < 2000


def test_the_axes_stay_when_later_samples_arrive():
    experiment = Experiment(samples=400)
    stream = Stream(Discrepancy(experiment))
    while stream.samples < 5:
        stream.advance(0)
    early = tables(stream.tally, experiment)
    late = tables(stream.finish(), experiment)
    for name in ("frame", "span"):
        assert early[name].equals(late[name])


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_line_is_eps_times_the_magnitude(dtype):
    frame = tables(Discrepancy.empty, Experiment(dtype=dtype))["frame"]
    eps = torch.finfo(getattr(torch, dtype)).eps
    np.testing.assert_array_equal(2.0 ** frame["line"].astype(float), eps * 2.0 ** frame["x"].astype(float))


def test_the_arrivals_are_the_running_share_of_equal_components(experiment, tally):
    curve = tables(tally, experiment)["arrivals"]
    parts: list[Gradients] = []
    Stream(Discrepancy(experiment), parts.append).finish()
    equal = np.concatenate([(part.backward == part.jacobian).numpy() for part in parts])
    assert curve["samples"].iloc[-1] == experiment.samples and curve["samples"].is_monotonic_increasing
    for samples, share in zip(curve["samples"], curve["share"], strict=True):
        assert share == pytest.approx(equal[:samples].mean(), abs=1e-6)


def test_components_that_are_not_finite_are_in_no_share():
    inf = float("inf")
    backward = torch.tensor([[1.0, inf], [inf, inf], [1.0, 2.0]])
    jacobian = torch.tensor([[1.0, inf], [inf, 1.0], [1.0, 3.0]])
    tally = DiscrepancyTally.of(Gradients(0, 0, 0, torch.zeros(3, 2), backward, jacobian))
    made = tables(tally, Experiment(inputs=2, samples=3))
    np.testing.assert_allclose(made["arrivals"]["share"], [1, 1, 2 / 3], rtol=1e-6)
    assert made["ulps"]["components"].sum() == made["cells"]["components"].sum() == 3


def test_the_printout_is_what_pytorch_prints_for_the_first_five_samples():
    experiment = Experiment(samples=9)
    measured = Discrepancy(experiment).measure(0, float("inf"))
    text = printout(Stream(Discrepancy(experiment)).finish(), experiment)
    blocks = text.split("\n\n")
    assert len(blocks) == 5
    for i, block in enumerate(blocks):
        backward, jacobian = measured.backward[i], measured.jacobian[i]
        title, *lines = block.splitlines()
        assert title == f"sample {i}"
        printed = [line[11:] for line in lines]
        assert printed == [str(t) for t in (backward, jacobian, backward == jacobian, backward - jacobian)]


def test_a_wide_printout_has_one_line_a_vector():
    experiment = Experiment(samples=1, inputs=64)
    text = printout(Stream(Discrepancy(experiment)).finish(), experiment)
    assert len(text.splitlines()) == 5
