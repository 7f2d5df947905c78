"""Every component of every sample in a CSV file, written while the samples are measured.

The file records what the numbers depend on: the query, the seed and the versions. It has each
number in the fewest digits that read back to the same float64, which holds the numbers of every
dtype exactly. The field of a missing number is empty. The file does not depend on how the work was
sliced. If a run is interrupted, its file can be read and says that it is not complete.
"""

from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from typing import Any, BinaryIO, Self

import numpy as np
import pyarrow as pa
import pyarrow.csv

from lib.batch.study import BatchedSamples
from lib.discrepancy.study import Discrepancy
from lib.experiment.choices import complete
from lib.experiment.query import Experiment
from lib.floats.ulps import to_float64
from lib.network import machine
from lib.reference.pair import Pair
from lib.run.stream import Measured, Stream
from lib.takeaway.glossary import COLUMNS

_LONGEST = np.uint64(2**63 - 1)

MOST_COMPONENTS = 50_000
"""The most components in a file from the page, about 6 MB: all visitors share one small host."""


def _schema(columns: dict[str, list[str]]) -> pa.Schema:
    return pa.schema([(name, pa.type_for_alias(kind)) for name, (kind, _) in columns.items()])


SCHEMAS = {study: _schema(columns) for study, columns in COLUMNS.items()}
"""The columns of the files, by study."""


def component_table(gradients: Pair) -> pa.Table:
    """Return a row for each component that `Discrepancy` measured."""
    condition = gradients.condition.ravel()
    columns = {
        **_pair(gradients, "backward", "jacobian"),
        "x": to_float64(gradients.x).ravel(),
        "condition": pa.array(condition, mask=condition == 0),
    }
    return pa.table(columns, schema=SCHEMAS["discrepancy"])


def batch_table(measured: BatchedSamples) -> pa.Table:
    """Return a row for each component and batch size that `Batch` measured, sorted by sample."""
    tables = []
    for (quantity, size), pair in measured.judged.items():
        columns = _pair(pair, "alone", "in_batch")
        rows = len(columns["sample"])
        columns |= {"batch": np.full(rows, size), "quantity": pa.array([quantity] * rows)}
        tables.append(pa.table(columns, schema=SCHEMAS["batch"]))
    whole = pa.concat_tables(tables).combine_chunks()
    return whole.take(np.argsort(whole["sample"].to_numpy(), kind="stable"))


def _pair(gradients: Pair, first: str, second: str) -> dict[str, Any]:
    """The columns that both studies have; `first` and `second` are the names of the sides."""
    samples, components = gradients.ulps.shape
    index = np.repeat(np.arange(samples), components)
    missing = ~gradients.finite.ravel()
    ulps = np.minimum(gradients.ulps, _LONGEST).astype(np.int64)
    reference = gradients.judged.exact.ravel()
    return {
        "sample": gradients.number + index,
        "component": np.tile(np.arange(components), samples),
        first: gradients.values[0].ravel(),
        second: gradients.values[1].ravel(),
        "discrepancy": gradients.discrepancy.ravel(),
        "ulps": pa.array(np.where(gradients.discrepancy < 0, -ulps, ulps).ravel(), mask=missing),
        "block": np.full(index.size, gradients.block),
        "index": gradients.index + index,
        "units": pa.array(gradients.judged.units.ravel(), mask=missing),
        "reference": pa.array(reference, mask=np.isnan(reference)),
    }


TABLES: dict[str, Callable[[Any], pa.Table]] = complete(
    "table of the study", COLUMNS, {"discrepancy": component_table, "batch": batch_table}
)
"""The functions that make the rows of a file of what a study measured, by study."""


class Export:
    """A sink for the `Stream` of a study: it writes a row for each component that it receives.

    The file begins with lines `# name: value`, which say what the numbers depend on. A header and
    the rows follow, and at the end `# complete: false` if rows are missing.
    """

    def __init__(self, experiment: Experiment, file: BinaryIO, study: str = "discrepancy") -> None:
        self._file = file
        self._table = TABLES[study]
        self._missing = experiment.samples
        facts = {"query": experiment.query, "seed": experiment.seed, **machine.describe(experiment)}
        lines = [f"# {name}: {value}" for name, value in facts.items()]
        file.write("\n".join([*lines, ",".join(SCHEMAS[study].names), ""]).encode())
        plain = pyarrow.csv.WriteOptions(include_header=False, quoting_style="none")
        self._writer = pyarrow.csv.CSVWriter(file, SCHEMAS[study], write_options=plain)

    def __call__(self, measured: Measured) -> None:
        self._writer.write(self._table(measured))
        self._missing -= len(measured)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._writer.close()
        if self._missing:
            self._file.write(b"# complete: false\n")


def first_components(experiment: Experiment) -> bytes:
    """Return the file of the first samples, at least one, with at most `MOST_COMPONENTS`."""
    most = max(MOST_COMPONENTS // experiment.inputs, 1)
    few = replace(experiment, samples=min(experiment.samples, most))
    file = BytesIO()
    with Export(few, file) as export:
        Stream(Discrepancy(few), sink=export).finish()
    return file.getvalue()
