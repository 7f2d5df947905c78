"""The exact rows of the Jacobian, against which the errors of single entries are measured.

For float32 and narrower dtypes the rows are computed in float64, from the same rounded weights and inputs: their own
error is less than a millionth of what is measured with them. For float64 they come from ball arithmetic, for the first
samples and then for one at regular intervals, a choice that depends only on the experiment and the sample's number.
"""

from collections.abc import Sequence
from copy import deepcopy
from functools import cached_property
from itertools import chain

import numpy as np
from torch import Tensor, nn

from lib.experiment.query import Experiment
from lib.network.jacobians import METHODS
from lib.reference.arb_gradient import ArbNetwork
from lib.reference.balls import precision

_BITS = 128  # of ball arithmetic; an exact entry is kept in two float64, which hold 106
_FIRST_IN_FLOAT64 = 1000
_EVERY_IN_FLOAT64 = {"per-sample": 4, "batched": 512}
_COST = 2**12
"""Ball arithmetic takes up to some 0.3 ms for a network of this cost; larger ones have exact rows less often."""


def known(experiment: Experiment, numbers: np.ndarray) -> np.ndarray:
    """Return which samples of a float64 experiment get exact rows, bool, by their numbers in the experiment."""
    size = -(-experiment.cost // _COST)
    every = _EVERY_IN_FLOAT64[experiment.evaluation] * size
    return (numbers < max(1, _FIRST_IN_FLOAT64 // size)) | (numbers % every == 0)


class ExactRows:
    """The exact rows of a block of samples, shape (samples, inputs), of one network. For one thread at a time."""

    def __init__(self, net: nn.Sequential, experiment: Experiment, samples: Tensor) -> None:
        self._experiment = experiment
        self._net = net
        self._samples = samples.cpu()

    def of(self, index: int, numbers: np.ndarray) -> np.ndarray:
        """Return the rows of consecutive samples as sums of two float64, shape (2, samples, outputs, inputs).

        `index` is the place of the first sample in the block, and `numbers` are the samples' numbers in the experiment.
        The rows are NaN where they are not known.
        """
        exact = np.full((2, len(numbers), self._experiment.outputs, self._experiment.inputs), np.nan)
        if self._experiment.dtype != "float64":
            exact[0], exact[1] = self._in_float64[index : index + len(numbers)], 0.0
            return exact
        for i in np.flatnonzero(known(self._experiment, numbers)).tolist():
            exact[:, i] = self._in_balls(self._samples[index + i].tolist())
        return exact

    @cached_property
    def _in_float64(self) -> np.ndarray:
        """The rows of the whole block, since their last bits may depend on how many samples are computed at once."""
        return np.ascontiguousarray(METHODS["rows"](deepcopy(self._net).double().cpu(), self._samples.double()).numpy())

    def _in_balls(self, x: Sequence[float]) -> np.ndarray:
        """Return the rows at one sample, shape (2, outputs, inputs); NaN at a kink."""
        shape = 2, self._experiment.outputs, self._experiment.inputs
        with precision(_BITS):
            rows = self._network.enclose_rows(x)
            if rows is None:
                return np.full(shape, np.nan)
            entries = list(chain.from_iterable(rows))
            near = [float(ball.mid()) for ball in entries]
            rest = [float((ball - value).mid()) for ball, value in zip(entries, near, strict=True)]
        return np.array([near, rest]).reshape(shape)

    @cached_property
    def _network(self) -> ArbNetwork:
        return ArbNetwork(self._net, self._experiment)
