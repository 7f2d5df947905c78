"""What is said of the scaling is what was measured at the ends."""

from lib.experiment.query import Experiment
from lib.run.stream import Stream
from lib.variations.scaling import Scaling
from lib.variations.scaling_sentences import scaling_claim


def test_the_growth_is_that_of_the_ends():
    experiment = Experiment(evaluation="batched")
    tally = Stream(Scaling(experiment)).finish()
    rows = {(row["sweep"], row["value"]): row["max_units"] for row in tally.figures()["scaling"]}
    growth = rows["width", 128] / rows["width", 1]
    assert f"{growth:.1f} with width" in scaling_claim(tally, experiment)
    assert scaling_claim(Scaling.empty, experiment).startswith("Networks of growing width")
