"""Functions whose gradient becomes NaN, infinite or wrong at some x, each also in a safe spelling.

Both spellings are run as they are shown, in float32 on the CPU, and what they give stands beside what is right.
"""

import re
from dataclasses import dataclass
from math import inf, nan
from typing import Any

import torch

from lib.floats.line import to_float64
from lib.floats.sentences import Why
from lib.network.machine import use_one_thread

Components = tuple[float | None, ...]
"""The components of a gradient; None where there is no derivative."""


@dataclass(frozen=True)
class Unsafe:
    """A function in an unsafe and in a safe spelling: lines of code that make y of a tensor x.

    At `x`, PyTorch 2.13 `gives` one gradient for the first spelling, and `right` is the exact one, correctly rounded to
    float32. `why` the first fails and what to `do` are Markdown.
    """

    code: str
    safe: str
    x: tuple[float, ...]
    gives: Components
    right: Components
    why: str
    do: str

    @property
    def explanation(self) -> Why:
        """It links the functions in both spellings to PyTorch's documentation."""
        names = dict.fromkeys(re.findall(r"torch\.[a-z_.0-9]+", self.code + self.safe))
        return Why(self.why, self.do, {name: f"generated/{name}.html" for name in names})


def gradient(row: Unsafe, code: str) -> Components:
    """What PyTorch gives for the derivative of one spelling, here and now."""
    use_one_thread()
    x = torch.tensor(row.x if len(row.x) > 1 else row.x[0], requires_grad=True, dtype=torch.float32)
    names: dict[str, Any] = {"torch": torch, "x": x}
    exec(code, names)  # of the table below, never a visitor's
    names["y"].backward()
    return tuple(to_float64(x.grad).ravel().tolist())


