"""What can be chosen, one table per choice.

The query, the page, the command line and the tests read the same rows. The keys are the values that
the query accepts, and a key only ever *selects* a row.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

Row = TypeVar("Row")


@dataclass(frozen=True)
class Choice:
    """A row of a table: the `label` that the page shows, and `about`, a line that describes it."""

    label: str
    about: str


def complete(kind: str, choices: Mapping[str, object], table: dict[str, Row]) -> dict[str, Row]:
    """Return the table if it has a row for each choice and no other row.

    Raises:
        TypeError: otherwise; the message names the row.
    """
    for name in [*choices, *table]:
        if name not in table:
            raise TypeError(f"The {kind} {name} lacks a row.")
        if name not in choices:
            raise TypeError(f"The {kind} {name} is not among the choices.")
    return table


@dataclass(frozen=True)
class Activation(Choice):
    """An activation function; `reference.activations` has the numbers that belong to it.

    `module` is the name of its class in `torch.nn`, and `arguments` are the keyword arguments of
    the constructor. `saves` says what its backward pass computes the slope from, its "result" or
    its "input" (source: PyTorch's derivatives.yaml).
    """

    module: str
    saves: str
    arguments: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class DType(Choice):
    """A binary floating-point format (IEEE 754-2019, table 3.5).

    bfloat16 is float32 without its last 16 bits. `bits` is the width, `precision` the number of
    significant bits, including the leading bit, which is not stored. `tolerances` are the rtol and
    the atol of `torch.testing.assert_close`, from its documentation. `flushed` says whether matrix
    products may treat subnormals as 0, as the dot product instructions of some processors do.
    """

    bits: int
    precision: int
    tolerances: tuple[float, float]
    flushed: bool = False

    @property
    def largest_exponent(self) -> int:
        """The exponent of the largest finite number: 127 in float32, whose largest is near 2**128.

        IEEE 754 calls it emax; it is also the bias of the stored exponents.
        """
        return (1 << (self.bits - self.precision - 1)) - 1

    @property
    def narrow(self) -> bool:
        """Whether PyTorch computes in float32, and rounds twice when it converts from float64."""
        return self.bits < 32


@dataclass(frozen=True)
class Device(Choice):
    """A device, and the floating-point types, `dtypes`, that it can compute with.

    In one batched call it computes `chunks` times as many samples as the CPU does, which keeps it
    busy. `matmuls` says whether the flags of `MATMULS` apply to it.
    """

    dtypes: tuple[str, ...] = ("float64", "float32", "bfloat16", "float16")
    chunks: int = 1
    matmuls: bool = False


@dataclass(frozen=True)
class Matmul(Choice):
    """How a graphics card may round within a matrix product: `torch.backends.cuda.matmul`.

    `tf32` allows it to round the factors of a float32 product to TF32. `reduced` allows it to keep
    partial sums of 16-bit numbers in 16 bits.
    """

    tf32: bool
    reduced: bool


ACTIVATIONS = {
    "identity": Activation("Identity", "x: no activation", "Identity", "input"),
    "relu": Activation("ReLU", "max(0, x): slope 0 or 1, with a kink at 0", "ReLU", "result"),
    "leaky_relu": Activation("Leaky ReLU", "x, or 0.01 x below 0", "LeakyReLU", "input"),
    "elu": Activation("ELU", "x, or eˣ − 1 below 0", "ELU", "input"),
    "gelu": Activation("GELU", "x Φ(x), with Φ the normal distribution function", "GELU", "input"),
    "silu": Activation("SiLU", "x σ(x), with σ the sigmoid", "SiLU", "input"),
    "softplus": Activation("Softplus", "log(1 + eˣ): a smooth ReLU", "Softplus", "input"),
    "tanh": Activation("Tanh", "the hyperbolic tangent, between −1 and 1", "Tanh", "result"),
    "sigmoid": Activation("Sigmoid", "1 / (1 + e⁻ˣ), between 0 and 1", "Sigmoid", "result"),
}

OUTPUT_ACTIVATIONS = ACTIVATIONS | {
    "softmax": Activation(
        "Softmax", "eˣ over their sum: the outputs add up to 1", "Softmax", "result", (("dim", -1),)
    )
}

DTYPES = {
    "float64": DType("float64", "53 significant bits, about 16 digits", 64, 53, (1e-7, 1e-7)),
    "float32": DType("float32", "24 significant bits, about 7 digits", 32, 24, (1.3e-6, 1e-5)),
    "bfloat16": DType(
        "bfloat16", "8 significant bits, the range of float32", 16, 8, (1.6e-2, 1e-5), flushed=True
    ),
    "float16": DType(
        "float16", "11 significant bits, overflows beyond 65,504", 16, 11, (1e-3, 1e-5)
    ),
}

DEVICES = {
    "cpu": Device("CPU", "the processor"),
    # 131,072 samples of the default network make a thousand tiles of 128 rows: several for each
    # multiprocessor of any card. With more, the CPU's part of a block, the reference and the tally,
    # would take longer than a slice of time.
    "cuda": Device("CUDA", "an NVIDIA or AMD graphics card", chunks=16, matmuls=True),
    "mps": Device(
        "MPS",
        "the graphics processor of an Apple chip; no float64",
        ("float32", "bfloat16", "float16"),
    ),
}

MATMULS = {
    "default": Matmul(
        "PyTorch's own",
        "no TF32; partial sums of 16-bit numbers may be kept in 16 bits",
        False,
        True,
    ),
    "tf32": Matmul(
        "TF32", "float32 factors may be rounded to TF32: 11 significant bits", True, True
    ),
    "full": Matmul("full", "no TF32, and every sum of 16-bit numbers in float32", False, False),
}

EVALUATIONS = {
    "per-sample": Choice("per sample", "one sample at a time, with 1-D inputs"),
    "batched": Choice(
        "batched",
        "a block of samples in one call: faster, by other kernels, so often other last bits",
    ),
}

DISTRIBUTIONS = {
    "uniform": Choice("uniform", "each input uniform between 0 and 1, drawn by torch.rand"),
    "normal": Choice(
        "normal", "each input normal with mean 0 and variance 1, drawn by torch.randn"
    ),
}

GRADIENTS = {
    "backward": Choice("backward", "the backward gradient, by `backward()`"),
    "method": Choice("by the method", "the summed Jacobian, by the method"),
}

NETWORKS = {
    "one": Choice("one", "one network, drawn from the seed: the figures hold for its weights"),
    "each-block": Choice(
        "one per block", "new weights for each block of samples: the figures hold for many networks"
    ),
}

X_FROM = {
    "normal": Choice("normal", "mean 0 and variance 1: 97% are between 1/32 and 4 in size"),
    "uniform": Choice(
        "uniform", "between −64 and 64: half are beyond 32 in size, where tanh rounds to −1 or 1"
    ),
    "log-uniform": Choice(
        "log-uniform", "every power of two in the dtype equally often: most are tiny or huge"
    ),
}
