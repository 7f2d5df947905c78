"""How many results change, by batch size, against counts by hand."""

from dataclasses import dataclass, field

import pytest

from lib.batch.sizes import changed_by_size
from lib.batch.study import BatchTally
from lib.discrepancy.variants import ComparisonTally
from lib.floats.quantities import percent
from lib.run.tally import ByName

SIZES = 1, 2, 3, 4, 8, 16, 32, 64, 128, 256


@dataclass(frozen=True)
class Batched:
    """How many of `components` outputs and of as many components of the gradient change, by batch size."""

    components: int = 200
    outputs: dict[int, int] = field(default_factory=dict)
    gradient: dict[int, int] = field(default_factory=dict)

    def tally(self) -> BatchTally:
        both, all_ = {"output": self.outputs, "gradient": self.gradient}, self.components
        pairs = {
            f"{quantity} {size}": ComparisonTally(finite=all_, apart=changed.get(size, 0))
            for quantity, changed in both.items()
            for size in SIZES
        }
        return BatchTally(all_ // 2, ByName(pairs if all_ else {}))


STEEP = Batched(outputs={2: 1, 4: 10, 8: 33, 256: 199}, gradient={1: 4, 4: 50, 16: 120, 256: 30})
FLAT = Batched(outputs={8: 1})


@pytest.mark.parametrize("of", [STEEP, FLAT], ids=["steep", "flat"])
def test_a_row_has_what_changed_of_what_was_compared(of):
    rows = changed_by_size(of.tally(), 8)
    for name, changed in {"outputs": of.outputs, "gradient": of.gradient}.items():
        found = rows[rows["quantity"] == name]
        assert found["size"].tolist() == list(SIZES)
        assert found["changed"].tolist() == [changed.get(size, 0) for size in SIZES]
        assert found["share"].tolist() == pytest.approx(
            [changed.get(size, 0) / of.components for size in SIZES]
        )
    assert set(rows.loc[rows["picked"], "size"]) == {8}
    words = [percent(changed.get(8, 0), of.components) for changed in (of.outputs, of.gradient)]
    assert set(rows.loc[rows["picked"], "text"]) == {"{} of outputs, {} of gradient".format(*words)}


def test_nothing_is_drawn_of_nothing():
    assert changed_by_size(Batched(components=0).tally(), 8).empty
