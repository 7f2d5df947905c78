"""What computes, and how it may round: a table of the devices, and one of how a graphics card multiplies matrices."""

from dataclasses import dataclass

from lib.experiment.rows import Choice


@dataclass(frozen=True)
class Device(Choice):
    """`dtypes` are the floating-point types that the device can compute with.

    `repeats` says when it gives the same bits again. `chunks` is how many times as many samples as the CPU it takes at
    once, to be filled. `matmuls` is whether the flags of `MATMULS` are about it.
    """

    dtypes: tuple[str, ...]
    repeats: str
    chunks: int = 1
    matmuls: bool = False


@dataclass(frozen=True)
class Matmul(Choice):
    """How a graphics card may round within a product of matrices, as the flags of `torch.backends.cuda.matmul` say it.

    `tf32` allows it to round the factors of a float32 product, `reduced` to keep partial sums of 16-bit numbers in
    16 bits.
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
        "the same card gives the same bits in every run, as long as all its work is in one stream, as here; another "
        "card or another version of cuBLAS may add in another order",
        # 131,072 samples of the post's network: a thousand tiles of 128 rows, some for each multiprocessor of any card.
        # More would only make the CPU's part of a block, the reference and the tally, longer than a slice of time.
        chunks=16,
        matmuls=True,
    ),
    "mps": Device(
        "MPS",
        "the graphics part of an Apple chip; it has no float64",
        ("float32", "bfloat16", "float16"),
        "whether the same chip gives the same bits in every run is not documented",
    ),
}

MATMULS = {
    "default": Matmul("PyTorch's own", "no TF32; partial sums of 16-bit numbers may be kept in 16 bits", False, True),
    "tf32": Matmul("TF32", "as default, but float32 factors may be rounded to TF32: 11 significant bits", True, True),
    "full": Matmul("full", "no TF32, and every sum of 16-bit numbers in float32", False, False),
}
