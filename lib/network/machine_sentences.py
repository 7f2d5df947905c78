"""The machine that computed the figures, as a line of the page."""

from lib.display.quantities import counted
from lib.experiment.devices import DEVICES


def environment(described: dict[str, str | int | bool], device: str) -> str:
    """Describe in one line what computed the figures: the entries of `machine.describe` that matter on this device."""
    parts = [
        f"Last Bit {described['last-bit']}",
        f"Device {DEVICES[device].label}",
        f"PyTorch {described['torch']}",
        f"Python {described['python']}",
        f"{described['cpu']}",
        f"kernels for {described['cpu_capability']}",
        *[name for key, name in (("mkl", "MKL"), ("mkldnn", "oneDNN")) if described[key]],
        counted(int(described["threads"]), "thread"),
        f"float32 matmul precision {described['float32_matmul_precision']}",
    ]
    if device == "cuda":
        parts += [
            f"{described['gpu']}, CUDA {described['cuda']}",
            f"TF32 {_on(described['matmul_tf32'])}, in cuDNN {_on(described['cudnn_tf32'])}",
            f"sums in reduced precision {_on(described['float16_reduced_precision'])} for float16, "
            f"{_on(described['bfloat16_reduced_precision'])} for bfloat16",
        ]
    return " · ".join(parts)


def _on(setting: object) -> str:
    return "on" if setting else "off"
