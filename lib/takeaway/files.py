"""The first samples of an experiment as two files, CSV and Parquet, to download from the page.

Making the files is a study: it runs slice by slice, once for all visitors who want the same files, and is dropped like
any other run. All visitors share one small host, so the page bounds the files; the command line writes any number of
samples.
"""

from dataclasses import dataclass, replace
from io import BytesIO

from lib.discrepancy.study import Discrepancy, Gradients
from lib.experiment.query import Experiment
from lib.run.tally import Tally
from lib.takeaway.export import CsvFile, Export, ParquetFile

MOST_COMPONENTS = 50_000
"""Limit for the page's files; both together then take about 8 MB of memory."""


def first(experiment: Experiment) -> Experiment:
    """Return the experiment with only as many samples as fit into the page's files."""
    return replace(experiment, samples=min(experiment.samples, MOST_COMPONENTS // experiment.inputs))


@dataclass(frozen=True)
class FilesTally(Tally):
    """The number of samples in the files, and the files themselves, which are empty until the last sample is in."""

    samples: int = 0
    csv: bytes = b""
    parquet: bytes = b""

    @property
    def nbytes(self) -> int:
        return len(self.csv) + len(self.parquet)


class Files:
    """The discrepancy study, which here writes its measurements to files in memory. For one thread at a time."""

    empty = FilesTally()

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
        """Write a piece to the files and tally it. The pieces have to come in order."""
        self._export(gradients)
        if gradients.number + len(gradients) < self.experiment.samples:
            return FilesTally(len(gradients))
        self._export.close()
        return FilesTally(len(gradients), self._csv.getvalue(), self._parquet.getvalue())

    @property
    def nbytes(self) -> int:
        """Memory in bytes of the study, of the files so far, and of the rows that wait to be written."""
        return self._study.nbytes + self._parquet_file.nbytes + self._csv.tell() + self._parquet.tell()
