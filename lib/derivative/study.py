"""Autograd against derivatives by hand: formulas that are equal on paper, compared at random x.

Neither autograd nor a formula is right by definition: each is compared with the correctly rounded
derivative, and its error is counted in ulps. Where the derivative does not exist, at a kink or a
pole or outside the domain, there is nothing to compare, and the x counts as outside.
"""

import numpy as np
import torch

from lib.derivative.formulas import derivatives_at
from lib.derivative.reference import ComputedDerivatives, reference
from lib.derivative.tally import DerivativeTally
from lib.experiment.query import Experiment
from lib.floats.ulps import to_float64
from lib.network import sampling
from lib.network.machine import use_one_thread

_CERTIFIED_AT_ONCE = 512
"""How many x ball arithmetic certifies between two looks at the clock."""


class Derivative:
    """The study of one experiment. For one thread at a time."""

    empty = DerivativeTally()
    block_size = sampling.POINTS
    tally = staticmethod(DerivativeTally.of)

    def __init__(self, experiment: Experiment) -> None:
        use_one_thread()
        self.experiment = experiment
        self._block = -1
        self._x = torch.empty(0)
        self._computed: dict[str, np.ndarray] = {}

    @staticmethod
    def total(experiment: Experiment) -> int:
        return experiment.samples

    def measure(self, number: int, deadline: float) -> ComputedDerivatives:
        """Compute the derivatives at consecutive x, to the end of a block or of the experiment.

        A block is computed whole and then cut: NOTE [whole blocks] in `formulas`. Where ball
        arithmetic certifies every x, in float64 and for a visitor's own function, one call takes
        at most `_CERTIFIED_AT_ONCE` of them, which takes milliseconds.

        Args:
            number: the number of the first x.
            deadline: not used, since a call is short.
        """
        block, start = divmod(number, sampling.POINTS)
        function = self.experiment.differentiated
        if self._block != block:
            self._block = block
            self._x = sampling.points(self.experiment, block)
            derivatives = derivatives_at(function, self._x)
            self._computed = {name: to_float64(values) for name, values in derivatives.items()}
        stop = min(sampling.POINTS, self.experiment.samples - block * sampling.POINTS)
        if self.experiment.dtype == "float64" or self.experiment.f:
            stop = min(stop, start + _CERTIFIED_AT_ONCE)
        x = self._x[start:stop]
        computed = {name: values[start:stop] for name, values in self._computed.items()}
        return ComputedDerivatives(
            self.experiment, number, to_float64(x), computed, reference(function, x)
        )
