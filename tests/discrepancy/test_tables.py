"""The tables of the charts against the tally they are made from, and the printout of the post."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from lib.discrepancy.study import MOST_ULPS, Discrepancy, DiscrepancyTally, Gradients
from lib.discrepancy.tables import ULP_LABELS, first_of_cell, printout, tables
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from lib.run.tally import Histogram, Place

EXPERIMENTS = [
    Experiment(samples=300),
    Experiment(samples=300, dtype="bfloat16", evaluation="batched"),
    Experiment(samples=50, outputs=1),
    Experiment(samples=300, method="single-call", outputs=3),
    Experiment(samples=20, inputs=1, hidden=(1,), activation="relu", seed=5),
    Experiment(samples=60, inputs=2, hidden=(1,), distribution="normal"),  # no path in some samples
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


def test_the_cells_hold_every_component_with_a_condition_number_and_the_zeros_in_a_row_of_their_own(experiment, tally):
    made = tables(tally, experiment)
    cells, frame = made["cells"], made["frame"]
    parts: list[Gradients] = []
    Stream(Discrepancy(experiment), parts.append).finish()
    condition = np.concatenate([part.judged.condition.ravel() for part in parts])
    ulps = np.concatenate([part.ulps.ravel() for part in parts])
    assert cells["components"].sum() == (condition > 0).sum()
    (left, right), (bottom, top) = frame["x"].astype(int), frame["y"].astype(int)
    for cell in cells.itertuples():
        here = condition > 0
        here &= (condition >= 2.0**cell.x) | (cell.x == left)
        here &= (condition < 2.0**cell.x2) | (cell.x2 == right)
        here &= ulps == 0 if cell.y == bottom else (ulps >= 2.0**cell.y) & ((ulps < 2.0**cell.y2) | (cell.y2 == top))
        assert cell.components == here.sum() > 0
        assert cell.kind == ("equal" if cell.y == bottom else "different")
        assert left <= cell.x == cell.x2 - 1 < right and cell.y == cell.y2 - 1 < top
        assert cell.y >= 0 or cell.y == bottom < -1
    assert not cells.duplicated(["x", "y"]).any() and len(cells) < 2000


def test_each_cell_and_each_bar_leads_to_the_first_component_that_it_counts(experiment, tally):
    frame = tables(tally, experiment)["frame"]
    left, right, top, bottom = *frame["x"], frame["y"].max(), frame["y"].min()
    expected: dict[tuple[float, float], Place] = {}
    of_bars: dict[int, Place] = {}
    parts: list[Gradients] = []
    Stream(Discrepancy(experiment), parts.append).finish()
    for part in parts:
        for i, j in np.ndindex(part.ulps.shape):
            place = Place(part.block, part.index + i, j)
            ulps, condition = int(part.ulps[i, j]), part.judged.condition[i, j]
            of_bars.setdefault(max(-8, min(8, -ulps if part.backward[i, j] < part.jacobian[i, j] else ulps)), place)
            if condition > 0:
                x = min(max(np.floor(np.log2(condition)), left), right - 1)
                y = min(ulps.bit_length() - 1, top - 1) if ulps else bottom
                expected.setdefault((x, y), place)
    assert {key: tally.ulps_first[key] for key in range(-8, 9)} == {key: of_bars.get(key) for key in range(-8, 9)}
    cells = tables(tally, experiment)["cells"]
    ends = zip(cells["x"], cells["y"], strict=True)
    assert {(x, y): first_of_cell(tally, experiment, x, y) for x, y in ends} == expected
    assert first_of_cell(tally, experiment, left - 5, 0) is None


def test_the_cells_are_named_by_whole_numbers_and_say_what_is_in_the_edges():
    experiment = Experiment(samples=5000, evaluation="batched")
    cells = tables(Stream(Discrepancy(experiment)).finish(), experiment)["cells"]
    ulps = dict(zip(cells["y"], cells["ulps"], strict=True))
    assert [ulps[y] for y in (-2, 0, 1, 4)] == ["0", "1", "2 to 3", "16 to 31"]
    condition = dict(zip(cells["x"], cells["condition"], strict=True))
    assert [condition[x] for x in (0, 1, 6)] == ["below 2", "2 to 4", "64 to 128"]
    softmax = Experiment(samples=20, output_activation="softmax")
    cells = tables(Stream(Discrepancy(softmax)).finish(), softmax)["cells"]
    assert set(cells["condition"]) == {"512 and more, or infinite"}


def test_a_wide_network_whose_terms_cancel_begins_where_its_condition_numbers_do():
    experiment = Experiment(64, (64, 64, 64), 4, samples=20, evaluation="batched")
    made = tables(Stream(Discrepancy(experiment)).finish(), experiment)
    assert made["frame"]["x"].min() >= 5
    assert made["cells"].loc[made["cells"]["x"] == made["frame"]["x"].min(), "components"].sum() < 400


def test_the_axes_stay_when_later_samples_arrive():
    experiment = Experiment(samples=400)
    stream = Stream(Discrepancy(experiment))
    while stream.samples < 5:
        stream.advance(0)
    early = tables(stream.tally, experiment)
    late = tables(stream.finish(), experiment)
    for name in ("frame", "span"):
        assert early[name].equals(late[name])


@pytest.mark.parametrize("experiment", [Experiment(), Experiment(64, (64, 64), samples=5)], ids=lambda e: e.query)
def test_on_the_line_the_ulps_are_the_condition_number_and_it_is_seen_as_a_whole(experiment):
    for tally in (Discrepancy.empty, Stream(Discrepancy(replace(experiment, samples=5))).finish()):
        frame = tables(tally, experiment)["frame"]
        assert frame["line"].equals(frame["x"].rename("line"))
        assert frame["line"].between(frame["y"].min() + 2, frame["y"].max()).all()


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
    assert made["ulps"]["components"].sum() == 3


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


def test_distances_beyond_the_top_are_in_the_edge_and_those_of_the_first_samples_are_seen():
    far = replace(Discrepancy.empty, pairs=Histogram.of(np.array([3 * 64 + 41])))
    (cell,) = tables(far, Experiment())["cells"].itertuples()
    assert (cell.x, cell.y, cell.y2, cell.ulps) == (3, 9, 10, "512 and more")
    single = Experiment(samples=5, method="single-call")
    made = tables(Stream(Discrepancy(single)).finish(), single)
    assert made["cells"]["y2"].max() < made["frame"]["y"].max()


def test_the_longest_distances_have_a_name():
    """Two rounding errors of softmax in float64, one of either sign, are more than 2⁶² floats apart: the power of two
    above that is too large for an int64."""
    experiment = Experiment(samples=20, output_activation="softmax", dtype="float64")
    tally = Stream(Discrepancy(experiment)).finish()
    cells = tables(tally, experiment)["cells"]
    assert dict(zip(cells["y"], cells["ulps"], strict=True))[62] == f"{2**62:,} to {2**63 - 1:,}"
