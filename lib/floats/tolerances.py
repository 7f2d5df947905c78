"""Tolerances for comparing gradients whose bits may differ: the defaults of PyTorch's own checks.

NOTE [closeness in the dtype]: all three checks end in `torch.isclose`, which computes in the dtype of the tensors: it
rounds both the difference and its bound. rtol is a Python float, and its product with `expected` uses it as it is, or
as float32 if the dtype is smaller. atol is rounded to the dtype before it is added, so in float16 the 1e-8 of
`allclose` is 0. In 16-bit dtypes each step is rounded to float32 first. The CPU's kernels work this way, and the tests
compare `Tolerance.holds` with them. Every step is monotonic, so a verdict that holds at both ends of an interval holds
in between.
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
        """Return whether `torch.isclose` finds two floats close: NOTE [closeness in the dtype].

        `difference` is the exact difference of the two, of either sign, and `form` is their format.
        """
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
"""The defaults of `torch.autograd.gradcheck`, meant for float64: its expected values are finite differences."""


def tolerances(dtype: str) -> dict[str, Tolerance]:
    """Return the tolerances for comparing two gradients of a dtype, by the name of the check."""
    return {"assert_close": ASSERT_CLOSE[dtype], "allclose": ALLCLOSE, "gradcheck": GRADCHECK}