UNSAFE = {
    "where": Unsafe(
        "y = torch.where(x == 0, 1, torch.sin(x) / x)",
        "z = torch.where(x == 0, 1, x)\ny = torch.where(x == 0, 1, torch.sin(z) / z)",
        *((0.0,), (nan,), (0.0,)),
        "`where` hides the value of the branch that it does not take, but the backward pass still goes through it with "
        "the gradient 0. The slopes of sin(x)/x at 0 are 1/0 and 0/0 there, and 0 · ∞ is NaN.",
        "Use `where` twice: the inner one gives the branch a harmless x, the outer one picks the result.",
    ),
    "sqrt": Unsafe(
        "y = torch.sqrt(x)",
        "y = torch.sqrt(x + 1e-12)",
        *((0.0,), (inf,), (None,)),
        "The slope of √x is 1/(2√x), which grows without bound towards 0. Times a 0 from another layer it is NaN.",
        "Add a small number inside of the root. That is another function: choose it far below the x that matter.",
    ),
    "norm": Unsafe(
        "y = (x**2).sum().sqrt()",
        "y = torch.linalg.vector_norm(x)",
        *((0.0, 0.0), (nan, nan), (None, None)),
        "The chain rule goes through the square root: its slope at 0 is ∞, that of x² is 0, and 0 · ∞ is NaN.",
        "Use `vector_norm`, whose backward pass knows the whole function: at its kink it takes 0.",
    ),
    "normalize": Unsafe(
        "y = (x / x.norm())[0]",
        "square = (x**2).sum()\ny = (x / torch.sqrt(square + 1e-12))[0]",
        *((0.0, 0.0), (nan, nan), (None, None)),
        "At 0 this is 0/0, and no direction is right: the function jumps there.",
        "Add a small number inside of the root: the gradient at 0 is finite, but large. Mask such rows if you can.",
    ),
    "acos": Unsafe(
        "y = torch.acos(x[0] / x.norm())",
        "y = torch.atan2(x[1].abs(), x[0])",
        *((1.0, 2.0**-13), (nan, inf), (-(2.0**-13), 1.0)),
        "The cosine of a small angle rounds to 1, where the slope of acos, −1/√(1 − c²), is infinite.",
        "Use `atan2`, whose slope is finite in every direction.",
    ),
    "log": Unsafe(
        "y = -(x * x.log()).sum()",
        "z = torch.where(x > 0, x, 1)\ny = -(z * z.log()).sum()",
        *((0.0, 1.0), (nan, -1.0), (None, -1.0)),
        "log(0) is −∞, and 0 · ∞ is NaN. On paper x log x tends to 0.",
        "Replace the zeros before the logarithm. They then pass no gradient on, which is a choice.",
    ),
    "log-softmax": Unsafe(
        "y = torch.log(torch.softmax(x, 0)[1])",
        "y = torch.log_softmax(x, 0)[1]",
        *((1000.0, 0.0), (nan, nan), (-1.0, 1.0)),
        "The smaller probability underflows to 0. Its logarithm has an infinite slope, and the backward pass of "
        "softmax multiplies that by the probability: 0 · ∞ is NaN.",
        "Use `log_softmax` or `cross_entropy`, which never form the probability.",
    ),
    "logsumexp": Unsafe(
        "y = torch.logsumexp(x, 0)",
        "top = x.max().detach()\ny = torch.logsumexp(x - top, 0) + top",
        *((1000.0, 1000.0), (0.4999854, 0.4999854), (0.5, 0.5)),
        "The backward pass computes exp(x − y) from the rounded result y. Where y is large, so is its rounding error, "
        "and the gradient has a relative error of that size. No NaN tells of it.",
        "Subtract the largest x yourself, detached, so that y stays small. On paper the gradient is `softmax(x)`.",
    ),
    "softplus": Unsafe(
        "y = torch.log(1 + x.exp())",
        "y = torch.nn.functional.softplus(x)",
        *((1000.0,), (nan,), (1.0,)),
        "exp(1000) overflows to ∞. The slope of the logarithm there is 1/∞, which is 0, and 0 · ∞ is NaN.",
        "Use `softplus`, or `logaddexp` with zeros. For log(sigmoid(x)) there is `logsigmoid`.",
    ),
    "expm1": Unsafe(
        "y = torch.log(1 - (-x).exp())",
        "y = torch.log(-torch.expm1(-x))",
        *((2.0**-26,), (inf,), (2.0**26,)),
        "For small x, exp(−x) rounds to 1 and the difference is 0: the slope of the logarithm there is infinite.",
        "Use `expm1(x)` for exp(x) − 1 and `log1p(x)` for log(1 + x), which keep the digits of small x.",
    ),
    "hypot": Unsafe(
        "y = torch.sqrt(x[0] ** 2 + x[1] ** 2)",
        "y = torch.hypot(x[0], x[1])",
        *((3 * 2.0**96, 4 * 2.0**96), (0.0, 0.0), (0.6000000238418579, 0.800000011920929)),
        "The squares overflow to ∞. The slope of the square root of ∞ is 0, so the gradient loses all its digits.",
        "Use `hypot`, which is made to avoid this, or scale x yourself.",
    ),
    "relu": Unsafe(
        "y = x.relu() - (-x).relu()",
        "zero = torch.zeros_like(x)\ny = x.maximum(zero) + x.minimum(zero)",
        *((0.0,), (0.0,), (1.0,)),
        "The function is x, with slope 1 everywhere. But `relu` has a kink at 0, where PyTorch takes the slope 0, and "
        "two zeros make 0. A rule that is fine for each part is wrong for the sum.",
        "Use operations that share the slope between both sides, as `maximum` and `minimum` do at a tie, or write the "
        "smooth function.",
    ),
    "max": Unsafe(
        "y = x.max(dim=0).values + x.min(dim=0).values",
        "y = torch.amax(x) + torch.amin(x)",
        *((1.0, 1.0), (2.0, 0.0), (1.0, 1.0)),
        "The larger plus the smaller of two numbers is their sum, with slope 1 in each. At a tie, `max(dim)` and "
        "`min(dim)` each send the whole gradient to one index, and here it is the same one.",
        "Use `amax` and `amin`, which share the gradient evenly at a tie.",
    ),
}
"""What visitors come with, by the keys of the link."""


def gradients(key: str) -> tuple[Components, Components]:
    """What PyTorch gives for both spellings of a row, here and now."""
    row = UNSAFE[key]
    return gradient(row, row.code), gradient(row, row.safe)
