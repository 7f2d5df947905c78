"""What is said of the remedies is what they left."""

from dataclasses import replace

from lib.experiment.query import Experiment
from lib.run.stream import Stream
from lib.run.tally import ByName, Histogram
from lib.variations.remedies import Remedies
from lib.variations.remedy_sentences import remedies_claim

POST = Experiment(samples=60)


def test_a_remedy_that_left_nothing_finite_left_no_difference_nowhere():
    tally = Stream(Remedies(Experiment(samples=2))).finish()
    nothing = ByName({name: replace(part, ulps=Histogram()) for name, part in tally.known.items()})
    assert remedies_claim(replace(tally, by_name=nothing), POST).startswith("Of 4 remedies, 0 leave no difference")


def test_the_remedies_that_leave_nothing_are_counted():
    tally = Stream(Remedies(Experiment(samples=40))).finish()
    rows = tally.figures()["remedies"][1:]
    gone = sum(row["equal"] == row["components"] for row in rows)
    assert remedies_claim(tally, POST) == f"Of {len(rows)} remedies, {gone} leave no difference in 40 samples."
    assert "on their way" in remedies_claim(Remedies.empty, POST)
