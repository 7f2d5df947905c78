"""How many results change, by batch size and by condition, against counts by hand."""

import pytest

from lib.batch.findings import conditions
from lib.batch.sizes import changed_by_size
from lib.batch.study import BatchTally
from lib.discrepancy.variants import ComparisonTally
from lib.run.tally import ByName

SIZES = [1, 2, 3, 4, 8, 16, 32, 64, 128, 256]
CHANGED = {"output": {2: 6, 8: 33, 256: 199}, "gradient": {1: 4, 8: 50}}


def tally(condition: str = "") -> BatchTally:
    """200 components of each quantity, of which so many change."""
    pairs = {
        f"{quantity} {size} {condition}": ComparisonTally(finite=200, apart=changed.get(size, 0))
        for quantity, changed in CHANGED.items()
        for size in SIZES
    }
    return BatchTally(100, ByName(pairs))


def test_a_row_or_a_cell_has_what_changed_of_what_was_compared():
    rows = changed_by_size(tally(), 8)
    for quantity, name in (("output", "outputs"), ("gradient", "gradient")):
        of_quantity = rows[rows["quantity"] == name]
        shares = [CHANGED[quantity].get(size, 0) / 200 for size in SIZES]
        assert of_quantity["size"].tolist() == SIZES
        assert of_quantity["share"].tolist() == pytest.approx(shares)
    assert set(rows.loc[rows["picked"], "size"]) == {8}
    assert set(rows.loc[rows["picked"], "text"]) == {"16% of outputs, 25% of gradient"}
    assert set(changed_by_size(BatchTally(), 8)["text"]) == {""}
    table = conditions(tally("slice")).set_index("size")
    assert table.loc["8"].tolist() == ["–, –", "–, –", "–, –", "16%, 25%"]
