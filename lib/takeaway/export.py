"""Every component of every sample in a CSV file, written while the samples are measured.

The file records what the numbers depend on: the query, the seed, the versions. It has each number in the fewest digits
that read back to the same float64, which holds the numbers of every dtype exactly, and an empty field for a missing
number. It does not depend on how the work was sliced. If a run is interrupted, its file is readable and says in a
comment at its end that it is not complete.
"""

from typing import BinaryIO, Self

import pyarrow.csv

from lib.experiment.query import Experiment
from lib.network import machine
from lib.run.stream import Measured
from lib.takeaway.component_tables import LAYOUTS, Layout


def about(experiment: Experiment, layout: Layout) -> dict[str, str]:
    """Return what the numbers of a file depend on, and how many rows the complete file has."""
    facts = {"query": experiment.query, "seed": experiment.seed, "rows": layout.rows(experiment)}
    facts |= machine.describe(experiment)
    return {name: str(value) for name, value in facts.items()}


class Export:
    """A sink for the `Stream` of a study: it writes a row for each component that it receives.

    The file has lines that start with `# `, a header, the rows, and `# complete: false` if rows are missing.
    """

    def __init__(self, experiment: Experiment, file: BinaryIO, layout: Layout = LAYOUTS["discrepancy"]) -> None:
        self._file, self._layout, self._missing = file, layout, experiment.samples
        lines = [f"# {name}: {value}" for name, value in about(experiment, layout).items()]
        file.write("\n".join([*lines, ",".join(layout.schema.names), ""]).encode())
        plain = pyarrow.csv.WriteOptions(include_header=False, quoting_style="none")
        self._writer = pyarrow.csv.CSVWriter(file, layout.schema, write_options=plain)

    def __call__(self, measured: Measured) -> None:
        self._writer.write(self._layout.table(measured))
        self._missing -= len(measured)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._writer.close()
        if self._missing:
            self._file.write(b"# complete: false\n")
