"""The tables of the charts against the tally they are made from."""

from dataclasses import replace

import numpy as np
import pytest

from lib.discrepancy.study import Discrepancy
from lib.discrepancy.tables import LABELS, SERIES, tables
from lib.discrepancy.verdict import VerdictTally
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from lib.run.tally import Constant, Histogram


@pytest.fixture(scope="module", params=["float32", "bfloat16"])
def tally(request) -> VerdictTally:
    return Stream(Discrepancy(Experiment(samples=300, dtype=request.param))).finish().verdict


def test_an_empty_tally_gives_tables_of_the_same_columns_and_types(tally):
    empty, full = tables(VerdictTally()), tables(tally)
    assert {name: table.dtypes.to_dict() for name, table in empty.items()} == {
        name: table.dtypes.to_dict() for name, table in full.items()
    }


def test_the_verdicts_are_those_of_the_tally(tally):
    closer = tables(tally)["closer"].set_index("verdict")
    assert closer["components"].to_dict() == {LABELS[name]: count for name, count in tally.closer.items()}
    np.testing.assert_allclose(closer["share"], closer["components"] / 1500, rtol=1e-6)


def test_the_octaves_of_rounding_units_hold_all_components_with_the_tails_gathered(tally):
    far = Histogram.of(np.array([-1075, -300, -3, 9, 300]))
    units = tables(replace(tally, jacobian_errors=far))["units"]
    for name, histogram in zip(SERIES, (tally.backward_errors, far, tally.discrepancies), strict=True):
        rows = units[units["series"] == name].set_index("x")
        counts = dict.fromkeys(range(-10, 11), 0)
        for key, count in zip(histogram.keys.tolist(), histogram.counts.tolist(), strict=True):
            counts[-10 if key == -1075 else max(-8, min(key, 9))] += count
        np.testing.assert_allclose(rows["share"], np.array(list(counts.values())) / histogram.total, rtol=1e-6)
        assert rows.loc[-3, "size"] == "2^-3 to 2^-2"


@pytest.mark.parametrize(
    ("bound", "row"), [(None, []), (14.0, [(np.log2(14), "bound: 14")]), (2.0**12, [(10, "bound: 4,096 →")])]
)
def test_the_bound_is_drawn_where_it_is_or_at_the_end(bound, row):
    drawn = tables(VerdictTally(bound_units=Constant(bound)))["bound"]
    assert list(drawn["name"]) == [name for _, name in row]
    np.testing.assert_allclose(drawn["x"], [x for x, _ in row], rtol=1e-6)
