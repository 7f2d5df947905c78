"""What was found under variants, as a table to read."""

from math import inf, nan

from lib.discrepancy.variants import ComparisonTally, VariantsTally
from lib.run.tally import ByName
from tests.discrepancy.test_study import gradients_of


def test_a_table_to_read_has_a_dash_for_what_is_not_known():
    found = {"some": [(1, 1), (2, 1.5), (1, 1.25), (inf, 1)], "none finite": [(nan, 1), (inf, 1)]}
    tally = VariantsTally(
        ByName({name: ComparisonTally.of(gradients_of(pairs)) for name, pairs in found.items()})
    )
    rows = {name: {"called": name.upper()} for name in ("some", "none finite", "nothing yet")}
    assert tally.table(rows).to_dict("tight")["data"] == [
        ["SOME", "33%", "0.5", "0.25", "1"],
        ["NONE FINITE", "–", "–", "–", "2"],
        ["NOTHING YET", "–", "–", "–", "–"],
    ]
