"""What variants tally, as a table to read."""

from math import inf, nan

from lib.discrepancy.variants import ComparisonTally, VariantsTally
from lib.run.tally import ByName
from tests.discrepancy.test_study import gradients_of


def tally_of(pairs_of: dict[str, list[tuple[float, float]]]) -> VariantsTally:
    tallies = {name: ComparisonTally.of(gradients_of(pairs)) for name, pairs in pairs_of.items()}
    return VariantsTally(ByName(tallies), 2)


LOST = [(nan, 1), (inf, 1)]
SOME = {"some": [(1, 1), (2, 1.5), (1, 1.25), (inf, 1)], "none finite": LOST, "equal": [(1, 1)] * 2}


def test_a_table_to_read_has_a_dash_for_what_is_not_known():
    rows = {name: {"called": name.upper()} for name in ("some", "none finite", "nothing yet")}
    assert tally_of(SOME).table(rows).to_dict("tight")["data"] == [
        ["SOME", "33%", "0.5", "0.25", "1"],
        ["NONE FINITE", "–", "–", "–", "2"],
        ["NOTHING YET", "–", "–", "–", "–"],
    ]


def test_comparisons_that_found_no_difference_are_counted():
    assert tally_of(SOME).equal_of([*SOME, "nothing yet"]) == "1 of 2"


def test_what_is_not_known_yet_is_said():
    assert tally_of(SOME).why_no_claim == ""
    assert VariantsTally().why_no_claim == "Nothing is measured yet."
    lost = tally_of({"none finite": LOST}).why_no_claim
    assert lost == "No component is finite on both sides so far."
