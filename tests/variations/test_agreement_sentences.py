"""What is said of the agreement is what was counted."""

import re

from lib.experiment.query import Experiment
from lib.run.stream import Stream
from lib.variations.agreement import NAMES, Agreement
from lib.variations.agreement_sentences import agreement_claim, bit_classes

POST = Experiment(samples=60)


def test_the_agreement_counts_its_classes():
    tally = Stream(Agreement(Experiment(samples=20))).finish()
    text, classes = agreement_claim(tally, POST), tally.classes()
    assert f"11 methods give {len(classes)} different answers" in text and "`summed-output`" in text
    assert bit_classes(tally).count("\n") == len(classes) - 1
    assert sorted(re.findall("`(.*?)`", bit_classes(tally))) == sorted(NAMES)
    assert "on their way" in agreement_claim(Agreement.empty, POST)
