"""Every component of every sample in a CSV or Parquet file, written while the samples are measured.

Both files have the same columns and record what the numbers depend on: the query, the seed, the versions. CSV has each
number in the fewest digits that read back to the same float64, and an empty field for a missing number; Parquet has the
float64 itself. float64 holds the numbers of every dtype exactly.

A file does not depend on how the work was sliced. If a run is interrupted, its file is readable and says that it is not
complete: CSV in a comment at its end, Parquet in its metadata, which is written last.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import BinaryIO, Protocol, Self

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from lib.experiment.query import Experiment
from lib.network import machine
from lib.run.stream import Measured
from lib.takeaway.component_tables import LAYOUTS, Layout

_ROWS = 2**18  # per row group, which is held in memory until it is full; smaller groups would make a long footer
_DISCREPANCY = LAYOUTS["discrepancy"]


def about(experiment: Experiment, layout: Layout) -> dict[str, str]:
    """Return what the numbers of a file depend on, and how many rows the complete file has."""
    facts = {"query": experiment.query, "seed": experiment.seed, "rows": layout.rows(experiment)}
    facts |= machine.describe(experiment)
    return {name: str(value) for name, value in facts.items()}


class TableFile(Protocol):
    """A file that accepts tables with the columns of its layout, in the order of the samples."""

    def write(self, table: pa.Table) -> None: ...

    def close(self, complete: bool) -> None: ...


class CsvFile:
    """A CSV file: lines that start with `# `, a header, a line per row, and `# complete: false` if rows are missing."""

    def __init__(self, file: BinaryIO, experiment: Experiment, layout: Layout = _DISCREPANCY) -> None:
        self._file = file
        lines = [f"# {name}: {value}" for name, value in about(experiment, layout).items()]
        file.write("\n".join([*lines, ",".join(layout.schema.names), ""]).encode())
        plain = pa.csv.WriteOptions(include_header=False, quoting_style="none")
        self._writer = pa.csv.CSVWriter(file, layout.schema, write_options=plain)

    def write(self, table: pa.Table) -> None:
        self._writer.write(table)

    def close(self, complete: bool) -> None:
        self._writer.close()
        if not complete:
            self._file.write(b"# complete: false\n")


class ParquetFile:
    """A Parquet file: row groups that do not depend on how it is written, and metadata keys like `last-bit.query`."""

    def __init__(self, file: BinaryIO, experiment: Experiment, layout: Layout = _DISCREPANCY) -> None:
        # Byte stream split groups bytes of equal significance, which compresses floats to about half their size: those
        # of a narrower dtype end in zeros.
        floats = [field.name for field in layout.schema if field.type == pa.float64()]
        others = [field.name for field in layout.schema if field.type != pa.float64()]
        facts = {f"last-bit.{name}": value for name, value in about(experiment, layout).items()}
        self._writer = pa.parquet.ParquetWriter(
            file,
            layout.schema.with_metadata(facts),
            compression="zstd",
            use_byte_stream_split=floats,
            use_dictionary=others,
        )
        self._waiting: list[pa.Table] = []
        self._rows = 0

    def write(self, table: pa.Table) -> None:
        self._waiting.append(table)
        self._rows += len(table)
        while self._rows >= _ROWS:
            self._write_group()

    def close(self, complete: bool) -> None:
        if self._rows:
            self._write_group()
        self._writer.add_key_value_metadata({"last-bit.complete": "true" if complete else "false"})
        self._writer.close()

    def _write_group(self) -> None:
        waiting = pa.concat_tables(self._waiting)
        self._writer.write_table(waiting.slice(0, _ROWS).combine_chunks(), row_group_size=_ROWS)
        self._waiting = [waiting.slice(_ROWS)]
        self._rows = len(self._waiting[0])


class Export:
    """A sink for the `Stream` of a study: it writes all that it receives to files and closes them at the end."""

    def __init__(self, experiment: Experiment, files: Sequence[TableFile], layout: Layout = _DISCREPANCY) -> None:
        self._files, self._layout = files, layout
        self._missing = experiment.samples

    def __call__(self, measured: Measured) -> None:
        table = self._layout.table(measured)
        for file in self._files:
            file.write(table)
        self._missing -= len(measured)

    def close(self) -> None:
        with ExitStack() as stack:  # closes all files even if one fails to close
            for file in self._files:
                stack.callback(file.close, complete=self._missing == 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
