"""Which of two gradients is right: judges both by the reference, and their discrepancy by the bound.

NOTE [who decides]: for float32 and narrower dtypes the float64 reference judges every sample, and ball arithmetic
settles the undecided ones. For float64 only ball arithmetic can judge, and it judges some of the samples: the first
ones, and then one at regular intervals. The choice depends only on the shape of the network and the number of the
sample, never on the clock, so that a tally does not depend on how the work was sliced. The number is chosen so that
judging them takes about as much time as everything else.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from flint import arb
from torch import Tensor, nn

from lib.experiment.query import Experiment
from lib.reference import bounds, output_bounds
from lib.reference.arb_gradient import ArbNetwork, Undecided
from lib.reference.float64_reference import Float64Network, Float64Reference
from lib.reference.verdicts import TIE, UNDECIDED, VERDICTS

UNJUDGED = len(VERDICTS)
"""Stands in for a verdict if the sample has no reference, or if a value of the component is infinite or NaN."""

_FIRST_IN_FLOAT64 = 1000
_EVERY_IN_FLOAT64 = {"per-sample": 4, "batched": 512}
_PARAMETERS = 128  # ball arithmetic takes some 30 µs for a network of this size; larger ones are judged less often


def judged_in_float64(experiment: Experiment, numbers: np.ndarray) -> np.ndarray:
    """Which of the samples with these numbers ball arithmetic judges, bool: NOTE [who decides]."""
    size = -(-experiment.parameters // _PARAMETERS)
    every = _EVERY_IN_FLOAT64[experiment.evaluation] * size
    return (numbers < max(1, _FIRST_IN_FLOAT64 // size)) | (numbers % every == 0)


@dataclass(frozen=True)
class Judged:
    """The judgement of consecutive samples of one block. Arrays have shape (samples, inputs) unless noted.

    `verdicts`, int8: an index into `VERDICTS`, or `UNJUDGED`.
    `backward_errors` and `jacobian_errors`, float64: distances from the reference, NaN where it is not known.
    `exact`, float64: the reference itself, NaN where it is not known.
    `unit`, float64: one rounding unit.
    `units`, float64: the discrepancy in rounding units, 0 where a value is infinite or NaN.
    `condition`, float64: the condition number (see `condition_numbers`), 0 where a value is infinite or NaN.
    `referenced`, bool, shape (samples,): whether the sample has a reference.
    `certified`: how many of the referenced samples ball arithmetic judged.
    `over`, bool: whether the component is above the bound.
    `bound_units`: the bound on `units`, None if none is proved.
    `own_network`: whether the block has a network of its own.
    """

    verdicts: np.ndarray
    backward_errors: np.ndarray
    jacobian_errors: np.ndarray
    exact: np.ndarray
    unit: np.ndarray
    units: np.ndarray
    condition: np.ndarray
    referenced: np.ndarray
    certified: int
    over: np.ndarray
    bound_units: float | None
    own_network: bool


@dataclass(frozen=True)
class Quantity:
    """What is judged: its yardstick, its two references, and the function for the bound."""

    yardstick: Callable[[nn.Sequential, Experiment], "bounds.Yardstick | output_bounds.OutputYardstick"]
    in_float64: Callable[[Float64Network, Tensor], Float64Reference]
    in_balls: Callable[[ArbNetwork, Sequence[float], int], list[arb]]
    bound_units: Callable[[Experiment], float | None]


GRADIENT = Quantity(bounds.Yardstick, Float64Network.reference, ArbNetwork.gradient, bounds.bound_units)
"""The gradient of the sum of the outputs, by any two ways."""

OUTPUTS = Quantity(output_bounds.OutputYardstick, Float64Network.outputs, ArbNetwork.outputs, output_bounds.bound_units)
"""The outputs themselves, in two evaluations."""


def condition_numbers(path_sums: np.ndarray, exact: np.ndarray, backward: np.ndarray) -> np.ndarray:
    """The condition numbers S/abs(g) of components, float64; all arguments are float64 of the same shape.

    g is the exact component or, if that is not known (NaN), the backward gradient's. Given the slopes of its forward
    pass, the latter is within γ(m)·S of the exact value (`bounds`, NOTE [the bound]), so the reciprocal of the
    condition number is within γ(m) of the right one. The error of the rounded slopes adds to this and is not bounded
    here.

    The condition number is infinite where g is 0. A 0 means that there is none: S is unknown, or S is 0 because no path
    reaches an output.
    """
    unknown = np.isnan(exact)
    g = np.where(unknown, backward, exact) if unknown.any() else exact
    with np.errstate(divide="ignore", invalid="ignore"):
        condition = path_sums / np.abs(g)
    some = path_sums > 0
    return condition if some.all() else np.where(some, condition, 0.0)


class Judge:
    """Judges samples of one network, after it was `turned_to` their block. For one thread at a time.

    Wherever it speaks of gradients, another quantity may take their place, with as many components as it has.
    """

    def __init__(self, net: nn.Sequential, experiment: Experiment, quantity: Quantity = GRADIENT) -> None:
        self._experiment, self._quantity = experiment, quantity
        self._yardstick = quantity.yardstick(net, experiment)
        self._float64 = Float64Network(net, experiment)
        self._arb = ArbNetwork(net, experiment)
        self._bound = quantity.bound_units(experiment)

    def turned_to(self, samples: Tensor) -> "Judge":
        """Compute the reference of a whole block of samples, shape (samples, inputs), and return this judge."""
        self._samples = samples.cpu()
        self._reference: Float64Reference | None = None
        if self._experiment.dtype != "float64":
            self._reference = self._quantity.in_float64(self._float64, self._samples)
        return self

    def judge(self, index: int, number: int, saved: Tensor, backward: np.ndarray, jacobian: np.ndarray) -> Judged:
        """Judge consecutive samples; the first is sample `index` of the block and sample `number` of the experiment.

        `saved` are their saved activations (`jacobians.backward_and_saved`), shape (samples, neurons), or the samples
        themselves for the outputs: what the yardstick is taken from. Both gradients are float64 of shape (samples,
        inputs).
        """
        x = self._samples[index : index + len(saved)]
        path_sums = self._path_sums(index, saved).double()
        unit = self._yardstick.units_of(path_sums).numpy()
        with np.errstate(invalid="ignore"):
            units = backward - jacobian
            np.abs(units, out=units)
            units /= unit
            finite = np.isfinite(backward) & np.isfinite(jacobian)
            all_finite = bool(finite.all())
            if self._reference:
                verdicts, backward_errors, jacobian_errors = self._reference.judge(index, backward, jacobian)
        if not all_finite:
            np.copyto(units, 0.0, where=~finite)
        if self._reference:
            referenced = np.full(len(x), True)
            open_ = self._reference.kinked[index : index + len(x)]
            exact = np.copy(self._reference.gradient[index : index + len(x)])
            exact[open_] = np.nan
            undecided = verdicts == UNDECIDED
            if undecided.any():
                open_ = open_ | (undecided & finite).any(1)
            if not all_finite:
                verdicts[~finite] = UNJUDGED
        else:
            referenced = open_ = judged_in_float64(self._experiment, number + np.arange(len(x)))
            verdicts = np.full(backward.shape, np.int8(UNJUDGED))
            backward_errors, jacobian_errors, exact = np.full((3, *backward.shape), np.nan)
        known = backward_errors, jacobian_errors, exact
        certified = np.flatnonzero(open_)
        for i in certified.tolist():
            self._certify(i, x[i].tolist(), backward[i], jacobian[i], finite[i], verdicts, known)
        over = units > (np.inf if self._bound is None else self._bound)
        known_zero = self._quantity is GRADIENT and self._experiment.output_activation == "softmax"
        g = np.zeros_like(exact) if known_zero else exact  # outputs that add up to 1 have a sum without a slope
        condition = condition_numbers(path_sums.numpy(), g, backward)
        if not all_finite:
            np.copyto(condition, 0.0, where=~finite)
        own = self._experiment.networks == "each-block"
        return Judged(verdicts, *known, unit, units, condition, referenced, len(certified), over, self._bound, own)

    @property
    def nbytes(self) -> int:
        """The memory of the block's reference, in bytes."""
        return self._reference.gradient.nbytes if self._reference else 0

    def _path_sums(self, index: int, saved: Tensor) -> Tensor:
        """Always compute a whole block, since a kernel's last bits may depend on the size of the batch."""
        if len(saved) == len(self._samples):
            return self._yardstick.path_sums(saved)
        whole = saved.new_zeros(len(self._samples), saved.shape[1])
        whole[index : index + len(saved)] = saved
        return self._yardstick.path_sums(whole)[index : index + len(saved)]

    def _certify(
        self,
        i: int,
        x: list[float],
        backward: np.ndarray,
        jacobian: np.ndarray,
        finite: np.ndarray,
        verdicts: np.ndarray,
        known: tuple[np.ndarray, np.ndarray, np.ndarray],
    ) -> None:
        """Judge sample i by ball arithmetic: write its verdicts, both errors and the exact gradient to their places."""
        places = np.flatnonzero(finite)
        values = np.where(finite, backward, 0.0).tolist(), np.where(finite, jacobian, 0.0).tolist()
        try:
            of_sample, *found = self._arb.judge(x, *values, exact=self._quantity.in_balls)
        except Undecided:
            verdicts[i, places] = np.where(backward == jacobian, TIE, UNDECIDED)[places]
            found = [[np.nan] * len(backward)] * 3
        else:
            verdicts[i, places] = np.array(of_sample, np.int8)[places]
        for part, of_one in zip(known, found, strict=True):
            part[i, places] = np.asarray(of_one)[places]
