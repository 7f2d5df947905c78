"""The pitfall's tables: every entry is in a column, in its octave, and the axis holds while samples arrive."""

from collections import Counter
from math import floor, log2

import numpy as np
import pytest
import torch

from lib.experiment.query import PRESETS, Experiment
from lib.network import network, sampling
from lib.pitfall.fixes import try_all
from lib.pitfall.study import Pitfall
from lib.pitfall.tables import ROWS, SUM, entries, fix_rows, tables
from lib.run.stream import Stream
from tests.cases import SHAPES


def populations(experiment: Experiment):
    return tables(Stream(Pitfall(experiment)).finish(), experiment)["populations"]


@pytest.mark.parametrize("experiment", [*SHAPES, PRESETS["bfloat16"]], ids=lambda e: e.query or "post")
def test_every_entry_is_in_one_column_of_each_population(experiment):
    experiment = Experiment(**experiment.to_dict() | {"samples": 30})
    table = populations(experiment)
    for kind in (ROWS, SUM):
        columns = table[table["kind"] == kind]
        assert columns["entries"].sum() == 30 * experiment.inputs * experiment.outputs
        assert columns["share"].sum() == pytest.approx(1, rel=1e-5)
        assert (np.diff(columns["x"]) > 0).all()


def test_a_column_is_the_octave_of_its_errors():
    experiment = Experiment(samples=40)
    measured = Pitfall(experiment).measure(0, float("inf"))
    errors = (measured.single.double() - measured.rows.double()).abs().flatten().tolist()
    columns = populations(experiment).query("kind == @ROWS and entries > 0")
    octaves = {round(float(x) / np.log10(2)): n for x, n in zip(columns["x"], columns["entries"], strict=True)}
    assert octaves == Counter(floor(log2(error)) for error in errors)


def test_the_two_populations_are_told_apart_by_place():
    table = populations(Experiment(samples=50)).query("x > x.min()")
    middle = {kind: np.average(part["x"], weights=part["entries"]) for kind, part in table.groupby("kind")}
    assert middle[ROWS] - middle[SUM] > 5


def test_the_axis_does_not_move_while_samples_arrive():
    experiment = Experiment(samples=400)
    stream = Stream(Pitfall(experiment))
    stream.advance(0.02)
    while stream.samples < 5:
        stream.advance(0)
    before = tables(stream.tally, experiment)
    after = tables(stream.finish(), experiment)
    for name in ("decades", "population_names"):
        assert before[name].equals(after[name])
    left, right = after["decades"]["x"]
    assert after["populations"]["x"].min() >= left and after["populations"]["x2"].max() <= right


def test_the_tables_of_nothing_have_the_same_columns():
    empty, full = (
        tables(tally, Experiment(samples=20))
        for tally in (Pitfall.empty, Stream(Pitfall(Experiment(samples=20))).finish())
    )
    for name in empty:
        assert list(empty[name].dtypes.items()) == list(full[name].dtypes.items())


def test_the_entries_of_a_matrix():
    table = entries(torch.tensor([[1.0, -2.0, 0.0], [4.0, float("nan"), float("inf")]]), 4.0)
    assert table[["output", "input"]].to_numpy().tolist() == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    assert table["value"].tolist() == ["1", "-2", "0", "4", "nan", "inf"]
    assert table["sign"].tolist()[:4] == ["positive", "negative", "positive", "positive"]
    assert table["shade"].tolist() == [0.25, 0.5, 0, 1, 0, 1]


def test_a_matrix_of_zeros_has_no_shade():
    assert entries(torch.zeros(2, 2), 0.0)["shade"].tolist() == [0] * 4


def test_the_fixes_as_a_table():
    experiment = Experiment(outputs=3)
    outcomes = try_all(network.build(experiment), sampling.block(experiment, 0)[0].clone())
    table = fix_rows(outcomes).set_index("attempt")
    assert table.loc["one call, inputs repeated: the pitfall", "gives"] == "✗ the sum in each row"
    assert table.loc["copies of the input, made after the forward pass"].tolist() == ["✗ an error", "–", "1", "0"]
    assert table.loc["copies of the input, made before the forward pass", "forward passes"] == "1, of 3 copies"
    assert table.loc["one call per row", "backward passes"] == "3"
    assert (table["gives"] == "✓ the rows").sum() == 5
