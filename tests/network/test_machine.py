"""Why a machine cannot run an experiment, how it rounds, and how it is described."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from lib.experiment.choices import DEVICES, DTYPES
from lib.experiment.query import Experiment
from lib.network import machine
from lib.pitfall.costs import measure
from lib.pitfall.fixes import attempts
from lib.pitfall.study import Pitfall
from lib.replay.replay import replay
from tests.cases import finish
from tests.server import ROOT


@pytest.mark.parametrize("device", DEVICES)
def test_an_experiment_needs_a_device_with_its_dtype(device):
    for dtype in DTYPES:
        possible = machine.unsupported_reason(Experiment(device=device, dtype=dtype)) is None
        try:
            torch.ones(1, device=device, dtype=getattr(torch, dtype))
        except (AssertionError, RuntimeError, TypeError):
            assert not possible
        else:
            assert possible


def test_descriptions_are_of_settings_in_force():
    """In a thread that has two intra-op threads: the studies compute on one."""
    torch.set_num_threads(2)
    described = machine.describe(Experiment(matmul="full"))
    assert described["threads"] == torch.get_num_threads() == 1
    assert f"\n## {described['last-bit']}\n" in (ROOT / "CHANGELOG.md").read_text()
    matmuls = ("matmul_tf32", "float16_reduced_precision", "bfloat16_reduced_precision")
    assert not any(described[name] for name in matmuls)
    assert "" not in described.values()
    cpuinfo = Path("/proc/cpuinfo")
    names = re.findall("model name\\s*: (.+)", cpuinfo.read_text()) if cpuinfo.exists() else []
    assert not names or described["cpu"] in names


def flags():
    matmul = torch.backends.cuda.matmul
    return (
        matmul.allow_tf32,
        matmul.allow_fp16_reduced_precision_reduction,
        matmul.allow_bf16_reduced_precision_reduction,
    )


FLAGS = {"default": (False, True, True), "tf32": (True, True, True), "full": (False,) * 3}


@pytest.mark.parametrize("name", FLAGS)
def test_one_thread_at_a_time_sets_the_flags_of_a_card(name):
    """While it computes; then it sets them back."""
    before = flags()
    card = Experiment(device="cuda", matmul=name)

    def in_full():
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
        lambda experiment: finish(Pitfall, experiment),
        measure,
        attempts,
        lambda experiment: replay(experiment, 0, 0),
    ],
)
def test_whatever_computes_does_it_under_the_flags(monkeypatch, compute):
    """With the CPU in place of a card; the flags do not concern float64."""
    monkeypatch.setitem(DEVICES, "cpu", replace(DEVICES["cpu"], matmuls=True))
    seen = set()
    linear = torch.nn.Linear.forward

    def forward(layer, x):
        if x.dtype != torch.float64:
            seen.add(flags())
        return linear(layer, x)

    monkeypatch.setattr(torch.nn.Linear, "forward", forward)
    compute(Experiment(samples=1, matmul="full"))
    assert seen == {FLAGS["full"]} and flags() == FLAGS["default"]
