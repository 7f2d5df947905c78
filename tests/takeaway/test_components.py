"""The file of all components: it reads back bit for bit, whatever the dtype, the slicing, or how the run ended."""

import csv
import io
import json
import re

import numpy as np
import pandas as pd
import pytest
import torch

from lib import __main__ as command
from lib.discrepancy.study import Discrepancy, Gradients
from lib.experiment.query import Experiment
from lib.floats.line import to_float64
from lib.network import machine, network
from lib.reference.judge import Judged
from lib.run.stream import Stream
from lib.takeaway.components import MOST_COMPONENTS, SCHEMAS, Export, first, first_components
from tests.cases import EVERY_DTYPE
from tests.exact_networks import rational_gradient
from tests.oracles import place_of
from tests.server import ROOT


def written(experiment: Experiment, *pieces: Gradients) -> bytes:
    """The file of what was measured."""
    file = io.BytesIO()
    with Export(experiment, file) as export:
        for piece in pieces:
            export(piece)
    return file.getvalue()


def whole(experiment: Experiment) -> Gradients:
    return Discrepancy(experiment).measure(0, float("inf"))


def read_csv(text: bytes) -> dict[str, list[str]]:
    """The columns by Python's own reader, as texts."""
    rows = list(csv.reader(line for line in text.decode().splitlines() if not line.startswith("#")))
    return {name: list(column) for name, *column in zip(*rows, strict=True)}


def floats(texts: list[str]) -> list[float | None]:
    return [float(text) if text else None for text in texts]


def bits(values: object) -> list[int]:
    return np.asarray(values, np.float64).view(np.int64).tolist()


def by_recipe(text: bytes) -> pd.DataFrame:
    """The table as the README reads it."""
    readme = (ROOT / "README.md").read_text()
    (recipe,) = re.findall(r"`(pd\.read_\w+\(.*?\))`", readme)
    assert (
        '`float_precision="round_trip"`' in readme
    )  # pandas 2 needs it, pandas 3.1 has it by default and warns
    return eval(recipe.replace('"components.csv"', "file"), {"pd": pd, "file": io.BytesIO(text)})


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_it_holds_every_float_bit_for_bit(dtype):
    experiment = Experiment(samples=40, dtype=dtype, outputs=3, output_activation="identity")
    measured = whole(experiment)
    text = written(experiment, measured)
    read, table = read_csv(text), by_recipe(text)
    assert list(read) == list(table) == SCHEMAS["discrepancy"].names
    expected = {
        name: to_float64(getattr(measured, name)).ravel() for name in ("x", "backward", "jacobian")
    }
    expected["discrepancy"] = expected["backward"] - expected["jacobian"]
    expected["units"] = np.abs(expected["discrepancy"]) / measured.judged.unit.ravel()
    expected["condition"] = measured.condition.ravel()
    for name, values in expected.items():
        assert bits(floats(read[name])) == bits(table[name]) == bits(values), name
    # Narrower floats come back by rounding, which for a float of the dtype itself is exact.
    backward = torch.tensor(floats(read["backward"])).to(getattr(torch, dtype))
    assert dtype == "float64" or torch.equal(backward, measured.backward.ravel())
    assert read["sample"] == read["index"] == [str(i) for i in range(40) for _ in range(5)]
    assert read["component"] == [*map(str, range(5))] * 40 and set(read["block"]) == {"0"}
    net = network.build(experiment)
    exact = [float(value) for x in measured.x.tolist() for value in rational_gradient(net, x)]
    reference = floats(read["reference"])
    assert reference == (
        exact if dtype == "float64" else pytest.approx(exact, rel=1e-12, abs=1e-15)
    )
    sizes = (
        measured.judged.unit / (torch.finfo(getattr(torch, dtype)).eps / 2)
    ).ravel()  # S, but for underflow
    np.testing.assert_allclose(
        expected["condition"], sizes / np.abs(exact), rtol=1e-6 if dtype != "float16" else 0.5
    )


