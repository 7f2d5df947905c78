"""The functions whose gradient becomes NaN, infinite or wrong: where each is looked at, why it fails, what helps.

A reason explains one kind of failure, so it is given only where that is what PyTorch returned.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from torch import Tensor

from lib.derivative import unsafe_exact as exact
from lib.derivative import unsafe_spellings as spelt
from lib.derivative.unsafe_exact import Exact
from lib.derivative.unsafe_points import Points, at, far_out, nearly_0, nearly_along


@dataclass(frozen=True)
class Case:
    """A function in an unsafe and in a safe spelling.

    `points` gives the x to look at in a dtype. `exact` is the derivative of the function that is meant; `shifted` is
    that of the safe spelling if it is another function, and also takes the dtype's eps. `fails` are the kinds of
    failure that `why` explains. `api` links names to pages of PyTorch's documentation, and at `known` others report it.
    """

    label: str
    unsafe: Callable[[Tensor], Tensor]
    safe: Callable[[Tensor], Tensor]
    points: Points
    exact: Callable[..., Exact]
    fails: frozenset[str]
    why: str
    do: str
    api: Mapping[str, str]
    known: str = ""
    shifted: Callable[..., Exact] | None = None
    second_order: bool = False


_NAN, _INFINITE, _WRONG = frozenset({"nan"}), frozenset({"inf"}), frozenset({"off", "zero"})

_CONVENTIONS = {"what autograd does at kinks": "notes/autograd.html#gradients-for-non-differentiable-functions"}

CASES = {
    "where": Case(
        "where as a mask",
        spelt.sinc,
        spelt.safe_sinc,
        at((0.0,), (1.0,)),
        exact.sinc,
        _NAN,
        "`where` hides the value of the branch that it does not take, but the backward pass still goes through that "
        "branch, with the gradient 0. The slopes of sin(x)/x at 0 are 1/0 and 0/0 there, and 0 · ∞ is NaN.",
        "Use `where` twice. The inner one gives the branch a harmless x; the outer one picks the result.",
        {"torch.where": "generated/torch.where.html"},
        "https://github.com/pytorch/pytorch/issues/68425",
    ),
    "sqrt": Case(
        "√x at 0",
        spelt.root,
        spelt.safe_root,
        at((0.0,), (4.0,)),
        exact.root,
        _INFINITE,
        "The slope of √x is 1/(2√x), which grows without bound as x approaches 0. Infinity is its limit; multiplied "
        "by a 0 from another layer it becomes NaN.",
        "Add a small eps inside the root; outside it would change no slope. That is another function, so choose eps "
        "far below the x that matter.",
        {"torch.sqrt": "generated/torch.sqrt.html"},
        shifted=exact.shifted_root,
    ),
    "norm": Case(
        "a norm at 0",
        spelt.length,
        spelt.safe_length,
        at((0.0, 0.0), (3.0, 4.0)),
        exact.length,
        _NAN,
        "The chain rule goes through the square root: its slope at 0 is ∞, that of x² is 0, and 0 · ∞ is NaN. The "
        "length itself has a kink at 0, as abs(x) has.",
        "Use `torch.linalg.vector_norm`, whose backward pass knows the whole function. At the kink any vector of "
        "length at most 1 is a subgradient.",
        {"torch.linalg.vector_norm": "generated/torch.linalg.vector_norm.html"} | _CONVENTIONS,
        "https://github.com/pytorch/pytorch/issues/2421",
    ),
    "pow": Case(
        "x**p at 0",
        spelt.power,
        spelt.safe_power,
        at((0.0,), (-4.0,)),
        exact.power,
        _NAN,
        "A power below 1 has an infinite slope at 0. The square inside has slope 0 there, and 0 · ∞ is NaN, although "
        "the function as a whole is flat at 0.",
        "Simplify on paper until no exponent is below 1: (x²)^0.75 is |x|^1.5.",
        {"torch.pow": "generated/torch.pow.html"},
    ),
    "cube-root": Case(
        "x**p of negative x",
        spelt.cube_root,
        spelt.safe_cube_root,
        at((-8.0,), (8.0,)),
        exact.cube_root,
        _NAN,
        "1/3 is not a float, and a negative number to a power that is not whole is not real, so `pow` returns NaN, and "
        "so does its gradient.",
        "Take the root of the absolute value, and put the sign back.",
        {"torch.pow": "generated/torch.pow.html"},
    ),
    "normalize": Case(
        "x/x.norm() at 0",
        spelt.unit,
        spelt.safe_unit,
        at((0.0, 0.0), (3.0, 4.0)),
        exact.unit,
        _NAN,
        "At 0 this is 0/0, and no direction is right: the function jumps there.",
        "Add eps inside the root of the norm. The result then is 0 at 0, and the gradient is finite but large, "
        "1/√eps. Mask such rows if they should not count.",
        {"torch.nn.functional.normalize": "generated/torch.nn.functional.normalize.html"},
        shifted=exact.shifted_unit,
    ),
    "acos": Case(
        "acos near ±1",
        spelt.angle,
        spelt.safe_angle,
        nearly_along,
        exact.angle,
        frozenset({"nan", "inf"}),
        "The cosine of a small angle rounds to 1. There the slope of acos, −1/√(1 − c²), is infinite, although the "
        "angle has an ordinary gradient.",
        "Use `atan2`, whose slope is finite for every direction. In three dimensions that is "
        "`atan2(cross(a, b).norm(), dot(a, b))`.",
        {"torch.acos": "generated/torch.acos.html", "torch.atan2": "generated/torch.atan2.html"},
        "https://github.com/pytorch/pytorch/issues/8069",
    ),
    "log": Case(
        "log of a 0",
        spelt.entropy,
        spelt.safe_entropy,
        at((0.0, 1.0), (0.5, 0.5)),
        exact.entropy,
        frozenset({"nan", "inf"}),
        "log(0) is −∞, and 0 · ∞ is NaN. On paper p log p tends to 0.",
        "Replace the zeros before the logarithm. A probability of 0 then passes no gradient on: that is a choice, "
        "since the slope of −p log p at 0 is infinite.",
        {"torch.log": "generated/torch.log.html"},
    ),
    "log-softmax": Case(
        "log of softmax",
        spelt.log_probability,
        spelt.safe_log_probability,
        at((1000.0, 0.0), (1.0, 0.0)),
        exact.log_probability,
        _NAN,
        "The smaller probability underflows to 0. Its logarithm is −∞ with an infinite slope, and the backward pass "
        "of softmax multiplies that by the probability, 0: that is NaN.",
        "Use `log_softmax` or `cross_entropy`, which never form the probability.",
        {"torch.log_softmax": "generated/torch.nn.functional.log_softmax.html"},
    ),
    "log-sum": Case(
        "log of a sum of exp",
        spelt.log_sum,
        spelt.safe_log_sum,
        at((1000.0, 1000.0), (1.0, 0.0)),
        exact.log_sum,
        _NAN,
        "exp(1000) overflows to ∞. The slope of the logarithm there is 1/∞, which is 0, and 0 · ∞ is NaN.",
        "Subtract the largest x before exp and add it back: on paper nothing changes. `torch.logsumexp` does it for "
        "the value.",
        {"torch.logsumexp": "generated/torch.logsumexp.html"},
    ),
    "logsumexp": Case(
        "logsumexp of large x",
        spelt.built_in_log_sum,
        spelt.safe_log_sum,
        at((1000.0, 1000.0), (1.0, 0.0)),
        exact.log_sum,
        _WRONG,
        "The backward pass computes exp(x − y) from the rounded result y. An error of y is a relative error of the "
        "gradient of the same size, and where y is large, so is an ulp of y. No NaN tells of it.",
        "Subtract the largest x yourself, detached, so that y stays small. On paper the gradient is `softmax(x)`.",
        {
            "torch.logsumexp": "generated/torch.logsumexp.html",
            "torch.softmax": "generated/torch.nn.functional.softmax.html",
        },
    ),
    "softplus": Case(
        "log(1 + exp(x))",
        spelt.softplus,
        spelt.safe_softplus,
        at((1000.0,), (0.0,)),
        exact.softplus,
        _NAN,
        "exp(1000) overflows to ∞. The slope of the logarithm there is 1/∞, which is 0, and 0 · ∞ is NaN.",
        "Use `softplus`, or `logaddexp` with a tensor of zeros. For log(sigmoid(x)) there is `logsigmoid`.",
        {"torch.nn.functional.softplus": "generated/torch.nn.functional.softplus.html"},
    ),
    "expm1": Case(
        "1 − exp(−x) near 0",
        spelt.log_of_the_rest,
        spelt.safe_log_of_the_rest,
        nearly_0,
        exact.log_of_the_rest,
        _INFINITE,
        "For small x, exp(−x) rounds to 1 and the difference is 0: all digits are lost, and the slope of the logarithm "
        "at 0 is infinite.",
        "Use `expm1(x)` for exp(x) − 1 and `log1p(x)` for log(1 + x), which keep the digits of small x.",
        {"torch.expm1": "generated/torch.expm1.html", "torch.log1p": "generated/torch.log1p.html"},
    ),
    "hypot": Case(
        "√(x² + y²) of large x",
        spelt.hypotenuse,
        spelt.safe_hypotenuse,
        far_out,
        exact.length,
        frozenset({"zero", "nan"}),
        "The squares overflow to ∞. The slope of the square root of ∞ is 0, so the gradient loses all its digits.",
        "Use `hypot`, which is made to avoid this, or scale x yourself.",
        {"torch.hypot": "generated/torch.hypot.html"},
    ),
    "relu": Case(
        "relu(x) − relu(−x) at 0",
        spelt.rectified,
        spelt.safe_rectified,
        at((0.0,), (2.0,)),
        exact.identity,
        _WRONG,
        "The function is x, with slope 1 everywhere. But `relu` has a kink at 0, where PyTorch takes the slope 0, and "
        "two zeros make 0. A rule that is fine for each part is wrong for the sum.",
        "Where pieces meet in a smooth function, use operations that share the slope between both sides, as `maximum` "
        "and `minimum` do at a tie, or write the smooth function. `relu` alone has no derivative at 0: its "
        "section is *Kinks*.",
        {"torch.maximum": "generated/torch.maximum.html"} | _CONVENTIONS,
    ),
    "max": Case(
        "max and min at a tie",
        spelt.ends,
        spelt.safe_ends,
        at((1.0, 1.0), (1.0, 2.0)),
        exact.total,
        _WRONG,
        "Of two numbers, the largest plus the smallest is their sum, with slope 1 in each. At a tie, `max(dim)` and "
        "`min(dim)` each send the whole gradient to one index, and here it is the same one.",
        "Use `amax` and `amin`, which share the gradient evenly at a tie.",
        {"torch.amax": "generated/torch.amax.html", "torch.max": "generated/torch.max.html"} | _CONVENTIONS,
    ),
    "hessian": Case(
        "a Hessian through a norm",
        spelt.bell,
        spelt.safe_bell,
        at((0.0, 0.0)),
        exact.bell,
        frozenset({"nan", "zero"}),
        "The square of the norm is smooth, but the norm has a kink at 0. Its gradient there is a convention, and "
        "differentiating a convention gives no second derivative: forward and reverse mode need not even agree.",
        "Square before you sum, and leave out the root: exp(−‖x‖²) needs no norm.",
        {
            "torch.autograd.functional.hessian": "generated/torch.autograd.functional.hessian.html",
            "torch.func.hessian": "generated/torch.func.hessian.html",
        },
        "https://github.com/pytorch/functorch/issues/1097",
        second_order=True,
    ),
}
"""What visitors come with, by the keys of the link."""
