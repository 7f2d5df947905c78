"""What is said of the controls is whether they hold."""

from lib.experiment.query import Experiment
from lib.run.stream import Stream
from lib.variations.control_sentences import controls_claim
from lib.variations.controls import Controls

POST = Experiment(samples=60)


def test_the_controls_hold_or_it_is_said():
    tally = Stream(Controls(Experiment(samples=20))).finish()
    holds = all(row["holds"] for row in tally.figures()["controls"])
    assert ("two gradients are equal, as they must be" in controls_claim(tally, POST)) == holds
    assert "on their way" in controls_claim(Controls.empty, POST)
