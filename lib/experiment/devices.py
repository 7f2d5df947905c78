"""The table of devices, and the table of settings for how a graphics card may round within matrix products."""

from dataclasses import dataclass

from lib.experiment.rows import Choice


@dataclass(frozen=True)
class Device(Choice):
    """A device, and the floating-point types, `dtypes`, that it can compute with.

    `repeats` says when it reproduces the same bits. `chunks` is how many times as many samples as the CPU it computes
    in one batched call, to keep it busy. `matmuls` says whether the flags of `MATMULS` apply to it.
    """

    dtypes: tuple[str, ...]
    repeats: str
    chunks: int = 1
    matmuls: bool = False


@dataclass(frozen=True)
class Matmul(Choice):
    """How a graphics card may round within a matrix product: the flags of `torch.backends.cuda.matmul`.

    `tf32` allows it to round the factors of a float32 product to TF32. `reduced` allows it to keep partial sums of
    16-bit numbers in 16 bits.
    """

    tf32: bool
    reduced: bool


DEVICES = {
    "cpu": Device(
        "CPU",
        "the processor",
        ("float64", "float32", "bfloat16", "float16"),
        "the same machine gives the same bits in every run",
    ),
    "cuda": Device(
        "CUDA",
        "an NVIDIA or AMD graphics card",
        ("float64", "float32", "bfloat16", "float16"),
        # docs.nvidia.com/cuda/cublas, "Results reproducibility"
        "the same card gives the same bits in every run, as long as all its work is in one stream, as it is here; "
        "another card or version of cuBLAS may add in a different order",
        # 131,072 samples of the post's network make a thousand tiles of 128 rows: several for each multiprocessor of
        # any card. With more, the CPU's part of a block, the reference and the tally, would outlast a slice of time.
        chunks=16,
        matmuls=True,
    ),
    "mps": Device(
        "MPS",
        "the graphics processor of an Apple chip; no float64",
        ("float32", "bfloat16", "float16"),
        "whether the same chip gives the same bits in every run is not documented",
    ),
}

MATMULS = {
    "default": Matmul("PyTorch's own", "no TF32; partial sums of 16-bit numbers may be kept in 16 bits", False, True),
    "tf32": Matmul(
        "TF32", "as default, except that float32 factors may be rounded to TF32: 11 significant bits", True, True
    ),
    "full": Matmul("full", "no TF32, and every sum of 16-bit numbers in float32", False, False),
}
