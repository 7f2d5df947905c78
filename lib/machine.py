"""The machine: what it lacks for an experiment, how it is to compute, and a description to go with every figure.

Last bits depend on the processor and on the versions of the libraries, so a figure without them is half a figure.
"""

import platform
from functools import cache
from pathlib import Path

import flint
import numpy as np
import torch

from lib.choices import DEVICES
from lib.experiment import Experiment

_AVAILABLE = {
    "cpu": lambda: True,
    "cuda": torch.cuda.is_available,
    "mps": torch.backends.mps.is_available,
}


def lacks(experiment: Experiment) -> str | None:
    """One sentence on what this machine lacks for the experiment, or None if it can run it."""
    device = DEVICES[experiment.device]
    if experiment.dtype not in device.dtypes:
        return f"{device.label} has no {experiment.dtype}: it computes with {', '.join(device.dtypes)}."
    if not _AVAILABLE[experiment.device]():
        return f"This machine has no {device.label} device that PyTorch can use."
    return None


def use_one_thread() -> None:
    """One intra-op thread, the one global setting of PyTorch, for whichever thread calls this: a study, when it begins.

    With a busy neighbour more threads lose several times what they gain alone, since they spin while they wait, and how
    a kernel shares out its work may change last bits. More cores are used by more processes.
    """
    torch.set_num_threads(1)  # every time, because OpenMP keeps it for each thread


def describe() -> dict[str, str | int | bool]:
    """Versions, processor and settings: all that the last bits may depend on. One thread, for whoever asks too."""
    use_one_thread()
    products = torch.backends.cuda.matmul
    return {
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
        "matmul_tf32": products.allow_tf32,
        "cudnn_tf32": torch.backends.cudnn.allow_tf32,
        "float16_reduced_precision": products.allow_fp16_reduced_precision_reduction,
        "bfloat16_reduced_precision": products.allow_bf16_reduced_precision_reduction,
    }


@cache
def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")
