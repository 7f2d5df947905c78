"""The file of all components reads back bit for bit, however the run was sliced or ended."""

import io
import re

import numpy as np
import pandas as pd
import pytest
import torch

from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.floats.ulps import to_float64
from lib.network import machine
from lib.reference.judge import Judged
from lib.reference.pair import Pair
from lib.takeaway.components import Export, first_components
from tests.cases import every_dtype
from tests.oracles import place_of
from tests.server import ROOT


def written(experiment, *pieces):
    """The file of what was measured."""
    file = io.BytesIO()
    with Export(experiment, file) as export:
        for piece in pieces:
            export(piece)
    return file.getvalue()


def table_of(text, **options):
    """The table as the README reads it."""
    (recipe,) = re.findall(r"`(pd\.read_\w+\(.*?)\)`", (ROOT / "README.md").read_text())
    call = recipe.replace('"components.csv"', "file") + ", **options)"
    return eval(call, {"pd": pd, "file": io.BytesIO(text), "options": options})


@every_dtype
def test_it_holds_every_float_whatever_the_slices(dtype):
    experiment = Experiment(samples=20, dtype=dtype, outputs=3)
    study = Discrepancy(experiment)
    measured = study.measure(0, float("inf"))
    text = written(experiment, measured)
    assert text == written(experiment, *(study.measure(number, 0.0) for number in range(20)))
    assert text == first_components(experiment)
    assert written(experiment, study.measure(0, 0.0)).endswith(b"\n# complete: false\n")
    facts = {"query": experiment.query, "seed": 0} | machine.describe(experiment)
    head = "".join(f"# {name}: {value}\n" for name, value in facts.items())
    assert text.decode().startswith(f"{head}sample,component,")
    table = table_of(text)
    for name, values in {
        "x": to_float64(measured.x),
        "backward": measured.values[0],
        "jacobian": measured.values[1],
        "discrepancy": np.subtract(*measured.values),
        "units": np.abs(np.subtract(*measured.values)) / measured.judged.unit,
        "condition": measured.condition,
        "reference": measured.judged.exact,
    }.items():
        assert table[name].to_numpy(float).tobytes() == values.tobytes(), name
    assert table["component"].tolist() == [*range(5)] * 20


@every_dtype
def test_extreme_floats_come_back(dtype):
    """Zeros, subnormals, infinities and NaN: each against each, in one sample for each pair."""
    finfo = torch.finfo(getattr(torch, dtype))
    finite = [0.0, -0.0, -finfo.smallest_normal * finfo.eps, finfo.max, -finfo.max, 0.1]
    values = [*finite, torch.inf, -torch.inf, torch.nan, 1.0]
    pairs = torch.cartesian_prod(*[torch.tensor(values, dtype=getattr(torch, dtype))] * 2)
    first, second = pairs[:, :1], pairs[:, 1:]
    exact = np.where(np.arange(100) % 3, -0.0, np.nan)[:, None]
    nothing = np.zeros(exact.shape)
    judged = Judged(*[nothing] * 3, exact, *[nothing] * 4, 0, None, Experiment())
    gradients = Pair(2, 7, 20_007, first, first, second, judged)
    vars(gradients)["condition"] = np.resize([0.0, np.inf, 1.0, 1 / 3 + 1e9], exact.shape)
    text = written(Experiment(inputs=1, samples=100, dtype=dtype), gradients)
    read = table_of(text, dtype={"ulps": "Int64"})
    assert read["sample"].tolist() == [*range(20_007, 20_107)]
    assert read["index"].tolist() == [*range(7, 107)] and set(read["block"]) == {2}
    for name, side in (("backward", first), ("jacobian", second)):
        for number, value in zip(read[name].tolist(), side.flatten().tolist(), strict=True):
            assert repr(number) == repr(value)
    most = 2**63 - 1
    for (a, b), ulps in zip(pairs.tolist(), read["ulps"], strict=True):
        steps = place_of(a, dtype) - place_of(b, dtype) if np.isfinite([a, b]).all() else None
        assert ulps is pd.NA if steps is None else ulps == min(max(steps, -most), most)
    assert read["units"].isna().equals(read["ulps"].isna())
    assert read["condition"].fillna(0).tolist() == [0, np.inf, 1, 1 / 3 + 1e9] * 25
    assert read["reference"].isna().tolist() == [i % 3 == 0 for i in range(100)]


@pytest.mark.parametrize("inputs, samples", [(5, 320), (784, 2), (4096, 1)])
def test_the_pages_file_holds_the_first_samples(inputs, samples, monkeypatch):
    """And no more than its bound."""
    monkeypatch.setattr("lib.takeaway.components.MOST_COMPONENTS", 1600)
    query = f"inputs={inputs}&hidden=&outputs=1&samples=400&evaluation=batched"
    column = table_of(first_components(Experiment.parse(query)))["sample"]
    assert list(column) == [number for number in range(samples) for _ in range(inputs)]