def special(dtype: str) -> tuple[Experiment, Gradients]:
    """Zeros of both signs, subnormals, the largest floats, infinities and NaN: each against each, one to a sample."""
    finfo = torch.finfo(getattr(torch, dtype))
    subnormal = finfo.smallest_normal * finfo.eps
    values = [
        0.0,
        -0.0,
        subnormal,
        -3 * subnormal,
        finfo.max,
        -finfo.max,
        0.1,
        torch.inf,
        -torch.inf,
        torch.nan,
    ]
    pairs = torch.tensor([[a, b] for a in values for b in values], dtype=getattr(torch, dtype))
    backward, jacobian = pairs[:, :1], pairs[:, 1:]
    exact = np.full(backward.shape, -0.0)
    exact[::3] = np.nan
    nothing = np.zeros(backward.shape)
    condition = np.resize([0.0, np.inf, 1.0, 1 / 3 + 1e9], backward.shape)
    judged = Judged(*[nothing] * 3, exact, *[nothing] * 4, 0, None, Experiment())
    gradients = Gradients(2, 7, 20_007, backward.flip(0), backward, jacobian, judged)
    vars(gradients)["condition"] = condition
    return Experiment(inputs=1, samples=100, dtype=dtype), gradients


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_zeros_subnormals_infinities_and_nan_come_back(dtype):
    experiment, gradients = special(dtype)
    read = read_csv(written(experiment, gradients))
    assert read["sample"] == list(map(str, range(20_007, 20_107))) and read["index"] == list(
        map(str, range(7, 107))
    )
    for name in ("x", "backward", "jacobian"):
        values, found = to_float64(getattr(gradients, name)).ravel(), floats(read[name])
        assert np.array_equal(found, values, equal_nan=True)
        assert np.array_equal(np.signbit(found), np.signbit(values) & ~np.isnan(values))
    pairs = list(zip(floats(read["backward"]), floats(read["jacobian"]), strict=True))
    steps = [
        place_of(b, dtype) - place_of(j, dtype) if np.isfinite([b, j]).all() else None
        for b, j in pairs
    ]
    most = 2**63 - 1
    assert read["ulps"] == [
        "" if step is None else str(min(max(step, -most), most)) for step in steps
    ]
    assert [text == "" for text in read["units"]] == [step is None for step in steps]
    assert floats(read["condition"]) == [
        None if i % 4 == 0 else [np.inf, 1.0, 1 / 3 + 1e9][i % 4 - 1] for i in range(100)
    ]
    assert read["reference"] == ["" if i % 3 == 0 else "-0" for i in range(100)]


def test_the_query_the_seed_and_the_versions_are_inside():
    experiment = Experiment(samples=20, seed=3, dtype="bfloat16", hidden=(4, 3))
    expected = {"query": "hidden=4,3&dtype=bfloat16&samples=20&seed=3", "seed": "3", "rows": "100"}
    expected |= {name: str(value) for name, value in machine.describe(experiment).items()}
    comments = [
        line
        for line in written(experiment, whole(experiment)).decode().splitlines()
        if line[0] == "#"
    ]
    assert comments == [f"# {name}: {value}" for name, value in expected.items()]


SLICED = [
    Experiment(samples=150, networks="each-block"),
    Experiment(samples=150, networks="each-block", dtype="float64", evaluation="batched"),
    Experiment(samples=1),
]


@pytest.mark.parametrize("experiment", SLICED, ids=lambda e: e.query)
def test_it_does_not_depend_on_the_slicing(experiment):
    study, pieces, number = Discrepancy(experiment), [], 0
    while number < experiment.samples:
        pieces.append(study.measure(number, deadline=0.0))
        number += len(pieces[-1])
    file = io.BytesIO()
    with Export(experiment, file) as at_once:
        Stream(Discrepancy(experiment), at_once).finish()
    assert written(experiment, *pieces) == file.getvalue()


