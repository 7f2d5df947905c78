"""Random texts of functions of x, and what they mean to Python with mpmath or PyTorch: independent
of the parser."""

import math
import re

import mpmath
import torch
from hypothesis import strategies as st

from lib.experiment.parser import read
from tests.oracles import SMOOTH

ANYWHERE = (
    "asinh atan cos cosh erf erfc exp expm1 sigmoid sin sinh softplus square tanh abs relu gelu"
).split()
WITH_EDGES = ANYWHERE + "acos asin atanh log log1p logit reciprocal rsqrt sqrt tan".split()


def texts(functions):
    """Texts that `read` takes, with x in them."""
    return (
        st.recursive(
            st.sampled_from(["x", "x", "x", "2", "0.1", "pi", "e"]),
            lambda parts: st.one_of(
                st.builds("({}{}{})".format, parts, st.sampled_from("+-*/"), parts),
                st.builds("{}({})".format, st.sampled_from(functions), parts),
                st.builds("({})**{}".format, parts, st.sampled_from([2, 3, -1])),
                st.builds("-{}".format, parts),
                st.builds("maximum({}, {})".format, parts, parts),
                st.builds("where({} > 0.3, {}, {})".format, parts, parts, parts),
            ),
            max_leaves=7,
        )
        .filter(lambda text: "x" in text.replace("exp", "").replace("maximum", ""))
        .filter(is_read)
    )


def is_read(text):
    try:
        read(text)
    except ValueError:
        # too long, or constants that have no value
        return False
    return True


def in_mpmath(text, x):
    """The value of a text at x by Python itself, with mpmath's numbers."""
    names = {
        **vars(mpmath),
        **SMOOTH,
        "abs": abs,
        "logit": lambda u: mpmath.log(u / (1 - u)),
        "reciprocal": lambda u: 1 / u,
        "relu": lambda u: max(u, 0),
        "rsqrt": lambda u: 1 / mpmath.sqrt(u),
        "square": lambda u: u * u,
        "maximum": max,
        "minimum": min,
        "where": lambda condition, this, that: this if condition else that,
    }
    # constants do not round either
    number = r"(?<![a-z\d.])(\d+(?:\.\d+)?(?:e-?\d+)?)"
    exact = re.sub(number, r"number(\1)", text)
    names |= {"number": mpmath.mpf, "x": x, "pi": mpmath.pi, "e": mpmath.e}
    return mpmath.mpmathify(eval(exact, {"__builtins__": {}}, names))


def in_torch(text, x):
    """The value of a text at x by Python itself, with PyTorch's functions of tensors and Python's
    of numbers."""

    def of_both(name):
        of_tensor = getattr(torch, name, None) or getattr(torch.nn.functional, name)
        of_number = getattr(
            math, name, lambda u: of_tensor(torch.tensor(u, dtype=torch.float64)).item()
        )
        return lambda u: of_tensor(u) if isinstance(u, torch.Tensor) else of_number(u)

    def maximum(left, right):
        if not isinstance(left, torch.Tensor) and not isinstance(right, torch.Tensor):
            return max(left, right)
        tensor = left if isinstance(left, torch.Tensor) else right
        sides = (u if isinstance(u, torch.Tensor) else tensor.new_tensor(u) for u in (left, right))
        return torch.maximum(*sides)

    def where(condition, this, that):
        return torch.where(
            condition, *(u if isinstance(u, torch.Tensor) else float(u) for u in (this, that))
        )

    names = {name: of_both(name) for name in WITH_EDGES if name != "abs"}
    names |= {"abs": abs, "maximum": maximum, "where": where, "x": x, "pi": math.pi, "e": math.e}
    return eval(text, names)
