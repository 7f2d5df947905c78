"""Every component of every sample in a CSV file, written while the samples are measured.

The file records what the numbers depend on: the query, the seed, the versions. It has each number in the fewest digits
that read back to the same float64, which holds the numbers of every dtype exactly, and an empty field for a missing
number. It does not depend on how the work was sliced. If a run is interrupted, its file is readable and says in a
comment at its end that it is not complete.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any, BinaryIO, Self

import numpy as np
import pyarrow as pa
import pyarrow.csv

from lib.batch.arrangements import SIZES, block_size
from lib.batch.study import BatchedSamples
from lib.discrepancy.study import Discrepancy, Gradients
from lib.experiment.choices import complete
from lib.experiment.query import Experiment
from lib.floats.line import to_float64
from lib.network import machine
from lib.run.stream import Measured, Stream
from lib.takeaway.glossary import COLUMNS

_LONGEST = np.uint64(2**63 - 1)

MOST_COMPONENTS = 50_000
"""Of a file from the page, which then has about 6 MB: all visitors share one small host."""


@dataclass(frozen=True)
class Layout:
    """The files of one study: `table` returns a table with its columns and one row for each component that was
    measured, and `rows` the number of rows of a complete file."""

    table: Callable[[Any], pa.Table]
    rows: Callable[[Experiment], int]


def _schema(study: str) -> pa.Schema:
    columns = COLUMNS[study].items()
    return pa.schema(
        [
            pa.field(name, pa.type_for_alias(kind), metadata={"about": of})
            for name, (kind, of) in columns
        ]
    )


SCHEMAS = {study: _schema(study) for study in COLUMNS}
"""The columns of the files by study, each with its meaning as metadata."""


def component_table(gradients: Gradients) -> pa.Table:
    """Return a row for each component that `Discrepancy` measured."""
    condition = gradients.condition.ravel()
    columns = {
        **_pair(gradients, "backward", "jacobian"),
        "x": to_float64(gradients.x).ravel(),
        "condition": pa.array(condition, mask=condition == 0),
    }
    return pa.table(columns, schema=SCHEMAS["discrepancy"])


def batch_table(measured: BatchedSamples) -> pa.Table:
    """Return a row for each component and batch size that `Batch` measured, sample by sample."""
    tables = []
    for (quantity, size), pair in measured.judged.items():
        columns = _pair(pair, "alone", "in_batch")
        rows = len(columns["sample"])
        columns |= {"batch": np.full(rows, size), "quantity": pa.array([quantity] * rows)}
        tables.append(pa.table(columns, schema=SCHEMAS["batch"]))
    whole = pa.concat_tables(tables).combine_chunks()
    return whole.take(np.argsort(whole["sample"].to_numpy(), kind="stable"))


def _pair(gradients: Gradients, one: str, other: str) -> dict[str, Any]:
    """The columns that both studies have; `one` and `other` are the names of the two sides."""
    samples, components = gradients.ulps.shape
    index = np.repeat(np.arange(samples), components)
    missing = ~gradients.finite.ravel()
    ulps = np.minimum(gradients.ulps, _LONGEST).astype(np.int64)
    reference = gradients.judged.exact.ravel()
    return {
        "sample": gradients.number + index,
        "component": np.tile(np.arange(components), samples),
        one: gradients.values[0].ravel(),
        other: gradients.values[1].ravel(),
        "discrepancy": gradients.discrepancy.ravel(),
        "ulps": pa.array(np.where(gradients.discrepancy < 0, -ulps, ulps).ravel(), mask=missing),
        "block": np.full(index.size, gradients.block),
        "index": gradients.index + index,
        "units": pa.array(gradients.judged.units.ravel(), mask=missing),
        "reference": pa.array(reference, mask=np.isnan(reference)),
    }


def _rows_of_batches(experiment: Experiment) -> int:
    """The components of all samples that are compared in batches of each size: those left over in a block are not."""
    size = block_size(experiment)
    blocks, left = divmod(experiment.samples, size)
    compared = sum(blocks * (size // n * n) + min(left, size // n * n) for n in SIZES)
    return compared * (experiment.outputs + experiment.inputs)


LAYOUTS = complete(
    "layout of the study",
    COLUMNS,
    {
        "discrepancy": Layout(
            component_table, lambda experiment: experiment.samples * experiment.inputs
        ),
        "batch": Layout(batch_table, _rows_of_batches),
    },
)
"""The studies whose components can be written to files."""


class Export:
    """A sink for the `Stream` of a study: it writes a row for each component that it receives.

    The file has lines that start with `# ` and say what the numbers depend on and how many rows the complete file has,
    a header, the rows, and `# complete: false` if rows are missing.
    """

    def __init__(self, experiment: Experiment, file: BinaryIO, study: str = "discrepancy") -> None:
        self._file, self._layout, self._missing = file, LAYOUTS[study], experiment.samples
        facts = {
            "query": experiment.query,
            "seed": experiment.seed,
            "rows": self._layout.rows(experiment),
        }
        lines = [
            f"# {name}: {value}" for name, value in (facts | machine.describe(experiment)).items()
        ]
        file.write("\n".join([*lines, ",".join(SCHEMAS[study].names), ""]).encode())
        plain = pyarrow.csv.WriteOptions(include_header=False, quoting_style="none")
        self._writer = pyarrow.csv.CSVWriter(file, SCHEMAS[study], write_options=plain)

    def __call__(self, measured: Measured) -> None:
        self._writer.write(self._layout.table(measured))
        self._missing -= len(measured)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._writer.close()
        if self._missing:
            self._file.write(b"# complete: false\n")


def first(experiment: Experiment) -> Experiment:
    """Return the experiment with only as many samples as fit into a file from the page, at least one."""
    return replace(
        experiment, samples=min(experiment.samples, max(MOST_COMPONENTS // experiment.inputs, 1))
    )


def first_components(experiment: Experiment) -> bytes:
    """Measure the first samples and write all their components."""
    experiment, file = first(experiment), BytesIO()
    with Export(experiment, file) as export:
        Stream(Discrepancy(experiment), sink=export).finish()
    return file.getvalue()
