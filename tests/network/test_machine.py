"""Why a machine cannot run an experiment, how it rounds, and how it is described."""

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
    ("query", "available", "sentence"),
    [
        ("device=cuda&dtype=float64", True, None),
        ("device=cuda", False, "This machine has no CUDA device that PyTorch can use."),
        (
            "device=mps&dtype=float64",
            True,
            "MPS has no float64: it computes with float32, bfloat16, float16.",
        ),
    ],
)
def test_why_a_machine_cannot_run_an_experiment(monkeypatch, query, available, sentence):
    experiment = Experiment.parse(query)
    monkeypatch.setitem(machine._AVAILABLE, experiment.device, lambda: available)
    assert machine.unsupported_reason(experiment) == sentence


def test_every_device_is_looked_for_where_pytorch_has_it():
    for device in DEVICES:
        if machine.has(device):
            assert torch.ones(1, device=device).device.type == device
        else:
            with pytest.raises((AssertionError, RuntimeError)):
                torch.ones(1, device=device)


def test_the_description_names_all_that_last_bits_depend_on(monkeypatch):
    """In a thread that has two intra-op threads: the studies compute on one."""

    def describe() -> dict:
        torch.set_num_threads(2)
        return machine.describe(Experiment(matmul="full"))

    with ThreadPoolExecutor(1) as thread:
        before = thread.submit(describe).result()
        monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", not before["cudnn_tf32"])
        assert thread.submit(describe).result() == before | {"cudnn_tf32": not before["cudnn_tf32"]}
    versions = {
        "last-bit": re.search(r"(?m)^## (\S+)$", (ROOT / "CHANGELOG.md").read_text())[1],
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
    }
    settings = {
        "threads": 1,
        "matmul_tf32": False,
        "float16_reduced_precision": False,
        "bfloat16_reduced_precision": False,
    }
    assert (versions | settings).items() <= before.items()
    assert all(value != "" for value in before.values()) and len(before) == 18
    assert before["cpu"] != "unknown"
    assert json.loads(json.dumps(before)) == before


def flags() -> tuple[bool, ...]:
    matmul = torch.backends.cuda.matmul
    return (
        matmul.allow_tf32,
        matmul.allow_fp16_reduced_precision_reduction,
        matmul.allow_bf16_reduced_precision_reduction,
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [("default", (False, True, True)), ("tf32", (True, True, True)), ("full", (False,) * 3)],
)
def test_the_flags_of_a_card_are_set_while_it_computes_and_then_set_back(name, expected):
    before = flags()
    card = Experiment(device="cuda", matmul=name)
    with pytest.raises(RuntimeError), machine.matmul_flags(card):
        assert flags() == expected
        with machine.matmul_flags(replace(card, matmul="full")):
            assert flags() == (False, False, False)
        assert flags() == expected
        raise RuntimeError("out of memory")
    assert flags() == before


def test_one_thread_at_a_time_sets_the_flags():
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
    """With the CPU in place of a card; the flags do not concern float64."""
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
