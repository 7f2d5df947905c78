"""The machine: whether it can run an experiment, its settings, and its description.

The JSON and the CSV file have the description, because last bits depend on the processor and on the
versions of the libraries.
"""

import platform
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import RLock

import flint
import numpy as np
import torch

from lib.experiment.choices import DEVICES, MATMULS, complete
from lib.experiment.query import Experiment

VERSION = "0.3.0"
"""The version of Last Bit; CHANGELOG.md says what is new in it."""

_AVAILABLE: dict[str, Callable[[], bool]] = complete(
    "device",
    DEVICES,
    {"cpu": lambda: True, "cuda": torch.cuda.is_available, "mps": torch.backends.mps.is_available},
)

_FLAGS_IN_USE = RLock()


def has(device: str) -> bool:
    """Return whether PyTorch can use this device on this machine."""
    return _AVAILABLE[device]()


def unsupported_reason(experiment: Experiment) -> str | None:
    """Return why this machine cannot run the experiment, in one sentence, or None if it can."""
    device = DEVICES[experiment.device]
    if experiment.dtype not in device.dtypes:
        dtypes = ", ".join(device.dtypes)
        return f"{device.label} has no {experiment.dtype}: it computes with {dtypes}."
    if not has(experiment.device):
        return f"This machine has no {device.label} device that PyTorch can use."
    return None


def use_one_thread() -> None:
    """Use one intra-op thread for the work of the calling thread.

    Only two lasting settings of PyTorch are ever changed: this one and, on the command line, the
    current CUDA device. Intra-op threads spin while they wait: on a busy machine, more threads lose
    several times what they gain on an idle one. How a kernel divides its work among threads may
    also change last bits. To use more cores, run more processes.
    """
    # On every call, because OpenMP keeps the setting per thread.
    torch.set_num_threads(1)


@cache
def keep_freed_memory() -> None:
    """Let the C library keep up to 16 MiB of freed memory for each thread.

    Otherwise the blocks of a wide network take memory from the system and return it page by page,
    which costs up to a third of their time. If a block of 8 MiB is freed, glibc from then on keeps
    twice as much free memory: mallopt(3), M_TRIM_THRESHOLD. Elsewhere this does nothing.
    """
    # Freed at once.
    np.empty(2**23, np.uint8)


@contextmanager
def matmul_flags(experiment: Experiment) -> Iterator[None]:
    """Set how a graphics card may round within matrix products, as the experiment chooses.

    The flags are settings of the whole process, so one thread at a time sets them for its
    computation and restores them afterwards. Settings of the calling thread alone would not do: the
    card's part of `backward()` runs on a thread of its own. The flags do not affect what the CPU
    computes.
    """
    if not DEVICES[experiment.device].matmuls:
        yield
        return
    row = MATMULS[experiment.matmul]
    flags = torch.backends.cuda.matmul
    wanted = {
        "allow_tf32": row.tf32,
        "allow_fp16_reduced_precision_reduction": row.reduced,
        "allow_bf16_reduced_precision_reduction": row.reduced,
    }
    with _FLAGS_IN_USE:
        before = {name: getattr(flags, name) for name in wanted}
        try:
            for name, value in wanted.items():
                setattr(flags, name, value)
            yield
        finally:
            for name, value in before.items():
                setattr(flags, name, value)


def describe(experiment: Experiment) -> dict[str, str | int | bool]:
    """Return everything that the last bits of the experiment may depend on.

    These are versions, the processor, and settings: one intra-op thread, the flags for matrix
    products that the experiment chooses, and two settings of PyTorch that it does not choose.
    """
    use_one_thread()
    row = MATMULS[experiment.matmul]
    return {
        "last-bit": VERSION,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
        "python-flint": flint.__version__,
        "system": f"{platform.system()} {platform.machine()}",
        "cpu": _processor(),
        "cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "cuda": torch.version.cuda or "none",
        "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else "none",
        "mkl": torch.backends.mkl.is_available(),
        "mkldnn": torch.backends.mkldnn.is_available(),
        "threads": torch.get_num_threads(),
        "float32_matmul_precision": torch.get_float32_matmul_precision(),
        "matmul_tf32": row.tf32,
        "cudnn_tf32": torch.backends.cudnn.allow_tf32,
        "float16_reduced_precision": row.reduced,
        "bfloat16_reduced_precision": row.reduced,
    }


@cache
def _processor() -> str:
    """The name of the processor: on Linux from /proc/cpuinfo, elsewhere from Python."""
    cpuinfo = Path("/proc/cpuinfo")
    text = cpuinfo.read_text() if cpuinfo.exists() else ""
    model = re.search(r"^model name\s*: (.+)", text, re.MULTILINE)
    return model[1] if model else platform.processor() or "unknown"
