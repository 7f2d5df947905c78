"""What the machine is said to lack and to be."""

import json
import platform
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from lib import machine
from lib.choices import DEVICES
from lib.experiment import Experiment


@pytest.mark.parametrize("dtype", DEVICES["cpu"].dtypes)
def test_no_machine_lacks_the_cpu(dtype):
    assert machine.lacks(Experiment(dtype=dtype)) is None


@pytest.mark.parametrize(
    ("device", "dtype", "available", "sentence"),
    [
        ("cuda", "float32", True, None),
        ("cuda", "float64", True, None),
        ("cuda", "float64", False, "This machine has no CUDA device that PyTorch can use."),
        ("mps", "float32", True, None),
        ("mps", "bfloat16", True, None),
        ("mps", "float16", False, "This machine has no MPS device that PyTorch can use."),
        ("mps", "float64", True, "MPS has no float64: it computes with float32, bfloat16, float16."),
        ("mps", "float64", False, "MPS has no float64: it computes with float32, bfloat16, float16."),
    ],
)
def test_what_a_machine_lacks_is_one_sentence(monkeypatch, device, dtype, available, sentence):
    monkeypatch.setitem(machine._AVAILABLE, device, lambda: available)
    assert machine.lacks(Experiment(device=device, dtype=dtype)) == sentence


def test_every_device_is_looked_for_where_pytorch_has_it():
    assert machine._AVAILABLE.keys() == DEVICES.keys()
    for device, available in machine._AVAILABLE.items():
        if available():
            assert torch.ones(1, device=device).device.type == device
        else:
            with pytest.raises((AssertionError, RuntimeError)):
                torch.ones(1, device=device)


def test_the_description_names_all_that_last_bits_depend_on():
    description = machine.describe()
    assert set("python torch numpy system cpu cpu_capability cuda gpu mkl mkldnn threads".split()) <= description.keys()
    assert {"float32_matmul_precision", "matmul_tf32", "cudnn_tf32"} <= description.keys()
    assert {"float16_reduced_precision", "bfloat16_reduced_precision"} <= description.keys()
    assert description["python"] == platform.python_version()
    assert description["torch"] == str(torch.__version__)
    assert description["numpy"] == np.__version__
    assert description["threads"] == torch.get_num_threads()
    assert json.loads(json.dumps(description)) == description
    assert all(value != "" for value in description.values())


@pytest.mark.parametrize(
    ("cpuinfo", "cpu"),
    [
        ("processor\t: 0\nmodel name\t: Some CPU: 3 GHz\n\nprocessor\t: 1\nmodel name\t: Other\n", "Some CPU: 3 GHz"),
        ("processor\t: 0\nBogoMIPS\t: 50.00\n", "unknown"),
        (None, "the platform's own word"),
    ],
)
def test_the_processor_is_named_where_the_system_names_it(monkeypatch, cpuinfo, cpu):
    def read_text(path):
        if cpuinfo is None:
            raise FileNotFoundError(path)
        return cpuinfo

    monkeypatch.setattr(machine.Path, "read_text", read_text)
    monkeypatch.setattr(platform, "processor", lambda: "the platform's own word")
    assert machine._processor.__wrapped__() == cpu


def test_one_thread_is_said_to_whoever_asks_as_the_studies_have_it():
    def ask() -> int:
        torch.set_num_threads(2)
        return machine.describe()["threads"]

    with ThreadPoolExecutor(1) as another:
        assert another.submit(ask).result() == 1


def test_a_setting_that_is_changed_is_described_as_it_is_now(monkeypatch):
    before = machine.describe()
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", not before["cudnn_tf32"])
    assert machine.describe() == before | {"cudnn_tf32": not before["cudnn_tf32"]}
