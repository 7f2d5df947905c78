"""Which of two results is closer to the reference, and how many rounding units they are apart.

NOTE [who decides]: for float32 and narrower dtypes the float64 reference judges every sample, and
ball arithmetic settles the undecided ones. For float64 only ball arithmetic can judge, and it
judges some of the samples: the first ones, and then one at regular intervals. The choice depends
only on the shape of the network, the evaluation and the number of the sample, never on the clock,
so that a tally does not depend on how the work was sliced. The intervals are such that judging
takes about as long as everything else. In batched evaluation, the judged samples of a small network
are always the same rows of a block, apart from the first ones.
"""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from flint import arb
from torch import Tensor, nn

from lib.experiment.query import Experiment
from lib.reference.arb_gradient import ArbNetwork, OnKink
from lib.reference.balls import TIE, UNDECIDED, UNJUDGED
from lib.reference.bounds import GradientYardstick, Yardstick, bound_units
from lib.reference.float64_reference import Float64Network, Float64Reference
from lib.reference.output_bounds import OutputYardstick, output_bound_units
from lib.reference.pair import Judged, Pair

_FIRST_IN_FLOAT64 = 1000
_EVERY_IN_FLOAT64 = {"per-sample": 4, "batched": 512}
_PARAMETERS = 128
"""Up to this many parameters, ball arithmetic takes some 30 µs; larger networks are judged less
often."""


