"""What the files of all components hold, study by study: their columns, and one row for each component.

float64 holds the numbers of every dtype exactly.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from lib.batch.arrangements import SIZES
from lib.batch.study import Batches, block_size
from lib.discrepancy.study import Gradients
from lib.experiment.choices import complete
from lib.experiment.query import Experiment
from lib.floats.line import to_float64
from lib.takeaway.column_glossary import COLUMNS

_LONGEST = np.uint64(2**63 - 1)


@dataclass(frozen=True)
class Layout:
    """The columns of the files of one study, each with its meaning as metadata.

    `table` returns a table with these columns and one row for each component that was measured, and `rows` the number
    of rows of a complete file.
    """

    schema: pa.Schema
    table: Callable[[Any], pa.Table]
    rows: Callable[[Experiment], int]


def _schema(study: str) -> pa.Schema:
    columns = COLUMNS[study].items()
    return pa.schema([pa.field(name, pa.type_for_alias(kind), metadata={"about": of}) for name, (kind, of) in columns])


SCHEMAS = {study: _schema(study) for study in COLUMNS}
"""The columns of the files, by study."""


def component_table(gradients: Gradients) -> pa.Table:
    """Return a row for each component that `Discrepancy` measured."""
    condition = gradients.judged.condition.ravel()
    columns = {
        **_pair(gradients, "backward", "jacobian"),
        "x": to_float64(gradients.x).ravel(),
        "condition": pa.array(condition, mask=condition == 0),
    }
    return pa.table([columns[name] for name in COLUMNS["discrepancy"]], schema=SCHEMAS["discrepancy"])


def batch_table(measured: Batches) -> pa.Table:
    """Return a row for each component and batch size that `Batch` measured, sample by sample."""
    tables = []
    for quantity, size in measured.compared:
        columns = _pair(measured.of(quantity, size), "alone", "in_batch")
        rows = len(columns["sample"])
        columns |= {"batch": np.full(rows, size), "quantity": pa.array([quantity] * rows)}
        tables.append(pa.table([columns[name] for name in COLUMNS["batch"]], schema=SCHEMAS["batch"]))
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
            SCHEMAS["discrepancy"], component_table, lambda experiment: experiment.samples * experiment.inputs
        ),
        "batch": Layout(SCHEMAS["batch"], batch_table, _rows_of_batches),
    },
)
"""The studies whose components can be written to files."""
