"""The derivatives at one x, autograd's and each formula's, beside the exact one.

An x is computed as part of a whole block, by the same kernels as random x: NOTE [whole blocks] in
`formulas`.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import inf, isfinite, nan

import torch

from lib.derivative.certified import MOST_BITS, Certified, certify
from lib.derivative.counterexample import Counterexample, counterexample
from lib.derivative.formulas import derivatives_at, parsed
from lib.derivative.tally import DerivativeTally
from lib.experiment.query import Experiment
from lib.floats.exact_floats import FORMATS
from lib.floats.quantities import in_floats
from lib.floats.ulps import round_once
from lib.network.machine import use_one_thread
from lib.network.sampling import POINTS, points

X_OF_RECIPROCAL = 1.0497568845748901
"""A float32 x at which autograd's derivative of 1/x and -1/x**2 are 2⁻²⁴ apart, which is one float,
and PyTorch prints −0.9074 for both."""

_FIRST = 256
"""How many random x are tried as counterexamples."""


@dataclass(frozen=True)
class Explanation:
    """The derivatives at one x of a dtype.

    Attributes:
        x: the point.
        dtype: the name of its dtype.
        exact: the exact derivative.
        computed: the values of autograd and of each formula, by name.
    """

    x: float
    dtype: str
    exact: Certified
    computed: dict[str, float]

    @property
    def fraction(self) -> Fraction | None:
        """The exact derivative as a fraction; None if it does not exist or overflows."""
        return self.exact.fraction if isfinite(self.exact.nearest) else None

    def steps(self, name: str) -> float:
        """Return how many floats a value is off on the float line.

        It is inf if the value or the exact derivative is not finite.
        """
        exact = self.fraction
        value = self.computed[name]
        if exact is None or not isfinite(value):
            return inf
        form = FORMATS[self.dtype]
        return float(abs(form.place(Fraction(value)) - form.place(exact)))

    def off(self, name: str) -> str:
        """Say how far off a value is.

        "exact" is said only where the exact derivative is known to be a float.
        """
        steps = self.steps(name)
        if steps == inf:
            return "not finite"
        # 0 has no right digit, however few floats it is away.
        if self.computed[name] == 0 and self.exact.nearest:
            return "off by 100%"
        if steps == 0 and self.exact.is_float:
            return "exact"
        return f"off by {in_floats(steps) if steps >= 0.01 else 'less than 0.01'} floats"

    @property
    def why_unknown(self) -> str:
        """Why there is no exact derivative to compare with, where `fraction` is None."""
        if self.exact.undecided:
            why = f"two branches meet there, or its domain ends, or {MOST_BITS:,} bits are too few"
            return f"the derivative is undecided: {why}"
        if self.exact.exists:
            return f"the exact derivative is beyond the largest {self.dtype}"
        return "the derivative does not exist"


def explain(function: str, x: float, dtype: str, device: str = "cpu") -> Explanation:
    """Compute every derivative at one x.

    Args:
        function: the name of a listed function, or the text of a visitor's own.
        x: any number, which is first rounded to the dtype.
        dtype: the name of the dtype.
        device: where autograd and the formulas are computed.
    """
    use_one_thread()
    block = torch.full((POINTS,), x, dtype=torch.float64)
    block = round_once(block, getattr(torch, dtype)).to(device)
    rounded = block[0].item()
    computed = derivatives_at(function, block)
    exists = parsed(function).exists(torch.tensor(rounded, dtype=torch.float64))
    exact = certify(function, rounded, block.dtype) if exists else Certified(nan)
    values = {name: derivative[0].item() for name, derivative in computed.items()}
    return Explanation(rounded, dtype, exact, values)


def example_x(tally: DerivativeTally, experiment: Experiment, formula: str) -> float:
    """Return an x to look at: the first of these that exists.

    - an x at which the formula is proved to be another function;
    - `X_OF_RECIPROCAL`, for 1/x in float32;
    - the first random x at which the formula differs from autograd;
    - the absolute value of the first random x.
    """
    example = counterexample_so_far(tally, experiment, formula)
    if example:
        return example.x
    is_1_over_x = experiment.differentiated == Experiment.function
    if is_1_over_x and experiment.dtype == Experiment.dtype:
        return X_OF_RECIPROCAL
    apart = tally.of_name(formula).first_apart.place
    return apart.x if apart else abs(points(experiment, 0)[0].item())


def counterexample_so_far(
    tally: DerivativeTally, experiment: Experiment, formula: str
) -> Counterexample | None:
    """Return an x at which the formula is proved to be another function, if the study has begun
    and one is found: see `counterexample`."""
    if not tally.samples:
        return None
    series = tally.of_name(formula)
    places = [extreme.place for extreme in (*series.worst.of_bin.values(), series.first_apart)]
    measured = sorted((place.x for place in places if place), key=abs)
    first = points(experiment, 0)[: min(tally.samples, _FIRST)].tolist() if experiment.df else []
    return counterexample(experiment, formula, [*measured, *first])
