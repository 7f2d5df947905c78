"""Which of two gradients is right: both of a sample against the reference, and their discrepancy against the bound.

NOTE [who decides]: for float32 and narrower the float64 reference judges every sample, and ball arithmetic those that
it leaves open. For float64 ball arithmetic is the only judge, and judges some of the samples: the first ones, and then
one in so many. Which ones depends on the shape of the network and on the number of the sample alone, and never on the
clock, so that a tally does not depend on how the work was sliced. They are as many as cost about as much time as all
the others together.
"""

from dataclasses import dataclass

import numpy as np
from torch import Tensor, nn

from lib.experiment.query import Experiment
from lib.reference import bounds
from lib.reference.arb_gradient import ArbNetwork, Undecided
from lib.reference.float64_reference import Float64Network, Float64Reference
from lib.reference.verdicts import TIE, UNDECIDED, VERDICTS

UNJUDGED = len(VERDICTS)
"""In place of a verdict: the sample has no reference, or a value of the component is infinite or NaN."""

_FIRST_IN_FLOAT64 = 1000
_EVERY_IN_FLOAT64 = {"per-sample": 4, "batched": 512}
_PARAMETERS = 128  # of a network that ball arithmetic takes some 30 µs for; larger ones are judged less often


def judged_in_float64(experiment: Experiment, numbers: np.ndarray) -> np.ndarray:
    """Which samples ball arithmetic judges, bool, by their numbers: NOTE [who decides]."""
    size = -(-experiment.parameters // _PARAMETERS)
    every = _EVERY_IN_FLOAT64[experiment.evaluation] * size
    return (numbers < max(1, _FIRST_IN_FLOAT64 // size)) | (numbers % every == 0)


@dataclass(frozen=True)
class Judged:
    """Consecutive samples of one block, judged. Arrays of shape (samples, inputs).

    `verdicts`, int8, are numbers of `VERDICTS` or `UNJUDGED`; `backward_errors` and `jacobian_errors`, float64, are
    distances from the reference, and `exact`, float64, is the reference itself, NaN where it is not known; `unit`,
    float64, is one rounding unit, and `units` is the discrepancy in them, 0 where a value is infinite or NaN;
    `condition`, float64, is the condition number: see `condition_numbers`; 0 likewise.
    `referenced`, bool of shape (samples,), are the samples that have a reference; `certified` is how many of them ball
    arithmetic judged. `over`, bool, are the components above the bound on rounding units, which is `bound_units`, and
    None where none is proved; `probable_units` is the probable bound. `own_network`: the block has one.
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
    probable_units: float | None
    own_network: bool


def condition_numbers(path_sums: np.ndarray, exact: np.ndarray, backward: np.ndarray) -> np.ndarray:
    """S/abs(g) of components from their path sums S and values, all float64 of one shape; float64 of that shape too.

    g is the exact component or, where that is not known (NaN), the backward gradient's. For the slopes of its forward
    pass that one is within γ(m)·S of the exact one (`bounds`, NOTE [the bound]), and so the reciprocal of the condition
    number within γ(m) of the right one; how far the rounded slopes are off comes on top, and is not bounded here.

    The condition number is infinite where g is 0, and 0 stands for none: where S is 0, as no path reaches an output, or
    is not known.
    """
    unknown = np.isnan(exact)
    g = np.where(unknown, backward, exact) if unknown.any() else exact
    with np.errstate(divide="ignore", invalid="ignore"):
        condition = path_sums / np.abs(g)
    some = path_sums > 0
    return condition if some.all() else np.where(some, condition, 0.0)


class Judge:
    """Judges samples with one network, when `turned_to` the block that they are from. For one thread at a time."""

    def __init__(self, net: nn.Sequential, experiment: Experiment) -> None:
        self._experiment = experiment
        self._yardstick = bounds.Yardstick(net, experiment)
        self._float64 = Float64Network(net, experiment)
        self._arb = ArbNetwork(net, experiment)
        self._bound, self._probable = bounds.bound_units(experiment), bounds.probable_units(experiment)

    def turned_to(self, samples: Tensor) -> "Judge":
        """With the reference of a whole block of samples, shape (samples, inputs)."""
        self._samples = samples.cpu()
        self._reference: Float64Reference | None = None
        if self._experiment.dtype != "float64":
            self._reference = self._float64.reference(self._samples)
        return self

    def judge(self, index: int, number: int, saved: Tensor, backward: np.ndarray, jacobian: np.ndarray) -> Judged:
        """The samples from `index` of the block on, of which the first is `number` of the experiment.

        `saved` are their saved activations (`jacobians.backward_and_saved`), shape (samples, neurons); both gradients
        are float64 of shape (samples, inputs).
        """
        x = self._samples[index : index + len(saved)]
        path_sums = self._path_sums(index, saved)
        unit = self._yardstick.units_of(path_sums).numpy()
        with np.errstate(invalid="ignore"):
            units = np.abs(backward - jacobian) / unit
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
        condition = condition_numbers(path_sums.double().numpy(), exact, backward)
        if not all_finite:
            np.copyto(condition, 0.0, where=~finite)
        own, limits = self._experiment.networks == "each-block", (self._bound, self._probable)
        return Judged(verdicts, *known, unit, units, condition, referenced, len(certified), over, *limits, own)

    @property
    def nbytes(self) -> int:
        """Memory of the block's reference, in bytes."""
        return self._reference.gradient.nbytes if self._reference else 0

    def _path_sums(self, index: int, saved: Tensor) -> Tensor:
        """Of a whole block always, since the last bits of a kernel may depend on the size of the batch."""
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
        """Puts the verdicts of sample i by ball arithmetic in their places, both errors, and the exact gradient."""
        places = np.flatnonzero(finite)
        values = np.where(finite, backward, 0.0).tolist(), np.where(finite, jacobian, 0.0).tolist()
        try:
            of_sample, *found = self._arb.judge(x, *values)
        except Undecided:
            verdicts[i, places] = np.where(backward == jacobian, TIE, UNDECIDED)[places]
            found = [[np.nan] * len(x)] * 3
        else:
            verdicts[i, places] = np.array(of_sample, np.int8)[places]
        for part, of_one in zip(known, found, strict=True):
            part[i, places] = np.asarray(of_one)[places]
