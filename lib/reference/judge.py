"""Which of two gradients is right: judges both by the reference, and their discrepancy by the
bound.

NOTE [who decides]: for float32 and narrower dtypes the float64 reference judges every sample, and
ball arithmetic settles the undecided ones. For float64 only ball arithmetic can judge, and it
judges some of the samples: the first ones, and then one at regular intervals. The choice depends
only on the shape of the network and the number of the sample, never on the clock, so that a tally
does not depend on how the work was sliced. The number is chosen so that judging them takes about as
much time as everything else.

In a batch these are always the same rows of a block, and the last bits of a row may depend on its
place in memory. That does not move the lean: on 293 random networks in float64, the rows at
multiples of 512 were as near to the lean of all rows as their standard errors say (z² of 0.98 ±
0.08 on average, z of 0.03 ± 0.06; 2026-11-28, torch 2.13.0, x86 CPU).
"""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from flint import arb
from torch import Tensor, nn

from lib.experiment.query import Experiment
from lib.floats.line import steps, ulp_distance
from lib.network.sampled_study import Samples
from lib.reference.arb_gradient import ArbNetwork, Undecided
from lib.reference.balls import TIE, UNDECIDED, VERDICTS
from lib.reference.bounds import (
    GradientYardstick,
    OutputYardstick,
    Yardstick,
    bound_units,
    output_bound_units,
)
from lib.reference.float64_reference import Float64Network, Float64Reference, transposed

UNJUDGED = len(VERDICTS)
"""Stands in for a verdict if the sample has no reference, or if a value of the component is
infinite or NaN."""

_FIRST_IN_FLOAT64 = 1000
_EVERY_IN_FLOAT64 = {"per-sample": 4, "batched": 512}
_PARAMETERS = 128  # ball arithmetic takes some 30 µs for a network of this size; larger ones are judged less often