@pytest.mark.parametrize("pieces", [0, 3])
def test_the_file_of_an_interrupted_run_is_whole_and_says_so(pieces):
    experiment, study = Experiment(samples=20), Discrepancy(Experiment(samples=20))
    text = written(experiment, *(study.measure(number, deadline=0.0) for number in range(pieces)))
    assert text.endswith(b"\n# complete: false\n")
    assert read_csv(text)["sample"] == [str(n) for n in range(pieces) for _ in range(5)]


def test_a_full_disk_is_one_sentence_on_the_command_line(capsys, monkeypatch):
    monkeypatch.setattr("signal.signal", lambda number, handler: None)
    assert command.main(["samples=20", "--csv", "/dev/full"]) == 1
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err == "[Errno 28] No space left on device\n"


def test_after_ctrl_c_the_file_holds_what_was_counted(tmp_path, capsys, monkeypatch):
    came = iter([False])
    monkeypatch.setattr(command, "_catch_interrupts", lambda: lambda: next(came, True))
    path = tmp_path / "components.csv"
    assert command.main(["samples=1000000", "--csv", str(path)]) == 0
    printed, read = json.loads(capsys.readouterr().out), pd.read_csv(path, comment="#")
    assert printed["complete"] is False and path.read_bytes().endswith(b"# complete: false\n")
    assert len(read) == printed["components"] and read["units"].max() == printed["max_units"]
    assert read["discrepancy"].abs().max() == printed["max_abs"]
    assert sorted(read["ulps"].value_counts().items()) == [tuple(pair) for pair in printed["ulps"]]


def test_a_file_goes_with_a_plain_run_alone(capsys):
    with pytest.raises(SystemExit, match="2"):
        command.main(["--ladder", "--csv", "x"])
    assert "--csv" in capsys.readouterr().err


@pytest.mark.parametrize("networks", ["one", "each-block"])
def test_the_file_of_batches_has_a_row_for_each_component_and_size(
    networks, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr("signal.signal", lambda number, handler: None)
    path = tmp_path / "components.csv"
    assert (
        command.main(["--study", "batch", f"samples=300&networks={networks}", "--csv", str(path)])
        == 0
    )
    printed, table = json.loads(capsys.readouterr().out), pd.read_csv(path, comment="#")
    assert f"# rows: {len(table)}\n" in path.read_text() and (np.diff(table["sample"]) >= 0).all()
    for size in printed["sizes"]:
        for quantity in ("output", "gradient"):
            rows = table[(table["batch"] == size["batch"]) & (table["quantity"] == quantity)]
            assert len(rows) == size[quantity]["components"]
            assert (rows["ulps"] == 0).sum() == size[quantity]["equal"]
            assert rows["discrepancy"].abs().max() == size[quantity]["max_abs"]
            assert rows["units"].max() == size[quantity]["max_units"]
            assert (rows["alone"] - rows["in_batch"] == rows["discrepancy"]).all()
            assert rows["reference"].sub(rows["alone"]).abs().max() < 1e-6


def test_the_file_is_that_of_the_command_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("signal.signal", lambda number, handler: None)
    experiment, path = (
        Experiment(samples=30, networks="each-block", seed=4),
        tmp_path / "components.csv",
    )
    assert command.main([experiment.query, "--csv", str(path)]) == 0
    assert first_components(experiment) == path.read_bytes()


@pytest.mark.parametrize(
    "query", ["samples=1000000000&evaluation=batched", "inputs=64&samples=1000&seed=2"]
)
def test_the_file_of_a_page_is_bounded_and_holds_the_first_samples(query):
    experiment = Experiment.parse(query)
    few = first(experiment)
    assert few.samples * few.inputs <= MOST_COMPONENTS < (few.samples + 1) * few.inputs
    assert first(few) == few
