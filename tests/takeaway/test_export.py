"""The files of all components: they read back bit for bit, whatever the dtype, the slicing, or how the run ended."""

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import torch

from lib import __main__ as command
from lib.discrepancy.study import Discrepancy, Gradients
from lib.experiment.query import Experiment
from lib.floats.line import to_float64
from lib.network import machine, network
from lib.reference.judge import Judged
from lib.run.stream import Stream
from lib.takeaway import export
from lib.takeaway.component_tables import SCHEMAS
from lib.takeaway.export import CsvFile, Export, ParquetFile
from tests.cases import EVERY_DTYPE
from tests.oracles import rational_gradient
from tests.server import ROOT

FLOATS = ["x", "backward", "jacobian", "discrepancy", "units", "condition", "reference"]
WHOLE = ["sample", "component", "ulps", "block", "index"]


def files(experiment: Experiment, *pieces: Gradients) -> tuple[bytes, bytes]:
    """The CSV and the Parquet of what was measured."""
    written = io.BytesIO(), io.BytesIO()
    with Export(experiment, [CsvFile(written[0], experiment), ParquetFile(written[1], experiment)]) as export:
        for piece in pieces:
            export(piece)
    return written[0].getvalue(), written[1].getvalue()


def whole(experiment: Experiment) -> Gradients:
    return Discrepancy(experiment).measure(0, float("inf"))


def read_csv(text: bytes) -> dict[str, list[str]]:
    """The columns by Python's own reader, as texts."""
    rows = list(csv.reader(line for line in text.decode().splitlines() if not line.startswith("#")))
    return {name: list(column) for name, *column in zip(*rows, strict=True)}


def facts(parquet: bytes) -> dict[str, str]:
    metadata = pq.read_metadata(io.BytesIO(parquet)).metadata
    return {key.decode(): value.decode() for key, value in metadata.items() if key.startswith(b"last-bit.")}


def bits(values: object) -> list[int]:
    return np.asarray(values, np.float64).view(np.int64).tolist()


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_both_files_hold_every_float_bit_for_bit(dtype):
    experiment = Experiment(samples=40, dtype=dtype, outputs=3, output_activation="identity")
    measured = whole(experiment)
    text, parquet = files(experiment, measured)
    read, table = read_csv(text), pq.read_table(io.BytesIO(parquet)).to_pydict()
    expected = {name: to_float64(getattr(measured, name)).ravel() for name in ("x", "backward", "jacobian")}
    expected["discrepancy"] = expected["backward"] - expected["jacobian"]
    for name, values in expected.items():
        assert bits(list(map(float, read[name]))) == bits(table[name]) == bits(values)
    # Narrower floats come back by rounding, which for a float of the dtype itself is exact.
    backward = torch.tensor(list(map(float, read["backward"]))).to(getattr(torch, dtype))
    assert dtype == "float64" or torch.equal(backward, measured.backward.ravel())
    for name in WHOLE:
        assert list(map(int, read[name])) == table[name]
    assert table["sample"] == table["index"] == [i for i in range(40) for _ in range(5)]
    assert table["component"] == [*range(5)] * 40 and set(table["block"]) == {0}
    net = network.build(experiment)
    exact = [float(value) for x in measured.x.tolist() for value in rational_gradient(net, x)]
    assert list(map(float, read["reference"])) == table["reference"]
    assert table["reference"] == (exact if dtype == "float64" else pytest.approx(exact, rel=1e-12, abs=1e-15))
    units = np.abs(expected["discrepancy"]) / measured.judged.unit.ravel()
    assert bits(list(map(float, read["units"]))) == bits(table["units"]) == bits(units)
    condition = measured.judged.condition.ravel()
    assert (condition > 0).all()
    assert bits(list(map(float, read["condition"]))) == bits(table["condition"]) == bits(condition)
    sizes = (measured.judged.unit / (torch.finfo(getattr(torch, dtype)).eps / 2)).ravel()  # S, but for underflow
    g = [value if value is not None else table["backward"][i] for i, value in enumerate(table["reference"])]
    np.testing.assert_allclose(table["condition"], sizes / np.abs(g), rtol=1e-6 if dtype != "float16" else 0.5)


