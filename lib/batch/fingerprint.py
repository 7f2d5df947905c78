"""The fingerprint of a machine: the orders in which its linear layers add, and the bits of its activations.

Two machines, or two settings of one machine, each in a process of its own, are compared by it. Only the widths of the
network, the dtype and the device decide the orders; the seed and the samples do not.

NOTE [settings]: the kernels of a process are chosen once, when it starts. `ATEN_CPU_CAPABILITY` chooses PyTorch's own,
such as those of the activations. The libraries behind a linear layer choose theirs by themselves: MKL has
`MKL_ENABLE_INSTRUCTIONS` and `MKL_CBWR`, oneDNN has `ONEDNN_MAX_CPU_ISA`. Measured with PyTorch 2.13.0 on an Intel Xeon
with AVX-512, networks 5→10→2 and 64→256→16: in float32 and float64, `ATEN_CPU_CAPABILITY` changed bits of sigmoid but
no order, nor did a second thread; either setting of MKL, to AVX2 or SSE4_2, changed orders. In bfloat16, that of oneDNN
did, to AVX2.
"""

import hashlib
import json
import os
from collections.abc import Sequence

import torch
from torch import Tensor

from lib.batch.order_figures import orders
from lib.experiment.query import Experiment
from lib.floats.line import round_once
from lib.network import machine, network

FORMAT = 2
"""The format of the figures; another number is refused."""

SETTINGS = ("ATEN_CPU_CAPABILITY", "MKL_CBWR", "MKL_ENABLE_INSTRUCTIONS", "ONEDNN_MAX_CPU_ISA")
"""Environment variables that choose kernels: NOTE [settings]."""

_DEPENDS_ON = ("inputs", "hidden", "outputs", "activation", "output_activation", "dtype", "device")
_LONGEST = 64  # numbers, several vector registers of every processor
_VECTORS = 16


def subject(experiment: Experiment) -> Experiment:
    """Return the experiment with defaults for everything that a fingerprint does not depend on."""
    return Experiment(**{name: getattr(experiment, name) for name in _DEPENDS_ON})


def fingerprint(experiment: Experiment) -> dict[str, object]:
    """Return the fingerprint of this machine as figures for JSON. Raise RuntimeError if it cannot run the experiment.

    `hash` is that of the orders and of the bits of the activations, eight hexadecimal digits; it is None if no order
    is revealed.
    """
    if reason := machine.unsupported_reason(experiment):
        raise RuntimeError(reason)
    experiment = subject(experiment)
    rows: Sequence[dict] = orders(experiment)["orders"]  # type: ignore[assignment]
    activations = activation_bits(experiment)
    return {
        "format": FORMAT,
        "query": experiment.query,
        "environment": machine.describe(experiment),
        "settings": {name: os.environ[name] for name in SETTINGS if name in os.environ},
        "hash": hash_of(rows, activations),
        "activations": activations,
        "orders": rows,
    }


def hash_of(rows: Sequence[dict], activations: Sequence[dict]) -> str | None:
    """Return one hash of all orders and activations: the same on every machine on which all of these are."""
    if not any(row["groups"] for row in rows):
        return None
    named = [[row["batch"], row["layer"], row["direction"], row["terms"], row["groups"]] for row in rows]
    return hashlib.sha256(json.dumps([named, activations], sort_keys=True).encode()).hexdigest()[:8]


def activation_bits(experiment: Experiment) -> list[dict[str, str]]:
    """Return the hashes of the bits of each activation: of its values, and of its slopes times a cotangent of ones.

    They are computed for vectors of every length up to 64, since a kernel takes whole vector registers first, and what
    is left over by other instructions. There are none for a device other than the CPU.
    """
    if experiment.device != "cpu":
        return []
    machine.use_one_thread()
    found = []
    for name in dict.fromkeys(experiment.activations):
        activation = network.activation(name)
        values, slopes = hashlib.sha256(), hashlib.sha256()
        for length in range(1, _LONGEST + 1):
            for vector in _grid(getattr(torch, experiment.dtype)):
                x = vector[:length].clone().requires_grad_()
                y = activation(x)
                (slope,) = torch.autograd.grad(y, x, torch.ones_like(y))
                values.update(_bytes(y))
                slopes.update(_bytes(slope))
        found.append({"activation": name, "values": values.hexdigest()[:8], "slopes": slopes.hexdigest()[:8]})
    return found


def _grid(dtype: torch.dtype) -> Tensor:
    """Return fixed x from −8 up to 8, shape (_VECTORS, _LONGEST): multiples of 1/64, rounded in bfloat16 alone."""
    half = _LONGEST * _VECTORS // 2
    x = torch.arange(-half, half, dtype=torch.float64) * (8 / half)
    return round_once(x.view(_LONGEST, _VECTORS).T.contiguous(), dtype)


def _bytes(x: Tensor) -> bytes:
    return x.detach().contiguous().view(torch.uint8).numpy().tobytes()
