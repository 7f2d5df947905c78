"""Tolerances to compare gradients with where their bits may differ: the defaults of PyTorch's own checks."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Tolerance:
    """Two numbers are close if abs(actual − expected) ≤ atol + rtol·abs(expected)."""

    rtol: float
    atol: float


ASSERT_CLOSE = {
    "float64": Tolerance(1e-7, 1e-7),
    "float32": Tolerance(1.3e-6, 1e-5),
    "bfloat16": Tolerance(1.6e-2, 1e-5),
    "float16": Tolerance(1e-3, 1e-5),
}
"""The defaults of `torch.testing.assert_close`, by dtype: the table in its documentation."""

GRADCHECK = Tolerance(1e-3, 1e-5)
"""The defaults of `torch.autograd.gradcheck`, which are made for finite differences in float64."""


def tolerances(dtype: str) -> dict[str, Tolerance]:
    """What to compare with if the bits may differ, by name."""
    return {"assert_close": ASSERT_CLOSE[dtype], "gradcheck": GRADCHECK}