def judged_in_float64(experiment: Experiment, numbers: np.ndarray, size: int = 0) -> np.ndarray:
    """Which of the samples with these numbers ball arithmetic judges, bool: NOTE [who decides]. The
    larger the `size` of a task, by default by the network's parameters, the fewer of them it
    takes."""
    size = size or -(-experiment.parameters // _PARAMETERS)
    every = _EVERY_IN_FLOAT64[experiment.evaluation] * size
    return (numbers < max(1, _FIRST_IN_FLOAT64 // size)) | (numbers % every == 0)


@dataclass(frozen=True)
class Judged:
    """The judgement of consecutive samples of one block. Arrays have shape (samples, inputs) unless
    noted.

    `verdicts`, int8: an index into `VERDICTS`, or `UNJUDGED`. `backward_errors` and
    `jacobian_errors`, float64: distances from the reference, NaN where it is not known. `exact`,
    float64: the reference itself, NaN where it is not known. `path_sums`: S. `unit`, float64: one
    rounding unit. `units`, float64: the discrepancy in rounding units, 0 where a value is infinite
    or NaN. `referenced`, bool, shape (samples,): whether the sample has a reference, which none has
    on a kink. `certified`: how many of the referenced samples ball arithmetic judged.
    `bound_units`: the bound on `units`, None if none is proved. `experiment`: what they are samples
    of.
    """

    verdicts: np.ndarray
    backward_errors: np.ndarray
    jacobian_errors: np.ndarray
    exact: np.ndarray
    path_sums: np.ndarray
    unit: np.ndarray
    units: np.ndarray
    referenced: np.ndarray
    certified: int
    bound_units: float | None
    experiment: Experiment

    @cached_property
    def over(self) -> np.ndarray:
        """Whether each component is above the bound, bool."""
        return self.units > (np.inf if self.bound_units is None else self.bound_units)


@dataclass(frozen=True)
class Gradients(Samples):
    """Both sides of one comparison on consecutive samples: two tensors of shape (samples, inputs).

    They are called `backward` and `jacobian`, as in the discrepancy study, whatever is compared.
    `judged` says which side is right; it is None if the samples were not judged. Arrays of NumPy
    have the same shape, and hold their numbers component by component: what is added up or compared
    for each sample is then many times as fast.
    """

    backward: Tensor
    jacobian: Tensor
    judged: Judged | None = None

    @cached_property
    def values(self) -> tuple[np.ndarray, np.ndarray]:
        """The backward gradient and the summed Jacobian as float64, which holds the numbers of
        every dtype exactly."""
        backward, jacobian = (side.double().numpy().T for side in self._columns)
        return backward, jacobian

    @cached_property
    def discrepancy(self) -> np.ndarray:
        """backward − jacobian, float64, shape (samples, inputs); exact for two narrower floats of
        similar size."""
        backward, jacobian = self.values
        with np.errstate(invalid="ignore", over="ignore"):  # NaN and infinities, as it should be
            return backward - jacobian

    @cached_property
    def finite(self) -> np.ndarray:
        """Whether both values of each component are finite, bool, shape (samples, inputs)."""
        backward, jacobian = self.values
        return np.isfinite(backward) & np.isfinite(jacobian)

    @cached_property
    def all_finite(self) -> bool:
        return bool(
            np.isfinite(self._sizes.max(initial=0.0)) or self.finite.all()
        )  # a NaN would be the largest

    @cached_property
    def distance(self) -> np.ndarray:
        """abs(backward − jacobian), float64, shape (samples, inputs); 0 for components that are not
        `finite`."""
        return self._sizes if self.all_finite else np.where(self.finite, self._sizes, 0.0)

    @cached_property
    def ulps(self) -> np.ndarray:
        """The ulp distance, uint64, shape (samples, inputs); 0 for components that are not
        `finite`."""
        wide = self.backward.dtype == torch.float64
        return ulp_distance(*self._finite_columns).T if wide else np.abs(self.steps).view(np.uint64)

    @cached_property
    def steps(self) -> np.ndarray:
        """The ulp distance, int64, negative where the backward gradient is the lower one; at most
        2**63 − 1."""
        return steps(*self._finite_columns).T

    @cached_property
    def condition(self) -> np.ndarray:
        """The condition numbers S/abs(g), float64, shape (samples, inputs), of samples that were
        judged.

        g is the exact component or, if that is not known, the backward gradient's. Given the slopes
        of its forward pass, the latter is within γ(m)·S of the exact value (`bounds`, NOTE [the
        bound]), so the reciprocal of the condition number is within γ(m) of the right one. The
        error of the rounded slopes adds to this and is not bounded here.

        The condition number is infinite where g is 0. A 0 means that there is none: a value is
        infinite or NaN, S is unknown, or S is 0 because no path reaches an output.
        """
        judged, g = self.judged, self.judged.exact
        if (
            judged.experiment.output_activation == "softmax"
        ):  # the gradient is 0 at every x, known or not
            g = np.zeros_like(g)
        elif (unknown := np.isnan(g)).any():
            g = np.where(unknown, self.values[0], g)
        with np.errstate(divide="ignore", invalid="ignore"):
            condition = judged.path_sums / np.abs(g)
        if self.all_finite and judged.path_sums.min(initial=np.inf) > 0:
            return condition
        return np.where((judged.path_sums > 0) & self.finite, condition, 0.0)

    @cached_property
    def _columns(self) -> tuple[Tensor, Tensor]:
        return transposed(self.backward), transposed(self.jacobian)

    @property
    def _finite_columns(self) -> tuple[Tensor, Tensor]:
        if self.all_finite:
            return self._columns
        finite = torch.from_numpy(self.finite.T)
        backward, jacobian = (side.where(finite, 0) for side in self._columns)
        return backward, jacobian

    @cached_property
    def _sizes(self) -> np.ndarray:
        return np.abs(self.discrepancy)


@dataclass(frozen=True)
class Quantity:
    """What is judged: its yardstick, its two references, and the function for the bound."""

    yardstick: Callable[[nn.Sequential, Experiment], Yardstick]
    in_float64: Callable[[Float64Network, Tensor], Float64Reference]
    in_balls: Callable[[ArbNetwork, Sequence[float], int], list[arb]]
    bound_units: Callable[[Experiment], float | None]


GRADIENT = Quantity(GradientYardstick, Float64Network.reference, ArbNetwork.gradient, bound_units)
"""The gradient of the sum of the outputs, by any two ways."""

OUTPUTS = Quantity(OutputYardstick, Float64Network.outputs, ArbNetwork.outputs, output_bound_units)
"""The outputs themselves, in two evaluations."""


class Judge:
    """Judges samples of an experiment, after it was `turned_to` a network and a block. For one
    thread at a time.

    Wherever it speaks of gradients, another quantity may take their place, with as many components
    as it has.
    """

    def __init__(self, experiment: Experiment, quantity: Quantity = GRADIENT) -> None:
        self._experiment, self._quantity = experiment, quantity
        self._bound = quantity.bound_units(experiment)
        self._net: nn.Sequential | None = None
        self._block: Tensor | None = None
        self._reference: Float64Reference | None = None

    def turned_to(self, net: nn.Sequential, samples: Tensor) -> "Judge":
        """Compute the reference of a whole block of samples, shape (samples, inputs), and return
        this judge."""
        if net is not self._net:
            self._net, self._block = net, None
            self._yardstick = self._quantity.yardstick(net, self._experiment)
            self._float64, self._arb = (
                Float64Network(net, self._experiment),
                ArbNetwork(net, self._experiment),
            )
        if samples is not self._block:
            self._block, self._samples = samples, samples.cpu()
            decides = self._experiment.dtype != "float64"
            self._reference = (
                self._quantity.in_float64(self._float64, self._samples) if decides else None
            )
        return self

    def judge(self, index: int, gradients: Gradients, saved: Tensor) -> Gradients:
        """Return the gradients of consecutive samples, judged; the first is sample `index` of the
        block.

        `saved` are their saved activations (`jacobians.backward_and_saved`), shape (samples,
        neurons), or the samples themselves for the outputs: what the yardstick is taken from.
        """
        path_sums = self._path_sums(index, saved)
        unit = self._yardstick.units_of(path_sums)
        with np.errstate(invalid="ignore"):  # values that are not finite, which get no verdict
            units = gradients.distance / unit
            if self._reference:
                verdicts, known = self._reference.judge(index, *gradients.values)
                open_ = np.isnan(known[-1][:, 0])
            else:
                open_ = judged_in_float64(
                    self._experiment, gradients.number + np.arange(len(saved))
                )
                verdicts, known = (
                    np.full_like(unit, UNJUDGED, np.int8),
                    [np.full_like(unit, np.nan) for _ in range(3)],
                )
        if not gradients.all_finite:
            verdicts = np.where(gradients.finite, verdicts, np.int8(UNJUDGED))
        if (undecided := verdicts == UNDECIDED).any():
            open_ = open_ | undecided.any(1)
        certified = np.flatnonzero(open_).tolist()
        known[-1] = (
            known[-1].copy("K") if certified else known[-1]
        )  # not to change the block's reference
        for i in certified:
            self._certify(i, self._samples[index + i].tolist(), gradients, [verdicts, *known])
        backward_errors, jacobian_errors, exact = known
        referenced = ~np.isnan(exact[:, 0])  # on a kink there is nothing to compare with
        judged = copy(gradients)  # with all that has been computed of them
        vars(judged)["judged"] = Judged(
            verdicts,
            backward_errors,
            jacobian_errors,
            exact,
            path_sums,
            unit,
            units,
            referenced,
            int(np.count_nonzero(referenced[certified])),
            self._bound,
            self._experiment,
        )
        return judged

    def _path_sums(self, index: int, saved: Tensor) -> np.ndarray:
        """Always compute a whole block, since a kernel's last bits may depend on the size of the
        batch."""
        if len(saved) == len(self._samples):
            return self._yardstick.path_sums(saved)
        whole = saved.new_zeros(len(self._samples), saved.shape[1])
        whole[index : index + len(saved)] = saved
        return self._yardstick.path_sums(whole)[index : index + len(saved)]

    def _certify(
        self, i: int, x: list[float], gradients: Gradients, places: Sequence[np.ndarray]
    ) -> None:
        """Judge sample i by ball arithmetic: write its verdicts, both errors and the exact gradient
        to their places."""
        finite = gradients.finite[i]
        backward, jacobian = (np.where(finite, values[i], 0.0) for values in gradients.values)
        found: Sequence[Sequence[float]]
        try:
            found = self._arb.judge(
                x, backward.tolist(), jacobian.tolist(), exact=self._quantity.in_balls
            )
        except Undecided:
            found = [
                np.where(backward == jacobian, TIE, UNDECIDED).tolist(),
                *[[np.nan] * len(backward)] * 3,
            ]
        *judgements, exact = map(np.asarray, found)
        *places_of_finite, place_of_exact = places
        for place, of_sample in zip(places_of_finite, judgements, strict=True):
            place[i, finite] = of_sample[finite]
        place_of_exact[i] = exact
