"""Why a machine cannot run an experiment, and how it is described."""

import json
import platform
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Thread

import numpy as np
import pytest
import torch

from lib.discrepancy.remedies import relative_costs
from lib.experiment.choices import DEVICES
from lib.experiment.query import Experiment
from lib.network import machine
from lib.pitfall.costs import measure
from lib.pitfall.fixes import attempts
from lib.pitfall.study import Pitfall
from lib.replay.replay import replay
from lib.run.stream import Stream
from tests.server import ROOT


@pytest.mark.parametrize(
    ("device", "dtype", "available", "sentence"),
    [
        ("cuda", "float64", True, None),
        ("cuda", "float64", False, "This machine has no CUDA device that PyTorch can use."),
        ("mps", "bfloat16", True, None),
        ("mps", "float16", False, "This machine has no MPS device that PyTorch can use."),
        (
            "mps",
            "float64",
            True,
            "MPS has no float64: it computes with float32, bfloat16, float16.",
        ),
        (
            "mps",
            "float64",
            False,
            "MPS has no float64: it computes with float32, bfloat16, float16.",
        ),
    ],
)
def test_why_a_machine_cannot_run_an_experiment_is_one_sentence(
    monkeypatch, device, dtype, available, sentence
):
    monkeypatch.setitem(machine._AVAILABLE, device, lambda: available)
    assert machine.unsupported_reason(Experiment(device=device, dtype=dtype)) == sentence


def test_every_device_is_looked_for_where_pytorch_has_it():
    assert machine._AVAILABLE.keys() == DEVICES.keys()
    for device, available in machine._AVAILABLE.items():
        if available():
            assert torch.ones(1, device=device).device.type == device
        else:
            with pytest.raises((AssertionError, RuntimeError)):
                torch.ones(1, device=device)


def test_the_description_names_all_that_last_bits_depend_on():
    description = machine.describe(Experiment())
    assert (
        set("python torch numpy system cpu cpu_capability cuda gpu mkl mkldnn threads".split())
        <= description.keys()
    )
    assert {"float32_matmul_precision", "matmul_tf32", "cudnn_tf32"} <= description.keys()
    assert {"float16_reduced_precision", "bfloat16_reduced_precision"} <= description.keys()
    assert description["python"] == platform.python_version()
    assert description["torch"] == str(torch.__version__)
    assert description["numpy"] == np.__version__
    assert description["threads"] == torch.get_num_threads()
    assert json.loads(json.dumps(description)) == description
    assert all(value != "" for value in description.values())


def test_one_thread_is_said_to_whoever_asks_as_the_studies_have_it():
    def ask() -> int:
        torch.set_num_threads(2)
        return machine.describe(Experiment())["threads"]

    with ThreadPoolExecutor(1) as another:
        assert another.submit(ask).result() == 1


def test_a_setting_that_is_changed_is_described_as_it_is_now(monkeypatch):
    before = machine.describe(Experiment())
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", not before["cudnn_tf32"])
    assert machine.describe(Experiment()) == before | {"cudnn_tf32": not before["cudnn_tf32"]}


FLAGS = (
    "allow_tf32",
    "allow_fp16_reduced_precision_reduction",
    "allow_bf16_reduced_precision_reduction",
)


def flags() -> tuple[bool, ...]:
    return tuple(getattr(torch.backends.cuda.matmul, name) for name in FLAGS)


@pytest.mark.parametrize(
    ("matmul", "expected"),
    [
        ("default", (False, True, True)),
        ("tf32", (True, True, True)),
        ("full", (False, False, False)),
    ],
)
def test_the_flags_of_a_card_are_set_while_it_computes_and_then_set_back(matmul, expected):
    before = flags()
    with (
        pytest.raises(RuntimeError),
        machine.matmul_flags(Experiment(device="cuda", matmul=matmul)),
    ):
        assert flags() == expected
        with machine.matmul_flags(Experiment(device="cuda", matmul="full")):
            assert flags() == (False, False, False)
        assert flags() == expected
        raise RuntimeError("out of memory")
    assert flags() == before


def test_one_thread_at_a_time_sets_the_flags():
    """The other one waits for its turn, and then finds its own."""
    seen = []

    def compute():
        with machine.matmul_flags(Experiment(device="cuda", matmul="full")):
            seen.append(flags())

    other = Thread(target=compute)
    with machine.matmul_flags(Experiment(device="cuda", matmul="tf32")):
        other.start()
        other.join(0.1)
        assert other.is_alive() and not seen and flags() == (True, True, True)
    other.join()
    assert seen == [(False, False, False)]


@pytest.mark.parametrize(
    ("fields", "eps"),
    [
        ({"device": "cuda", "matmul": "tf32"}, 2.0**-10),
        ({"device": "cuda"}, 2.0**-23),
        ({"matmul": "tf32"}, 2.0**-23),
        ({"device": "cuda", "matmul": "tf32", "dtype": "float64"}, 2.0**-52),
        ({"device": "cuda", "matmul": "tf32", "dtype": "bfloat16"}, 2.0**-7),
    ],
)
def test_tf32_is_for_float32_on_a_card(fields, eps):
    assert machine.factor_eps(Experiment(**fields)) == eps
    assert machine.rounds_to_tf32(Experiment(**fields)) == (eps == 2.0**-10)


@pytest.mark.parametrize(
    "compute",
    [
        lambda experiment: Stream(Pitfall(experiment)).finish(),
        measure,
        attempts,
        lambda experiment: replay(experiment, 0, 0),
        lambda experiment: relative_costs(experiment),
    ],
    ids=["a study", "costs", "attempts", "replay", "costs of remedies"],
)
def test_whatever_computes_on_the_network_does_it_under_the_flags(monkeypatch, compute):
    """With the CPU as a stand-in for a card; what it computes does not depend on them, nor does float64 on any."""
    monkeypatch.setitem(DEVICES, "cpu", replace(DEVICES["cpu"], matmuls=True))
    seen = set()
    linear = torch.nn.Linear.forward

    def forward(layer: torch.nn.Linear, x: torch.Tensor) -> torch.Tensor:
        if x.dtype != torch.float64:
            seen.add(flags())
        return linear(layer, x)

    monkeypatch.setattr(torch.nn.Linear, "forward", forward)
    compute(Experiment(samples=1, matmul="full"))
    assert seen == {(False, False, False)}
    assert flags() == (False, True, True)


def test_the_version_is_that_of_the_latest_changes():
    latest = re.search(r"^## (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert latest[1] == machine.describe(Experiment())["last-bit"]
