"""How many results change, by batch size and by condition, against counts by hand."""

from lib.batch.sentences import conditions
from lib.batch.sizes import changed_by_size
from lib.batch.study import BatchTally
from lib.discrepancy.variants import ComparisonTally
from lib.run.tally import ByName


def test_a_row_or_a_cell_has_what_changed():
    """200 components of each quantity, of which so many change, as they are and in a slice."""
    changed = {"output 8 ": 33, "gradient 8 ": 50, "output 256 ": 199, "gradient 4 slice": 9}
    pairs = {name: ComparisonTally(finite=200, apart=count) for name, count in changed.items()}
    tally = BatchTally(100, ByName(pairs))
    rows = changed_by_size(tally, 8).set_index(["size", "quantity"])
    shares = rows["share"][rows["share"] > 0].to_dict()
    assert shares == {(8, "outputs"): 33 / 200, (8, "gradient"): 1 / 4, (256, "outputs"): 199 / 200}
    picked = rows[rows["picked"]]
    assert picked.index.tolist() == [(8, "outputs"), (8, "gradient")]
    assert set(picked["text"]) == {"16% of outputs, 25% of gradient"}
    assert set(changed_by_size(BatchTally(), 8)["text"]) == {""}
    table = conditions(tally).set_index("size")
    assert table.loc["4"].tolist() == ["–, –", "–, –", "–, 4%"]
