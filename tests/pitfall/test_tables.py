"""The attempts as a table to read."""

from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.pitfall.fixes import try_all
from lib.pitfall.tables import fix_rows


def test_the_fixes_as_a_table():
    experiment = Experiment(outputs=3)
    outcomes = try_all(network.build(experiment), sampling.block(experiment, 0)[0].clone())
    table = fix_rows(outcomes).set_index("attempt")
    assert table.loc["one call, inputs repeated: the pitfall", "gives"] == "✗ the sum in each row"
    assert table.loc["copies of the input, made after the forward pass"].tolist() == ["✗ an error", "–", "1", "0"]
    assert table.loc["copies of the input, made before the forward pass", "forward passes"] == "1, of 3 copies"
    assert table.loc["one call per row", "backward passes"] == "3"
    assert (table["gives"] == "✓ the rows").sum() == 5
