"""What computed the figures, in one line."""

from lib.experiment.query import Experiment
from lib.network import machine
from lib.network.machine_sentences import environment


def test_the_environment_is_one_line_with_the_settings_of_the_device():
    described = machine.describe(Experiment()) | {"gpu": "Some GPU", "cuda": "13.0", "matmul_tf32": True}
    described["last-bit"] = "1.2.3"
    on_cpu, on_cuda = environment(described, "cpu"), environment(described, "cuda")
    parts = [described[key] for key in ("torch", "python", "cpu", "cpu_capability", "float32_matmul_precision")]
    assert all(part in on_cpu and part in on_cuda for part in parts) and "1 thread ·" in on_cpu
    assert on_cpu.startswith("Last Bit 1.2.3 · Device CPU · ") and "GPU" not in on_cpu and "TF32" not in on_cpu
    assert on_cuda.startswith("Last Bit 1.2.3 · Device CUDA · ") and "Some GPU, CUDA 13.0" in on_cuda
    assert "TF32 on, in cuDNN" in on_cuda
    assert "MKL" not in environment(described | {"mkl": False}, "cpu") and "\n" not in on_cpu
