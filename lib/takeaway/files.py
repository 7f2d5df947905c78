"""The first samples of an experiment as a CSV file to download from the page.

All visitors share one small host, so the page bounds the file; the command line writes any number of samples.
"""

from dataclasses import replace
from io import BytesIO

from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from lib.takeaway.export import Export

MOST_COMPONENTS = 50_000
"""Of the file, which then has about 6 MB."""


def first(experiment: Experiment) -> Experiment:
    """Return the experiment with only as many samples as fit into the file, at least one."""
    return replace(experiment, samples=min(experiment.samples, max(MOST_COMPONENTS // experiment.inputs, 1)))


def csv(experiment: Experiment) -> bytes:
    """Measure the first samples and write all their components."""
    experiment, file = first(experiment), BytesIO()
    with Export(experiment, file) as export:
        Stream(Discrepancy(experiment), sink=export).finish()
    return file.getvalue()
