"""The claim of the pitfall, and where the right rows are from."""

import re

import pytest

from lib.display.quantities import at_most
from lib.experiment.query import Experiment
from lib.pitfall.sentences import pitfall_claim, pitfall_rows
from lib.pitfall.study import Pitfall
from lib.run.stream import Stream


def pitfall(query: str) -> tuple[str, str]:
    experiment = Experiment.parse(query)
    tally = Stream(Pitfall(experiment)).finish()
    return pitfall_claim(tally, experiment), pitfall_rows(tally, experiment)


def test_the_claim_of_the_pitfall_has_the_figures_of_the_tally():
    experiment = Experiment(outputs=3, samples=30)
    tally = Stream(Pitfall(experiment)).finish()
    text = pitfall_claim(tally, experiment)
    assert "gave 3 equal rows" in text and f"up to {at_most(tally.worst.value)}" in text
    assert abs(float(re.search(r"([\d.]+) decades", text)[1]) - tally.decades) <= 0.25


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("outputs=1&samples=5", "right with one output"),
        ("activation=relu&hidden=1&seed=1&samples=5&output_activation=relu", "equal to their sum"),
    ],
)
def test_the_claim_where_there_is_no_pitfall(query, words):
    assert words in pitfall(query)[0]


def test_the_claim_of_the_pitfall_before_the_first_samples():
    assert pitfall_claim(Pitfall.empty, Experiment()).endswith("the first samples are on their way.")


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("single-call", "since `single-call` returns none"),
        ("finite-difference", "`finite-difference` returns none"),
        ("jacrev", "from `torch.func.jacrev`."),
    ],
)
def test_it_is_said_which_method_the_right_rows_are_from(method, words):
    rows = pitfall(f"method={method}&samples=10")[1]
    assert rows.startswith("Of the 20 rows that one call gave, 100% equal") and words in rows
