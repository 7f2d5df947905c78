"""What can be chosen, one table per choice: the query, the page, the command line and the tests read the same rows.

The keys are the values of the query; a key only ever *selects* a row. Nothing here needs torch, so a bad query is
answered before torch is loaded; `network`, `jacobians` and `derivatives` turn a row into modules and functions.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Choice:
    """One row: the `label` that the page shows, and one line `about` what it is."""

    label: str
    about: str


@dataclass(frozen=True)
class Activation(Choice):
    """`module` is the name of the class in `torch.nn`, `arguments` what it is built with."""

    module: str
    arguments: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Device(Choice):
    """`dtypes` are the floating-point types that the device can compute with."""

    dtypes: tuple[str, ...]


@dataclass(frozen=True)
class Method(Choice):
    """`api` is the PyTorch function that does the work, `call` how the page writes the method down."""

    api: str
    call: str


@dataclass(frozen=True)
class Function(Choice):
    """A function of one number, and its derivative as people write it.

    `call` is the function in PyTorch and `inverse` undoes it; `domain` is where the derivative exists. `formulas` are
    equal to each other on paper; `where` says what a letter in them stands for. `autograd` is the formula that PyTorch
    itself uses, as its derivatives.yaml and its kernels have it, with y for f(x). `binned` is how errors are sorted by
    x: by "mantissa" where a factor of two in x changes nothing but the exponent, else by "binade".
    """

    call: str
    domain: str
    formulas: tuple[str, ...]
    autograd: str
    inverse: str = ""
    where: str = ""
    binned: str = "binade"


ACTIVATIONS = {
    "identity": Activation("Identity", "x: no activation, the network is linear", "Identity"),
    "relu": Activation("ReLU", "max(0, x): slope 0 or 1, with a kink at 0", "ReLU"),
    "leaky_relu": Activation("Leaky ReLU", "x, or 0.01 x below 0", "LeakyReLU"),
    "elu": Activation("ELU", "x, or eˣ − 1 below 0", "ELU"),
    "gelu": Activation("GELU", "x Φ(x), with Φ the normal distribution function", "GELU"),
    "silu": Activation("SiLU", "x σ(x), with σ the sigmoid", "SiLU"),
    "softplus": Activation("Softplus", "log(1 + eˣ): a smooth ReLU", "Softplus"),
    "tanh": Activation("Tanh", "the hyperbolic tangent, between −1 and 1", "Tanh"),
    "sigmoid": Activation("Sigmoid", "1 / (1 + e⁻ˣ), between 0 and 1", "Sigmoid"),
}

OUTPUT_ACTIVATIONS = ACTIVATIONS | {
    "softmax": Activation("Softmax", "eˣ over their sum: the outputs add up to 1", "Softmax", (("dim", -1),)),
}

DTYPES = {
    "float64": Choice("float64", "double precision: 53 significant bits, about 16 digits"),
    "float32": Choice("float32", "single precision, PyTorch's default: 24 significant bits, about 7 digits"),
    "bfloat16": Choice("bfloat16", "the range of float32 with 8 significant bits, 2 to 3 digits"),
    "float16": Choice("float16", "half precision: 11 significant bits, about 3 digits; overflows beyond 65,504"),
}

DEVICES = {
    "cpu": Device("CPU", "the processor", ("float64", "float32", "bfloat16", "float16")),
    "cuda": Device("CUDA", "an NVIDIA or AMD graphics card", ("float64", "float32", "bfloat16", "float16")),
    "mps": Device("MPS", "the graphics part of an Apple chip; it has no float64", ("float32", "bfloat16", "float16")),
}

# On the CPU every method serves every dtype and activation, per-sample and batched (tests/test_jacobians.py tries all).
METHODS = {
    "functional": Method(
        "functional.jacobian",
        "one backward pass per output: the post's own method",
        "torch.autograd.functional.jacobian",
        "jacobian(net, x)",
    ),
    "functional-vectorized": Method(
        "functional.jacobian, vectorized",
        "the backward passes of all outputs at once, by vmap",
        "torch.autograd.functional.jacobian(vectorize=True)",
        "jacobian(net, x, vectorize=True)",
    ),
    "functional-forward": Method(
        "functional.jacobian, forward mode",
        "one forward pass with tangents per input, by vmap",
        'torch.autograd.functional.jacobian(strategy="forward-mode", vectorize=True)',
        'jacobian(net, x, vectorize=True, strategy="forward-mode")',
    ),
    "jacrev": Method(
        "func.jacrev",
        "reverse mode as a function transform",
        "torch.func.jacrev",
        "jacrev(net)(x)",
    ),
    "jacfwd": Method(
        "func.jacfwd",
        "forward mode as a function transform",
        "torch.func.jacfwd",
        "jacfwd(net)(x)",
    ),
    "rows": Method(
        "grad, row by row",
        "one call of grad per output: the loop that people write by hand",
        "torch.autograd.grad",
        "stack([grad(y_i, x)[0] for y_i in y])",
    ),
    "batched-grad": Method(
        "grad, is_grads_batched",
        "one call of grad with all cotangents as a batch",
        "torch.autograd.grad(is_grads_batched=True)",
        "grad(y, x, eye, is_grads_batched=True)[0]",
    ),
    "copies": Method(
        "grad, one copy per output",
        "one forward pass on independent copies of the input, one per output",
        "torch.autograd.grad",
        "grad(net(copies), copies, eye)[0]",
    ),
    "summed-output": Method(
        "jacobian of the summed outputs",
        "the outputs are added before differentiating: the same backward pass as backward()",
        "torch.autograd.functional.jacobian",
        "jacobian(lambda x: net(x).sum(), x)",
    ),
    "single-call": Method(
        "single call (the pitfall)",
        "one call of grad on repeated inputs: every row comes back as the sum of all rows",
        "torch.autograd.grad",
        "stack(grad([y_0, y_1, …], [x, x, …]))",
    ),
    "finite-difference": Method(
        "finite differences",
        "central differences: no autograd, and far fewer right digits",
        "none: (net(x + h) − net(x − h)) / 2h",
        "(net(x + h) − net(x − h)) / 2h",
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

_RECIPROCAL_FORMULAS = ("-1/x**2", "-(1/x)*(1/x)", "-x**-2", "-(1/x)/x")

FUNCTIONS = {
    "reciprocal": Function(
        "1/x",
        "the post's function; PyTorch turns 1/x into x.reciprocal()",
        "1/x",
        "every x but 0",
        _RECIPROCAL_FORMULAS,
        "-(y*y)",
        inverse="1/y",
        binned="mantissa",
    ),
    "ones-over-x": Function(
        "ones/x",
        "the same function as a division of two tensors, which has another backward formula",
        "torch.ones_like(x)/x",
        "every x but 0",
        _RECIPROCAL_FORMULAS,
        "-(1/x)/x",
        inverse="torch.ones_like(y)/y",
        binned="mantissa",
    ),
    "sqrt": Function(
        "√x",
        "the square root: infinitely steep at 0",
        "torch.sqrt(x)",
        "x > 0; at 0 the slope is infinite, and a negative x has no real root",
        ("1/(2*sqrt(x))", "0.5*x**-0.5", "sqrt(x)/(2*x)"),
        "1/(2*y)",
        inverse="y**2",
        binned="mantissa",
    ),
    "exp": Function(
        "eˣ",
        "the exponential function, its own derivative",
        "torch.exp(x)",
        "every x",
        ("exp(x)", "1/exp(-x)", "exp(x/2)**2"),
        "y",
        inverse="torch.log(y)",
    ),
    "log": Function(
        "log x",
        "the natural logarithm",
        "torch.log(x)",
        "x > 0; the logarithm of 0 is −∞, and a negative x has no real one",
        ("1/x", "x/x**2", "exp(-log(x))"),
        "1/x",
        inverse="torch.exp(y)",
        binned="mantissa",
    ),
    "tanh": Function(
        "tanh",
        "the hyperbolic tangent, between −1 and 1",
        "torch.tanh(x)",
        "every x",
        ("1-tanh(x)**2", "(1-t)*(1+t)", "1/cosh(x)**2"),
        "1-y*y, rounded once where the kernel was compiled to a fused multiply-add",
        inverse="torch.atanh(y)",
        where="t = tanh(x)",
    ),
    "sigmoid": Function(
        "sigmoid",
        "1/(1 + e⁻ˣ), between 0 and 1",
        "torch.sigmoid(x)",
        "every x",
        ("y*(1-y)", "exp(-x)/(1+exp(-x))**2", "sigmoid(x)*sigmoid(-x)"),
        "(1-y)*y",
        inverse="torch.logit(y)",
        where="y = sigmoid(x)",
    ),
    "softplus": Function(
        "softplus",
        "log(1 + eˣ), a smooth ReLU; PyTorch takes x itself beyond 20",
        "torch.nn.functional.softplus(x)",
        "every x",
        ("sigmoid(x)", "1/(1+exp(-x))", "exp(x)/(1+exp(x))", "1-exp(-y)"),
        "exp(x)/(exp(x)+1), and 1 beyond x = 20",
        inverse="torch.log(torch.expm1(y))",
        where="y = softplus(x)",
    ),
    "gelu": Function(
        "GELU",
        "x Φ(x), with Φ the normal distribution function by erf",
        "torch.nn.functional.gelu(x)",
        "every x",
        ("(1+erf(x/sqrt(2)))/2+x*p", "erfc(-x/sqrt(2))/2+x*p", "y/x+x*p"),
        "(1+erf(x*sqrt(1/2)))/2+x*p, in a kernel of its own",
        where="p = exp(-x**2/2)/sqrt(2*pi), y = gelu(x)",
    ),
    "abs": Function(
        "|x|",
        "the absolute value, with a kink at 0",
        "torch.abs(x)",
        "every x but 0; there PyTorch takes 0",
        ("sign(x)", "x/abs(x)", "abs(x)/x"),
        "sign(x)",
        binned="mantissa",
    ),
    "relu": Function(
        "ReLU",
        "max(0, x), with a kink at 0",
        "torch.relu(x)",
        "every x but 0; there PyTorch takes 0",
        ("1*(x>0)", "relu(x)/x", "(1+sign(x))/2"),
        "1 where y > 0, else 0",
        binned="mantissa",
    ),
    "square": Function(
        "x²",
        "the square: its derivative 2x is exact in floats",
        "x**2",
        "every x",
        ("2*x", "x+x", "2*x**2/x", "((x+1)**2-(x-1)**2)/2"),
        "2*x",
    ),
}

X_FROM = {
    "normal": Choice(
        "normal",
        "mean 0 and variance 1, as in the post: over-represents x around 1, with 97% between 1/32 and 4 in size",
    ),
    "uniform": Choice(
        "uniform",
        "between −64 and 64, so that tanh and sigmoid saturate in every dtype: over-represents large x, with half of "
        "them beyond 32 in size and one in 128 below 1/2",
    ),
    "log-uniform": Choice(
        "log-uniform",
        "every power of two that the dtype has, subnormals too, equally often and with both signs: over-represents the "
        "tiny and the huge, where most functions are flat or overflow",
    ),
}
