"""Tolerances to compare gradients with where their bits may differ: the defaults of PyTorch's own checks.

NOTE [closeness in the dtype]: all three checks end in `torch.isclose`, and that computes in the dtype of the tensors:
the difference is rounded, and so is what is allowed. rtol is a Python float, which the product with `expected` takes as
it is, or as float32 if the dtype is smaller; atol is rounded to the dtype before it is added, so that in float16 the
1e-8 of `allclose` is 0. In 16 bits each step is rounded to float32 first. This is what the CPU's kernels do, and the
tests compare it with them. Every step is monotonic, so what holds at both ends of an interval holds in between.
"""

from dataclasses import dataclass
from fractions import Fraction

from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import FORMATS, Format


@dataclass(frozen=True)
class Tolerance:
    """Two numbers are close if abs(actual − expected) ≤ atol + rtol·abs(expected)."""

    rtol: float
    atol: float

    def holds(self, difference: Fraction, expected: Fraction, form: Format) -> bool:
        """Whether `torch.isclose` finds two floats of a format close whose exact difference, of any sign, this is: see
        NOTE [closeness in the dtype]."""
        wide = max(form, FORMATS["float32"], key=lambda one: one.precision)

        def rounded(x: Fraction) -> Fraction:
            return form.rounded(wide.rounded(x))

        actual = rounded(abs(difference))
        allowed = rounded(rounded(Fraction(self.atol)) + rounded(wide.rounded(Fraction(self.rtol)) * abs(expected)))
        return actual <= min(allowed, form.largest)


ASSERT_CLOSE = {name: Tolerance(*dtype.tolerances) for name, dtype in DTYPES.items()}
"""The defaults of `torch.testing.assert_close`, by dtype."""

ALLCLOSE = Tolerance(1e-5, 1e-8)
"""The defaults of `torch.allclose` and `torch.isclose`, in every dtype."""

GRADCHECK = Tolerance(1e-3, 1e-5)
"""The defaults of `torch.autograd.gradcheck`, which are meant for finite differences in float64: to it, these are the
expected values."""


def tolerances(dtype: str) -> dict[str, Tolerance]:
    """The tolerances to compare two gradients of a dtype with, by the name of the check."""
    return {"assert_close": ASSERT_CLOSE[dtype], "allclose": ALLCLOSE, "gradcheck": GRADCHECK}
