"""What a page must show once its run is finished: the figures of the command line, and the tables behind its charts."""

import json
import subprocess
from collections.abc import Iterable
from functools import cache

import pyarrow as pa

from lib.discrepancy import tables as discrepancy_tables
from lib.discrepancy import verdict_tables
from lib.discrepancy.study import Discrepancy
from lib.display.quantities import at_most, distance, percent
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from tests import forked
from tests.server import ROOT
from tests.visitor import Visitor

_SECTIONS = {"apart": ("cells", "frame", "arrivals", "span"), "right": ("closer",), "bug": ("units", "bound")}
"""The tables behind the charts of each section that a link may open."""

_MAIN = "import sys; from lib.__main__ import main; sys.exit(max(main([query]) for query in sys.argv[1:]))"


def command_line(queries: Iterable[str]) -> dict[str, dict]:
    """What the command line prints of each query; by one process."""
    queries = list(dict.fromkeys(queries))
    run = subprocess.run(
        [*forked.python(), "-c", _MAIN, *queries], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return dict(zip(queries, map(json.loads, run.stdout.splitlines()), strict=True))


def finished(visitor: Visitor) -> bool:
    """Whether every run on the page is finished, and it was drawn as a whole since, with no more to come."""
    bars = list(visitor.elements("progress"))
    return visitor.settled and bool(bars) and all(bar.value == 100 for bar in bars)


def differences(visitor: Visitor, query: str, printed: dict) -> list[str]:
    """The names of what the page of a visitor should show and does not: the figures that the command line `printed` of
    the query, and the tables of a tally that was never sliced, in their bits."""
    shown, expected = _shown(visitor), _figures(printed, query)
    opened = {name for section, names in _SECTIONS.items() if f"{section}=true" in query for name in names}
    expected |= {name: table for name, table in _tables(query).items() if name in opened}
    return [name for name, value in expected.items() if shown.get(name) != value]


def _shown(visitor: Visitor) -> dict[str, object]:
    tables = {name: pa.ipc.open_stream(table).read_all() for name, table in visitor.datasets.items()}
    picture = visitor.pictures.get("last_bit_opening")
    return {
        **{name: _bits(table) for name, table in tables.items()},
        **{metric.label: metric.body for metric in visitor.elements("metric")},
        "claims": [heading.body for heading in visitor.elements("heading") if heading.tag == "h1"],
        "histogram": [bar["share"] for bar in picture["histogram"]["bars"]] if picture else None,
        "cards": [
            text.body for text in visitor.elements("markdown") if text.body.startswith("**Which one is right?**")
        ],
    }


def _figures(printed: dict, query: str) -> dict[str, object]:
    """What the page makes of the figures that the command line printed, with the sections of the link open."""
    finite, closer = printed["components"] - printed["nonfinite"], printed["closer"]
    most = discrepancy_tables.MOST_ULPS
    histogram = [0] * (2 * most + 1)
    for ulps, count in printed["ulps"]:
        histogram[min(max(ulps, -most), most) + most] += count
    different, judged = percent(finite - printed["equal"], finite), sum(closer.values())
    sides = {name: percent(count, judged) for name, count in closer.items()}
    figures = {
        "claims": [f"One gradient, computed two ways: {different} of its components differ. Why?"],
        "histogram": [float(f"{count / finite:.5g}") for count in histogram],
        "cards": [
            "**Which one is right?** `backward()` is closer in "
            f"{sides['backward']}, the Jacobian in {sides['jacobian']}, {sides['tie']} tie, of {judged:,} judged."
        ],
    }
    if "apart=true" in query:
        figures |= {
            "Equal components": percent(printed["equal"], finite),
            "Equal samples": f"{printed['samples_equal']:,}",
            "Largest difference": at_most(printed["max_abs"]),
            "Longest distance": distance(printed["max_ulps"]),
        }
    return figures


@cache
def _tables(query: str) -> dict[str, bytes]:
    experiment = Experiment.parse(query)
    tally = Stream(Discrepancy(experiment)).finish()
    frames = discrepancy_tables.tables(tally, experiment) | verdict_tables.tables(tally.verdict)
    return {name: _bits(pa.Table.from_pandas(frame, preserve_index=False)) for name, frame in frames.items()}


def _bits(table: pa.Table) -> bytes:
    """The names, types and values of a table, down to the bits of its floats."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema.remove_metadata()) as stream:
        stream.write_table(table.replace_schema_metadata())
    return sink.getvalue().to_pybytes()
