"""Why a machine cannot run an experiment, how it rounds, and how it is described."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

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


def test_the_description_names_all_that_last_bits_depend_on():
    """In a thread that has two intra-op threads: the studies compute on one."""

    def describe() -> dict:
        torch.set_num_threads(2)
        return machine.describe(Experiment(matmul="full"))

    with ThreadPoolExecutor(1) as thread:
        described = thread.submit(describe).result()
    assert described["last-bit"] == re.search(
        r"(?m)^## (\S+)$", (ROOT / "CHANGELOG.md").read_text()
    ).group(1)
    assert described["torch"] == torch.__version__ and described["threads"] == 1
    matmuls = ("matmul_tf32", "float16_reduced_precision", "bfloat16_reduced_precision")
    assert not any(described[name] for name in matmuls)
    assert "" not in described.values() and described["cpu"] != "unknown"


def flags() -> tuple[bool, ...]:
    matmul = torch.backends.cuda.matmul
    return (
        matmul.allow_tf32,
        matmul.allow_fp16_reduced_precision_reduction,
        matmul.allow_bf16_reduced_precision_reduction,
    )


FLAGS = {"default": (False, True, True), "tf32": (True, True, True), "full": (False,) * 3}


@pytest.mark.parametrize("name", FLAGS)
def test_one_thread_sets_the_flags_of_a_card_while_it_computes_and_then_sets_them_back(name):
    before = flags()
    card = Experiment(device="cuda", matmul=name)

    def in_full() -> tuple[bool, ...]:
        with machine.matmul_flags(replace(card, matmul="full")):
            return flags()

    with ThreadPoolExecutor(1) as thread:
        with pytest.raises(RuntimeError), machine.matmul_flags(card):
            assert flags() == FLAGS[name]
            assert in_full() == FLAGS["full"]
            other = thread.submit(in_full)
            with pytest.raises(TimeoutError):
                other.result(0.05)
            assert flags() == FLAGS[name]
            raise RuntimeError("out of memory")
        assert other.result() == FLAGS["full"]
    assert flags() == before


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
    assert seen == {FLAGS["full"]} and flags() == FLAGS["default"]
