"""The exact rows of the Jacobian, against which the errors of single entries are measured.

For float32 and narrower dtypes the rows are computed in float64, from the same rounded weights and
inputs. The unit roundoff of float64 is 2**-29 times that of float32, so the errors of these rows
are far smaller than those that are measured. For float64 the rows come from ball arithmetic, for
the first samples and then for some at regular intervals. Which samples these are depends only on
the experiment and the sample's number.
"""

from collections.abc import Sequence
from copy import deepcopy
from functools import lru_cache

import numpy as np
from torch import Tensor, nn

from lib.experiment.query import Experiment
from lib.network.jacobians import JACOBIANS
from lib.reference.activation_base import leaky_slope
from lib.reference.arb_gradient import ArbNetwork, OnKink
from lib.reference.balls import precision
from lib.reference.judge import goes_to_balls

_BITS = 128
"""The precision of the balls. An exact entry is kept in two float64, which hold 106 bits."""

_COST = 2**12
"""Ball arithmetic takes some 0.2 ms for most networks of this cost. For larger networks, fewer
samples are computed."""


def has_exact_rows(experiment: Experiment, numbers: np.ndarray) -> np.ndarray:
    """Return which samples of a float64 experiment get exact rows, bool, from their numbers."""
    return goes_to_balls(experiment, numbers, -(-experiment.cost // _COST))


class ExactRows:
    """The exact rows of one network at samples of its experiment. For one thread at a time."""

    def __init__(self, net: nn.Sequential, experiment: Experiment) -> None:
        self._experiment = experiment
        if experiment.dtype == "float64":
            self._network = ArbNetwork(net, experiment)
        else:
            wide = deepcopy(net).cpu().double()
            for layer in wide:
                # The kernel of a narrower dtype rounds the slope 0.01.
                if isinstance(layer, nn.LeakyReLU):
                    layer.negative_slope = leaky_slope(experiment.dtype)
            self._in_float64 = lru_cache(maxsize=1)(
                lambda block: JACOBIANS["rows"](wide, block.cpu().double()).numpy()
            )

    def of(self, block: Tensor, index: int, numbers: np.ndarray) -> np.ndarray:
        """Return the rows of consecutive samples. A value is the sum of one or two float64.

        Args:
            block: all samples of the block, shape (samples, inputs).
            index: the place of the first sample in the block.
            numbers: the numbers of the samples in the experiment.

        Returns:
            Shape (1 or 2, samples, outputs, inputs); NaN where the rows are not known.
        """
        if self._experiment.dtype != "float64":
            # The rows of the whole block are computed and then cut: the last bits may depend on how
            # many samples are computed at once.
            return self._in_float64(block)[None, index : index + len(numbers)]
        shape = (2, len(numbers), self._experiment.outputs, self._experiment.inputs)
        exact = np.full(shape, np.nan)
        for i in np.flatnonzero(has_exact_rows(self._experiment, numbers)).tolist():
            exact[:, i] = self._in_balls(block[index + i].tolist())
        return exact

    def _in_balls(self, x: Sequence[float]) -> np.ndarray | float:
        """Return the rows at one sample, shape (2, outputs, inputs); NaN at a kink."""
        with precision(_BITS):
            try:
                rows = self._network.enclose_rows(x)
            except OnKink:
                return np.nan
            near = [[float(ball.mid()) for ball in row] for row in rows]
            rest = [
                [float((ball - value).mid()) for ball, value in zip(balls, values, strict=True)]
                for balls, values in zip(rows, near, strict=True)
            ]
        return np.array([near, rest])
