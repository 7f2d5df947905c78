"""What can be chosen, one table per choice: the query, the page, the command line and the tests read the same rows.

The keys are the values that the query accepts, and a key only ever *selects* a row. `network`, `jacobians` and
`activations` turn the rows into modules, functions and numbers.
"""

import re
from dataclasses import dataclass

from lib.experiment.rows import Choice


@dataclass(frozen=True)
class Activation(Choice):
    """An activation function.

    `module` is the name of its class in `torch.nn`, and `arguments` are the keyword arguments of the constructor.
    `saves` says what its backward pass computes the slope from, its "result" or its "input" (source: PyTorch's
    derivatives.yaml). The numbers that belong to it are in `reference.activations`.
    """

    module: str
    saves: str
    arguments: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class DType(Choice):
    """A binary floating-point format (IEEE 754-2019, table 3.5; bfloat16 is float32 without its last 16 bits).

    `bits` is its width, `precision` the number of significant bits, including the leading bit, which is not stored,
    and `largest_exponent` the exponent of its largest number. `tolerances` are the rtol and the atol of
    `torch.testing.assert_close`, from the table in its documentation. `aliases` are its other names in PyTorch and
    NumPy. `flushed` says whether matrix products may treat its subnormals as 0, as the dot product instructions of
    some processors do.
    """

    bits: int
    precision: int
    largest_exponent: int
    tolerances: tuple[float, float]
    aliases: tuple[str, ...]
    flushed: bool = False

    @property
    def narrow(self) -> bool:
        """Whether PyTorch computes in float32 and converts float64 to it by way of float32, which rounds twice."""
        return self.bits < 32


@dataclass(frozen=True)
class Method(Choice):
    """A Jacobian method.

    `api` is the PyTorch function that does the work, and `call` is how the page writes the method down.

    `mode` is the mode of automatic differentiation: "reverse", "forward" or "none". `batched` says what the method
    batches in reverse mode, its "cotangents" or "copies" of the input; kernels then see other shapes than in
    backward(). `by_operations` says that PyTorch differentiates an activation by separate operations, whereas
    backward() has one kernel for its slope: the derivative may be differentiated again, or it is a tangent.

    `gives` says what the method returns: the "rows" of the Jacobian, their "sum" as the only row, that sum in every
    row ("sums"), or an "approximation" of the rows. `options` are the additional fields of the experiment that it
    takes. `bounded` lists the evaluations in which its discrepancy has a proved bound, because its forward pass makes
    the same calls as that of backward(): see `bounds`.
    """

    api: str
    call: str
    mode: str
    batched: str = ""
    by_operations: bool = False
    gives: str = "rows"
    bounded: tuple[str, ...] = ("per-sample", "batched")
    options: tuple[str, ...] = ()

    @property
    def summed(self) -> str:
        """How the page writes the method's result summed over the outputs; a single row needs no sum."""
        if self.gives == "sum":
            return self.call
        outside = self.call
        while (shorter := re.sub(r"\([^()]*\)|\[[^][]*\]", "", outside)) != outside:
            outside = shorter
        operand = f"({self.call})" if re.search(r"[^\w.]", outside) else self.call
        return f"{operand}.sum(0)"


ACTIVATIONS = {
    "identity": Activation("Identity", "x: no activation, the network is linear", "Identity", "input"),
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
    "softmax": Activation("Softmax", "eˣ over their sum: the outputs add up to 1", "Softmax", "result", (("dim", -1),))
}

DTYPES = {
    "float64": DType(
        "float64",
        "double precision: 53 significant bits, about 16 digits",
        bits=64,
        precision=53,
        largest_exponent=1023,
        tolerances=(1e-7, 1e-7),
        aliases=("double", "f8", "DoubleTensor"),
    ),
    "float32": DType(
        "float32",
        "single precision, PyTorch's default: 24 significant bits, about 7 digits",
        bits=32,
        precision=24,
        largest_exponent=127,
        tolerances=(1.3e-6, 1e-5),
        aliases=("single", "f4", "FloatTensor"),
    ),
    "bfloat16": DType(
        "bfloat16",
        "the range of float32 with 8 significant bits, 2 to 3 digits",
        bits=16,
        precision=8,
        largest_exponent=127,
        tolerances=(1.6e-2, 1e-5),
        aliases=("BFloat16Tensor",),
        flushed=True,
    ),
    "float16": DType(
        "float16",
        "half precision: 11 significant bits, about 3 digits; overflows beyond 65,504",
        bits=16,
        precision=11,
        largest_exponent=15,
        tolerances=(1e-3, 1e-5),
        aliases=("half", "f2", "HalfTensor"),
    ),
}