def place(value: float, dtype: str) -> int:
    """Where a float is on the float line, by its bits."""
    width = {"float64": torch.int64, "float32": torch.int32}.get(dtype, torch.int16)
    magnitude = torch.tensor(abs(value), dtype=getattr(torch, dtype)).view(width).item()
    return -magnitude if value < 0 else magnitude


def special(dtype: str) -> tuple[Experiment, Gradients]:
    """Zeros of both signs, subnormals, the largest floats, infinities and NaN: each against each, one to a sample."""
    finfo = torch.finfo(getattr(torch, dtype))
    subnormal = finfo.smallest_normal * finfo.eps
    values = [0.0, -0.0, subnormal, -3 * subnormal, finfo.max, -finfo.max, 0.1, torch.inf, -torch.inf, torch.nan]
    pairs = torch.tensor([[a, b] for a in values for b in values], dtype=getattr(torch, dtype))
    backward, jacobian = pairs[:, :1], pairs[:, 1:]
    exact = np.full(backward.shape, -0.0)
    exact[::3] = np.nan
    nothing = np.zeros(backward.shape)
    condition = np.resize([0.0, np.inf, 1.0, 1 / 3 + 1e9], backward.shape)
    judged = Judged(*[nothing] * 3, exact, *[nothing] * 2, condition, nothing, 0, nothing, None, False)
    return Experiment(inputs=1, samples=100, dtype=dtype), Gradients(
        2, 7, 20_007, backward.flip(0), backward, jacobian, judged=judged
    )


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_zeros_subnormals_infinities_and_nan_come_back(dtype):
    experiment, gradients = special(dtype)
    text, parquet = files(experiment, gradients)
    read, table = read_csv(text), pq.read_table(io.BytesIO(parquet)).to_pydict()
    assert table["sample"] == list(range(20_007, 20_107)) and table["index"] == list(range(7, 107))
    for name in ("x", "backward", "jacobian"):
        values = to_float64(getattr(gradients, name)).ravel()
        for found in (list(map(float, read[name])), table[name]):
            assert np.array_equal(found, values, equal_nan=True)
            assert np.array_equal(np.signbit(found), np.signbit(values) & ~np.isnan(values))
    pairs = list(zip(table["backward"], table["jacobian"], strict=True))
    steps = [place(b, dtype) - place(j, dtype) if np.isfinite([b, j]).all() else None for b, j in pairs]
    most = 2**63 - 1
    steps = [step if step is None else min(max(step, -most), most) for step in steps]
    assert table["ulps"] == steps
    assert read["ulps"] == ["" if step is None else str(step) for step in steps]
    assert [value is None for value in table["units"]] == [step is None for step in steps]
    assert table["condition"] == [None if i % 4 == 0 else [np.inf, 1.0, 1 / 3 + 1e9][i % 4 - 1] for i in range(100)]
    assert [float(value) if value else None for value in read["condition"]] == table["condition"]
    assert table["reference"] == [None if i % 3 == 0 else 0.0 for i in range(100)]
    assert read["reference"] == ["" if i % 3 == 0 else "-0" for i in range(100)]


def test_pandas_reads_the_same_from_both_files():
    text, parquet = files(Experiment(samples=300, dtype="float16", activation="gelu"), whole(Experiment(samples=300)))
    from_csv, from_parquet = pd.read_csv(io.BytesIO(text), comment="#"), pd.read_parquet(io.BytesIO(parquet))
    assert list(from_csv.columns) == list(from_parquet.columns) == SCHEMAS["discrepancy"].names
    pd.testing.assert_frame_equal(from_csv, from_parquet, check_exact=True)


