"""Autograd against derivatives by hand: formulas that are equal on paper, compared at random x, float by float.

Neither autograd nor a formula is right by definition: each is compared with the correctly rounded derivative, and its
error is counted in ulps of the exact one. If the derivative does not exist, at a kink or a pole or outside the domain,
there is nothing to compare, and the x counts as outside.
"""

from dataclasses import dataclass

import numpy as np
from torch import Tensor

from lib.derivative.certified import reference
from lib.derivative.formulas import COMPUTED, derivatives_at
from lib.derivative.tally import Derivatives, DerivativeTally
from lib.experiment.query import Experiment
from lib.floats.line import to_float64
from lib.network import sampling
from lib.network.machine import use_one_thread

_CERTIFIED_AT_ONCE = 512  # how many x ball arithmetic certifies between two looks at the clock


class Derivative:
    """The study of one experiment. For one thread at a time."""

    empty = DerivativeTally()
    block_size = sampling.POINTS
    tally = staticmethod(DerivativeTally.of)

    def __init__(self, experiment: Experiment) -> None:
        use_one_thread()
        self.experiment = experiment
        self._block: _Block | None = None

    @staticmethod
    def total(experiment: Experiment) -> int:
        return experiment.samples

    def measure(self, number: int, deadline: float) -> Derivatives:
        """Compute the derivatives at consecutive x from `number` on, to the end of their block or of the experiment.

        A block is computed whole and then cut: NOTE [whole blocks] in `formulas`. Where ball arithmetic certifies every
        x, in float64 and for a visitor's own function, one call takes at most `_CERTIFIED_AT_ONCE` of them, which takes
        milliseconds.
        """
        block, index = divmod(number, sampling.POINTS)
        if self._block is None or self._block.number != block:
            self._block = _Block.of(self.experiment, block)
        stop = min(sampling.POINTS, self.experiment.samples - block * sampling.POINTS)
        if self.experiment.dtype == "float64" or self.experiment.f:
            stop = min(stop, index + _CERTIFIED_AT_ONCE)
        cut = slice(index, stop)
        computed = {name: values[cut] for name, values in self._block.computed.items()}
        return Derivatives(
            self.experiment,
            number,
            to_float64(self._block.x[cut]),
            computed,
            self._block.f[cut],
            None if self._block.back is None else self._block.back[cut],
            reference(self.experiment.differentiated, self._block.x[cut], list(computed.values())),
        )

    @property
    def nbytes(self) -> int:
        """The memory of the current block, in bytes."""
        return self._block.nbytes if self._block else 0


@dataclass(frozen=True)
class _Block:
    """A whole block: x in its dtype, and the other fields as in `Derivatives`."""

    number: int
    x: Tensor
    computed: dict[str, np.ndarray]
    f: np.ndarray
    back: np.ndarray | None

    @classmethod
    def of(cls, experiment: Experiment, number: int) -> "_Block":
        function, x = COMPUTED[experiment.differentiated], sampling.points(experiment, number)
        y = function.f(x)
        return cls(
            number,
            x,
            {name: to_float64(values) for name, values in derivatives_at(experiment.differentiated, x).items()},
            to_float64(y),
            to_float64(function.inverse(y)) if function.inverse else None,
        )

    @property
    def nbytes(self) -> int:
        arrays = [*self.computed.values(), self.f, *([] if self.back is None else [self.back])]
        return self.x.nbytes + sum(array.nbytes for array in arrays)