# On the CPU every method takes every dtype and activation, per-sample and batched (tests/network/test_jacobians.py).
METHODS = {
    "functional": Method(
        "functional.jacobian",
        "one backward pass per output: the post's own method",
        "torch.autograd.functional.jacobian",
        "jacobian(net, x)",
        "reverse",
    ),
    "functional-vectorized": Method(
        "functional.jacobian, vectorized",
        "the backward passes of all outputs at once, by vmap",
        "torch.autograd.functional.jacobian(vectorize=True)",
        "jacobian(net, x, vectorize=True)",
        "reverse",
        batched="cotangents",
    ),
    "functional-forward": Method(
        "functional.jacobian, forward mode",
        "one forward pass with tangents per input, by vmap",
        'torch.autograd.functional.jacobian(strategy="forward-mode", vectorize=True)',
        'jacobian(net, x, vectorize=True, strategy="forward-mode")',
        "forward",
        by_operations=True,
    ),
    "jacrev": Method(
        "func.jacrev",
        "reverse mode as a function transform",
        "torch.func.jacrev",
        "jacrev(net)(x)",
        "reverse",
        batched="cotangents",
        by_operations=True,
        bounded=("batched",),  # per sample, it adds the bias of a layer in a separate operation
    ),
    "jacfwd": Method(
        "func.jacfwd",
        "forward mode as a function transform",
        "torch.func.jacfwd",
        "jacfwd(net)(x)",
        "forward",
        by_operations=True,
        bounded=("batched",),  # per sample, it adds the bias of a layer in a separate operation
    ),
    "rows": Method(
        "grad, row by row",
        "one call of grad per output: the loop that people write by hand",
        "torch.autograd.grad",
        "stack([grad(y[i], x)[0] for i in range(len(y))])",
        "reverse",
    ),
    "batched-grad": Method(
        "grad, is_grads_batched",
        "one call of grad with all cotangents as a batch",
        "torch.autograd.grad(is_grads_batched=True)",
        "grad(y, x, eye, is_grads_batched=True)[0]",
        "reverse",
        batched="cotangents",
    ),
    "copies": Method(
        "grad, one copy per output",
        "one forward pass on independent copies of the input, one per output",
        "torch.autograd.grad",
        "grad(net(copies), copies, eye)[0]",
        "reverse",
        batched="copies",
        bounded=(),
    ),
    "summed-output": Method(
        "jacobian of the summed outputs",
        "the outputs are added before differentiating: the same backward pass as backward()",
        "torch.autograd.functional.jacobian",
        "jacobian(lambda x: net(x).sum(), x)",
        "reverse",
        gives="sum",
    ),
    "single-call": Method(
        "single call (the pitfall)",
        "one call of grad on repeated inputs: every row comes back as the sum of all rows",
        "torch.autograd.grad",
        "stack(grad([y_0, y_1, …], [x, x, …]))",
        "reverse",
        gives="sums",
    ),
    "finite-difference": Method(
        "finite differences",
        "central differences: no autograd, and far fewer right digits",
        "(net(x + h) − net(x − h)) / (2h)",
        "(net(x + h) − net(x − h)) / (2h)",
        "none",
        gives="approximation",
        bounded=(),
        options=("step",),
    ),
}

EVALUATIONS = {
    "per-sample": Choice("per sample", "one sample at a time with 1-D inputs, exactly as in the post"),
    "batched": Choice("batched", "a block of samples in one call: other kernels, so other last bits; much faster"),
}

DISTRIBUTIONS = {
    "uniform": Choice("uniform", "each input uniform between 0 and 1, drawn by torch.rand"),
    "normal": Choice("normal", "each input normal with mean 0 and variance 1, drawn by torch.randn"),
}

NETWORKS = {
    "one": Choice("one", "the network of the seed: what is found is of its weights"),
    "each-block": Choice("one per block", "new weights for each block of samples: what is found is of many networks"),
}