def goes_to_balls(experiment: Experiment, numbers: np.ndarray, size: int = 0) -> np.ndarray:
    """Return which float64 samples ball arithmetic judges, bool: NOTE [who decides].

    Args:
        experiment: what they are samples of.
        numbers: the numbers of the samples.
        size: how many times as long ball arithmetic takes for a sample as for one of a small
            network; the larger, the fewer samples it judges. By default it is taken from the
            parameters.
    """
    size = size or -(-experiment.parameters // _PARAMETERS)
    every = _EVERY_IN_FLOAT64[experiment.evaluation] * size
    return (numbers < max(1, _FIRST_IN_FLOAT64 // size)) | (numbers % every == 0)


@dataclass(frozen=True)
class Quantity:
    """What is judged: its yardstick, its two references, and the function for the bound.

    `absolute_sums` returns the absolute sums of a block. If it is None, the path sums of the
    yardstick are the absolute sums.
    """

    yardstick: Callable[[nn.Sequential, Experiment], Yardstick]
    in_float64: Callable[[Float64Network, Tensor], Float64Reference]
    in_balls: Callable[[ArbNetwork, Sequence[float], int], list[arb]]
    bound_units: Callable[[Experiment], float | None]
    absolute_sums: Callable[[Float64Network, Tensor], np.ndarray] | None = None


GRADIENT = Quantity(
    GradientYardstick,
    Float64Network.gradient,
    ArbNetwork.gradient,
    bound_units,
    Float64Network.absolute_sums,
)
"""The gradient of the sum of the outputs, by any two ways."""

OUTPUTS = Quantity(OutputYardstick, Float64Network.outputs, ArbNetwork.outputs, output_bound_units)
"""The outputs themselves, in two evaluations."""


class Judge:
    """Judges samples of an experiment, after it was `turned_to` a network and a block.

    It is for one thread at a time. The docstrings speak of gradients; with another `quantity`, read
    its components instead.
    """

    def __init__(self, experiment: Experiment, quantity: Quantity = GRADIENT) -> None:
        self._experiment = experiment
        self._quantity = quantity
        self._bound = quantity.bound_units(experiment)
        self._net: nn.Sequential | None = None
        self._block: Tensor | None = None
        self._reference: Float64Reference | None = None

    def turned_to(self, net: nn.Sequential, samples: Tensor) -> "Judge":
        """Compute the reference of a whole block of samples, and return this judge.

        Args:
            net: the network; the same one is prepared only once.
            samples: shape (samples, inputs).
        """
        if net is not self._net:
            self._net = net
            self._block = None
            self._yardstick = self._quantity.yardstick(net, self._experiment)
            self._float64 = Float64Network(net, self._experiment)
            self._arb = ArbNetwork(net, self._experiment)
        if samples is not self._block:
            self._block = samples
            self._samples = samples.cpu()
            if self._experiment.dtype != "float64":
                self._reference = self._quantity.in_float64(self._float64, self._samples)
            self._absolute_sums = None
            activations = [layer.activation for layer in self._float64.layers]
            # Without curvature a slope is one term, and the path sums are the absolute sums.
            has_sums = any(each.curvature for each in activations) and not activations[-1].coupled
            if self._quantity.absolute_sums and has_sums:
                sums_of = partial(self._quantity.absolute_sums, self._float64, self._samples)
                self._absolute_sums = cache(sums_of)
        return self

    def judge(self, index: int, gradients: Pair, saved: Tensor) -> Pair:
        """Return the gradients of consecutive samples, judged.

        Args:
            index: the index of the first sample in the block.
            gradients: both gradients, not judged yet.
            saved: what the path sums are computed from: for gradients the saved activations
                (`jacobians.backward_and_saved`), shape (samples, neurons), for outputs the samples.
        """
        path_sums = self._path_sums(index, saved)
        unit = self._yardstick.unit_of(path_sums)
        rows = slice(index, index + len(saved))
        absolute_sums = self._absolute_sums
        # Values that are not finite get no verdict.
        with np.errstate(invalid="ignore"):
            units = gradients.distance / unit
            verdicts, errors, exact = self._by_float64(index, gradients)
        if self._reference is None:
            numbers = gradients.number + np.arange(len(saved))
            is_open = goes_to_balls(self._experiment, numbers)
        else:
            is_open = np.isnan(exact[:, 0])
        if not gradients.all_finite:
            verdicts = np.where(gradients.finite, verdicts, np.int8(UNJUDGED))
        is_open = is_open | (verdicts == UNDECIDED).any(1)
        certified = np.flatnonzero(is_open).tolist()
        if certified:
            # The copy leaves the block's reference as it is.
            exact = exact.copy("K")
        for i in certified:
            x = self._samples[index + i].tolist()
            self._certify(i, x, gradients, (verdicts, *errors), exact)
        # On a kink there is nothing to compare with.
        referenced = ~np.isnan(exact[:, 0])
        # `replace` would drop the cached properties, and `Pair` is frozen.
        judged = copy(gradients)
        vars(judged)["judged"] = Judged(
            verdicts,
            *errors,
            exact,
            lambda: absolute_sums()[rows] if absolute_sums else path_sums,
            unit,
            units,
            referenced,
            int(np.count_nonzero(referenced[certified])),
            self._bound,
            self._experiment,
        )
        return judged

    def _by_float64(
        self, index: int, gradients: Pair
    ) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray], np.ndarray]:
        """Return verdicts, both errors and the exact gradients, as far as float64 knows them."""
        if self._reference:
            return self._reference.judge(index, *gradients.values)
        shape = gradients.values[0].shape
        first, second, exact = (np.full(shape, np.nan, order="F") for _ in range(3))
        return np.full(shape, UNJUDGED, np.int8, order="F"), (first, second), exact

    def _path_sums(self, index: int, saved: Tensor) -> np.ndarray:
        """Return S of these samples, which are computed as rows of a full block.

        The other rows are 0: a kernel's last bits may depend on the batch size.
        """
        rows = slice(index, index + len(saved))
        if len(saved) < len(self._samples):
            whole = saved.new_zeros(len(self._samples), saved.shape[1])
            whole[rows] = saved
            saved = whole
        return self._yardstick.path_sums(saved)[rows]

    def _certify(
        self,
        i: int,
        x: list[float],
        gradients: Pair,
        judgements: Sequence[np.ndarray],
        exact: np.ndarray,
    ) -> None:
        """Judge sample i by ball arithmetic: write its verdicts, both errors and its gradient."""
        finite = gradients.finite[i]
        first, second = (np.where(finite, values[i], 0.0) for values in gradients.values)
        in_balls = self._quantity.in_balls
        try:
            *judged, exact[i] = self._arb.judge(x, first.tolist(), second.tolist(), in_balls)
        except OnKink:
            exact[i] = np.nan
            unknown = np.full_like(first, np.nan)
            judged = [np.where(first == second, TIE, UNDECIDED), unknown, unknown]
        for place, of_sample in zip(judgements, judged, strict=True):
            place[i, finite] = np.asarray(of_sample)[finite]