def test_the_query_the_seed_and_the_versions_are_inside():
    experiment = Experiment(samples=20, seed=3, dtype="bfloat16", hidden=(4, 3))
    text, parquet = files(experiment, whole(experiment))
    expected = {"query": "hidden=4,3&dtype=bfloat16&samples=20&seed=3", "seed": "3", "rows": "100"}
    expected |= {name: str(value) for name, value in machine.describe(experiment).items()}
    assert facts(parquet) == {f"last-bit.{name}": value for name, value in {**expected, "complete": "true"}.items()}
    comments = [line for line in text.decode().splitlines() if line.startswith("#")]
    assert comments == [f"# {name}: {value}" for name, value in expected.items()]
    assert b"last-bit.query" in pq.read_schema(io.BytesIO(parquet)).metadata
    for field in pq.read_schema(io.BytesIO(parquet)):
        assert field.metadata[b"about"]


SLICED = [
    Experiment(samples=150, networks="each-block"),
    Experiment(samples=150, networks="each-block", dtype="float64", evaluation="batched"),
    Experiment(samples=1),
]


@pytest.mark.parametrize("experiment", SLICED, ids=lambda e: e.query)
def test_the_files_do_not_depend_on_the_slicing(experiment, monkeypatch):
    monkeypatch.setattr(export, "_ROWS", 64)
    study = Discrepancy(experiment)
    pieces, number = [], 0
    while number < experiment.samples:
        pieces.append(study.measure(number, deadline=0.0))
        number += len(pieces[-1])
    assert len(pieces) == (experiment.samples if experiment.evaluation == "per-sample" else 2)
    sink = io.BytesIO(), io.BytesIO()
    with Export(experiment, [CsvFile(sink[0], experiment), ParquetFile(sink[1], experiment)]) as at_once:
        Stream(Discrepancy(experiment), at_once).finish()
    text, parquet = files(experiment, *pieces)
    assert (text, parquet) == (sink[0].getvalue(), sink[1].getvalue())
    groups = pq.read_metadata(io.BytesIO(parquet))
    sizes = [groups.row_group(i).num_rows for i in range(groups.num_row_groups)]
    assert sizes[:-1] == [64] * (len(sizes) - 1) and sum(sizes) == 5 * experiment.samples


@pytest.mark.parametrize("pieces", [0, 3])
def test_the_files_of_an_interrupted_run_are_whole_and_say_so(pieces):
    experiment, study = Experiment(samples=20), Discrepancy(Experiment(samples=20))
    measured = [study.measure(number, deadline=0.0) for number in range(pieces)]
    text, parquet = files(experiment, *measured)
    assert text.endswith(b"\n# complete: false\n") and facts(parquet)["last-bit.complete"] == "false"
    read, table = pd.read_csv(io.BytesIO(text), comment="#"), pq.read_table(io.BytesIO(parquet))
    assert len(read) == len(table) == 5 * pieces
    assert read["sample"].tolist() == table["sample"].to_pylist() == [n for n in range(pieces) for _ in range(5)]


def test_where_one_file_cannot_be_written_the_other_is_closed():
    experiment, parquet = Experiment(samples=2000, evaluation="batched"), io.BytesIO()
    with pytest.raises(OSError, match="No space left"), open("/dev/full", "wb") as full:
        with Export(experiment, [CsvFile(full, experiment), ParquetFile(parquet, experiment)]) as export:
            export(whole(experiment))
    assert facts(parquet.getvalue())["last-bit.complete"] == "false"


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_the_recipes_of_the_readme_read_back_every_bit(dtype, tmp_path, monkeypatch):
    experiment = Experiment(samples=200, dtype=dtype)
    measured = whole(experiment)
    for name, content in zip(("components.csv", "components.parquet"), files(experiment, measured), strict=True):
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    readme = (ROOT / "README.md").read_text()
    recipes = re.findall(r"`(pd\.read_\w+\(.*?\))`", readme)
    assert [recipe.partition("(")[0] for recipe in recipes] == ["pd.read_csv", "pd.read_parquet"]
    assert '`float_precision="round_trip"`' in readme  # pandas 2 needs it, pandas 3.1 has it by default and warns
    for recipe in recipes:
        read = eval(recipe, {"pd": pd})
        for name, values in (("backward", measured.backward), ("jacobian", measured.jacobian), ("x", measured.x)):
            assert bits(read[name]) == bits(to_float64(values).ravel()), (recipe, name)


