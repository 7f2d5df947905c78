"""The pitfall's tables: every entry is in a column, in its octave, and the axis holds while samples arrive."""

import torch

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.pitfall.fixes import try_all
from lib.pitfall.tables import entries, fix_rows


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
