"""Every component of every sample in a CSV file, written while the samples are measured.

The file records what the numbers depend on: the query, the seed and the versions. It has each
number in the fewest digits that read back to the same float64, which holds the numbers of every
dtype exactly. A missing number is an empty field. The file does not depend on how the work was
sliced. The file of an interrupted run can be read, and says that it is not complete.
"""

from dataclasses import replace
from io import BytesIO
from typing import BinaryIO, Self

import numpy as np
import pyarrow as pa
import pyarrow.csv

from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.floats.ulps import to_float64
from lib.network import machine
from lib.reference.pair import Pair
from lib.run.stream import Stream
from lib.takeaway.glossary import COLUMNS

MOST_COMPONENTS = 50_000
"""The most components in a file from the page, about 6 MB: all visitors share one small host."""


SCHEMA = pa.schema([(name, pa.type_for_alias(kind)) for name, (kind, _) in COLUMNS.items()])
"""The columns of the file."""


def component_table(gradients: Pair) -> pa.Table:
    """Return a row for each component that `Discrepancy` measured."""
    index, component = (place.ravel() for place in np.indices(gradients.finite.shape))
    missing = ~gradients.finite.ravel()
    reference = gradients.judged.exact.ravel()
    condition = gradients.condition.ravel()
    columns = {
        "sample": gradients.number + index,
        "component": component,
        "x": to_float64(gradients.x).ravel(),
        "backward": gradients.values[0].ravel(),
        "jacobian": gradients.values[1].ravel(),
        "discrepancy": gradients.discrepancy.ravel(),
        "ulps": pa.array(gradients.signed_ulps.ravel(), mask=missing),
        "block": np.full(index.size, gradients.block),
        "index": gradients.index + index,
        "units": pa.array(gradients.judged.units.ravel(), mask=missing),
        "condition": pa.array(condition, mask=condition == 0),
        "reference": pa.array(reference, mask=np.isnan(reference)),
    }
    return pa.table(columns, schema=SCHEMA)


class Export:
    """A sink for the `Stream` of `Discrepancy`: it writes a row for each component.

    The file begins with lines `# name: value`, which say what the numbers depend on. A header and
    the rows follow, and at the end `# complete: false` if rows are missing.
    """

    def __init__(self, experiment: Experiment, file: BinaryIO) -> None:
        self._file = file
        self._missing = experiment.samples
        facts = {"query": experiment.query, "seed": experiment.seed, **machine.describe(experiment)}
        lines = [f"# {name}: {value}" for name, value in facts.items()]
        file.write("\n".join([*lines, ",".join(SCHEMA.names), ""]).encode())
        plain = pyarrow.csv.WriteOptions(include_header=False, quoting_style="none")
        self._writer = pyarrow.csv.CSVWriter(file, SCHEMA, write_options=plain)

    def __call__(self, measured: Pair) -> None:
        self._writer.write(component_table(measured))
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