@pytest.mark.parametrize("option", ["--csv", "--parquet"])
def test_a_full_disk_is_one_sentence_on_the_command_line(option, capsys, monkeypatch):
    monkeypatch.setattr("signal.signal", lambda number, handler: None)
    assert command.main(["samples=20", option, "/dev/full"]) == 1
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err == "[Errno 28] No space left on device\n"


def test_the_command_line_writes_both_files(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("signal.signal", lambda number, handler: None)
    paths = tmp_path / "components.csv", tmp_path / "components.parquet"
    assert command.main(["samples=30", "--csv", str(paths[0]), "--parquet", str(paths[1])]) == 0
    experiment = Experiment(samples=30)
    assert tuple(map(Path.read_bytes, paths)) == files(experiment, whole(experiment))


def test_after_ctrl_c_the_files_hold_what_was_counted(tmp_path, capsys, monkeypatch):
    came = iter([False])
    monkeypatch.setattr(command, "_catch_interrupts", lambda: lambda: next(came, True))
    paths = tmp_path / "components.csv", tmp_path / "components.parquet"
    assert command.main(["samples=1000000", "--csv", str(paths[0]), "--parquet", str(paths[1])]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["complete"] is False and facts(paths[1].read_bytes())["last-bit.complete"] == "false"
    read, table = pd.read_csv(paths[0], comment="#"), pd.read_parquet(paths[1])
    pd.testing.assert_frame_equal(read, table, check_exact=True)
    assert len(read) == printed["components"] and (read["ulps"] == 0).sum() == printed["equal"]
    assert read["units"].max() == printed["max_units"]


def test_files_go_with_a_plain_run_alone(capsys):
    with pytest.raises(SystemExit, match="2"):
        command.main(["--ladder", "--parquet", "x"])
    assert "--parquet" in capsys.readouterr().err


@pytest.mark.parametrize("networks", ["one", "each-block"])
def test_the_files_of_batches_have_a_row_for_each_component_and_size(networks, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("signal.signal", lambda number, handler: None)
    paths = tmp_path / "components.csv", tmp_path / "components.parquet"
    query = f"samples=300&networks={networks}"
    assert command.main(["--study", "batch", query, "--csv", str(paths[0]), "--parquet", str(paths[1])]) == 0
    printed = json.loads(capsys.readouterr().out)
    read, table = pd.read_csv(paths[0], comment="#"), pd.read_parquet(paths[1])
    pd.testing.assert_frame_equal(read, table, check_exact=True)
    assert len(table) == int(facts(paths[1].read_bytes())["last-bit.rows"])
    assert (np.diff(table["sample"]) >= 0).all() and facts(paths[1].read_bytes())["last-bit.complete"] == "true"
    for size in printed["sizes"]:
        for quantity in ("output", "gradient"):
            rows = table[(table["batch"] == size["batch"]) & (table["quantity"] == quantity)]
            assert len(rows) == size[quantity]["components"]
            assert (rows["ulps"] == 0).sum() == size[quantity]["equal"]
            assert rows["discrepancy"].abs().max() == size[quantity]["max_abs"]
            assert rows["units"].max() == size[quantity]["max_units"]
            assert (rows["alone"] - rows["in_batch"] == rows["discrepancy"]).all()
            assert rows["reference"].sub(rows["alone"]).abs().max() < 1e-6
