"""The first samples of an experiment as two files, CSV and Parquet, for a page to hand out.

As a study they are made slice by slice, once for all visitors who ask for the same, and are dropped like any run. One
small host is there for all visitors of a page, so the files are bounded; the command line writes any number of samples.
"""

from dataclasses import dataclass, replace
from io import BytesIO

from lib.discrepancy.study import Discrepancy, Gradients
from lib.experiment.query import Experiment
from lib.run.tally import Tally
from lib.takeaway.export import CsvFile, Export, ParquetFile

MOST_COMPONENTS = 50_000
"""In the files of a page: some 8 MB of memory for both."""


def first(experiment: Experiment) -> Experiment:
    """The experiment with as many of its samples as go into the files of a page."""
    return replace(experiment, samples=min(experiment.samples, MOST_COMPONENTS // experiment.inputs))


@dataclass(frozen=True)
class FilesTally(Tally):
    """Samples that are in the files, and the files, which the last sample brings."""

    samples: int = 0
    csv: bytes = b""
    parquet: bytes = b""

    @property
    def nbytes(self) -> int:
        return len(self.csv) + len(self.parquet)


class Files:
    """The study of the discrepancy, with what it measures put into files in memory. For one thread at a time."""

    empty = FilesTally()
    in_one_go = True  # the files grow in memory

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self._study = Discrepancy(experiment)
        self._csv, self._parquet = BytesIO(), BytesIO()
        self._parquet_file = ParquetFile(self._parquet, experiment)
        self._export = Export(experiment, [CsvFile(self._csv, experiment), self._parquet_file])

    @staticmethod
    def total(experiment: Experiment) -> int:
        return Discrepancy.total(experiment)

    def measure(self, number: int, deadline: float) -> Gradients:
        return self._study.measure(number, deadline)

    def tally(self, gradients: Gradients) -> FilesTally:
        """Of pieces in their order: what is measured goes into the files as it comes."""
        self._export(gradients)
        if gradients.number + len(gradients) < self.experiment.samples:
            return FilesTally(len(gradients))
        self._export.close()
        return FilesTally(len(gradients), self._csv.getvalue(), self._parquet.getvalue())

    @property
    def nbytes(self) -> int:
        """Memory of the study, and of what is in the files so far or waits to be, in bytes."""
        return self._study.nbytes + self._parquet_file.nbytes + self._csv.tell() + self._parquet.tell()
