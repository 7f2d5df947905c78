"""The exact rows of the Jacobian, against which the errors of single entries are measured.

For float32 and narrower dtypes the rows are computed in float64, from the same rounded weights and inputs: their own
error is less than a millionth of what is measured with them. For float64 they come from ball arithmetic, for the first
samples and then for one at regular intervals, a choice that depends only on the experiment and the sample's number.
"""

from collections.abc import Sequence
from copy import deepcopy
from functools import lru_cache
from itertools import chain

import numpy as np
from torch import Tensor, nn

from lib.experiment.query import Experiment
from lib.network.jacobians import METHODS
from lib.reference.arb_gradient import ArbNetwork, Undecided
from lib.reference.balls import precision
from lib.reference.judge import judged_in_float64

_BITS = 128  # of ball arithmetic; an exact entry is kept in two float64, which hold 106
_COST = 2**12
"""Ball arithmetic takes up to some 0.3 ms for a network of this cost; larger ones have exact rows less often."""


def known(experiment: Experiment, numbers: np.ndarray) -> np.ndarray:
    """Return which samples of a float64 experiment get exact rows, bool, by their numbers in the experiment."""
    return judged_in_float64(experiment, numbers, -(-experiment.cost // _COST))


class ExactRows:
    """The exact rows of one network at samples of its experiment. For one thread at a time."""

    def __init__(self, net: nn.Sequential, experiment: Experiment) -> None:
        self._experiment = experiment
        if experiment.dtype == "float64":
            self._network = ArbNetwork(net, experiment)
        else:
            wide = deepcopy(net).double().cpu()
            self._in_float64 = lru_cache(maxsize=1)(
                lambda block: METHODS["rows"](wide, block.double().cpu()).numpy()
            )

    def of(self, block: Tensor, index: int, numbers: np.ndarray) -> np.ndarray:
        """Return the rows of consecutive samples as sums of one or two float64: (1 or 2, samples, outputs, inputs).

        `block` has all samples of the block, shape (samples, inputs); `index` is the place of the first in it, and
        `numbers` are their numbers in the experiment. The rows are NaN where they are not known.
        """
        if self._experiment.dtype != "float64":
            # Of the whole block, since their last bits may depend on how many samples are computed at once.
            return self._in_float64(block)[None, index : index + len(numbers)]
        exact = np.full(
            (2, len(numbers), self._experiment.outputs, self._experiment.inputs), np.nan
        )
        for i in np.flatnonzero(known(self._experiment, numbers)).tolist():
            exact[:, i] = self._in_balls(block[index + i].tolist())
        return exact

    def _in_balls(self, x: Sequence[float]) -> np.ndarray | float:
        """Return the rows at one sample, shape (2, outputs, inputs); NaN at a kink."""
        with precision(_BITS):
            try:
                rows = self._network.enclose_rows(x)
            except Undecided:
                return np.nan
            near = [[float(ball.mid()) for ball in row] for row in rows]
            rest = [
                float((ball - value).mid())
                for ball, value in zip(chain(*rows), chain(*near), strict=True)
            ]
        return np.array([near, np.reshape(rest, np.shape(near))])
