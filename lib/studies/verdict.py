"""Which of two gradients is right: both against the reference, and their discrepancy against the a-priori bound.

NOTE [who decides]: for float32 and narrower the float64 stand-in judges every sample, and ball arithmetic those that it
leaves open. For float64 ball arithmetic judges all it judges: the first samples, and then every so many. Which these
are, depends on the shape of the network and on the sample's number alone, so that a tally does not depend on how the
work was sliced. It is not the time that decides, though time is why: the samples that are judged cost about as much as
all the others together.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from torch import Tensor, nn

from lib import bounds
from lib.arb_gradient import BACKWARD, JACOBIAN, TIE, UNDECIDED, VERDICTS, ArbNetwork, Undecided
from lib.experiment import Experiment
from lib.floats import binade
from lib.reference import Float64Network, StandIn
from lib.tally import Constant, Extreme, Histogram, Tally

UNJUDGED = len(VERDICTS)
"""In place of a verdict: the sample has no reference, or a value of the component is infinite or NaN."""

MOST_NETWORKS = 4096
"""Networks whose verdicts are kept apart, so that an interval can count networks; the rest count in the sums alone."""

_FIRST_IN_FLOAT64 = 1000
_EVERY_IN_FLOAT64 = {"per-sample": 4, "batched": 512}
_PARAMETERS = 128  # of a network that ball arithmetic takes some 30 µs for; larger ones are judged less often
_PAIR = 2**7  # keys of `leans`: components won by backward · _PAIR + components won by the Jacobian


def judged_in_float64(experiment: Experiment, numbers: np.ndarray) -> np.ndarray:
    """Which samples ball arithmetic judges, bool, by their numbers: NOTE [who decides]."""
    size = -(-experiment.parameters // _PARAMETERS)
    every = _EVERY_IN_FLOAT64[experiment.evaluation] * size
    return (numbers < max(1, _FIRST_IN_FLOAT64 // size)) | (numbers % every == 0)


@dataclass(frozen=True)
class Judged:
    """Consecutive samples of one block, judged. Arrays of shape (samples, inputs).

    `verdicts`, int8, are numbers of `VERDICTS` or `UNJUDGED`; `backward_errors` and `jacobian_errors`, float64, are
    distances from the reference, NaN where it is not known; `unit`, float64, is one rounding unit. `referenced`, bool
    of shape (samples,), are the samples that have a reference; `certified` is how many of them ball arithmetic judged.
    `over`, bool, are the components above the bound on rounding units, which is `bound_units`; `near_kinks`, bool of
    shape (samples,), are samples with such where rounding may have flipped a ReLU. `own_network`: the block has one.
    """

    verdicts: np.ndarray
    backward_errors: np.ndarray
    jacobian_errors: np.ndarray
    unit: np.ndarray
    referenced: np.ndarray
    certified: int
    over: np.ndarray
    near_kinks: np.ndarray
    bound_units: float | None
    own_network: bool


class Judge:
    """Judges samples with one network, when `turned_to` the block that they are from. For one thread at a time."""

    def __init__(self, net: nn.Sequential, experiment: Experiment) -> None:
        self._experiment = experiment
        self._yardstick = bounds.Yardstick(net, experiment)
        self._float64 = Float64Network(net, experiment)
        self._arb = ArbNetwork(net, experiment)
        self._bound = bounds.bound_units(experiment)

    def turned_to(self, samples: Tensor) -> "Judge":
        """With the reference of a whole block of samples, shape (samples, inputs)."""
        self._samples = samples.cpu()
        self._stand_in: StandIn | None = None
        if self._experiment.dtype != "float64":
            self._stand_in = self._float64.stand_in(self._samples)
        self._near: np.ndarray | None = None
        return self

    def judge(self, index: int, number: int, traced: Tensor, backward: np.ndarray, jacobian: np.ndarray) -> Judged:
        """The samples from `index` of the block on, of which the first is `number` of the experiment.

        traced is what `jacobians.traced_backward` kept of them; both gradients, (samples, inputs), are float64.
        """
        x = self._samples[index : index + len(traced)]
        finite = np.isfinite(backward) & np.isfinite(jacobian)
        unit = self._units(index, traced)
        if self._stand_in:
            referenced = np.full(len(x), True)
            with np.errstate(invalid="ignore"):
                verdicts = self._stand_in.judge(index, backward, jacobian)
                exact = self._stand_in.gradient[index : index + len(x)]
                errors = np.abs(backward - exact), np.abs(jacobian - exact)
            open_ = ((verdicts == UNDECIDED) & finite).any(1) | self._stand_in.kinked[index : index + len(x)]
            verdicts[~finite] = UNJUDGED
        else:
            referenced = open_ = judged_in_float64(self._experiment, number + np.arange(len(x)))
            verdicts = np.full(backward.shape, np.int8(UNJUDGED))
            errors = np.full(backward.shape, np.nan), np.full(backward.shape, np.nan)
        certified = np.flatnonzero(open_)
        for i in certified:
            self._certify(i, x[i].tolist(), backward[i], jacobian[i], finite[i], verdicts, errors)
        over = np.zeros(backward.shape, bool)
        if self._bound is not None:
            with np.errstate(invalid="ignore"):
                over = finite & (np.abs(backward - jacobian) > self._bound * unit)
        near = over.any(1)
        if near.any():
            near &= self._near_kinks()[index : index + len(x)]
        own = self._experiment.networks == "each-block"
        return Judged(verdicts, *errors, unit, referenced, len(certified), over, near, self._bound, own)

    @property
    def nbytes(self) -> int:
        """Memory of the block's reference, in bytes."""
        return self._stand_in.gradient.nbytes if self._stand_in else 0

    def _units(self, index: int, traced: Tensor) -> np.ndarray:
        """Of a whole block always, since the last bits of a kernel may depend on the size of the batch."""
        if len(traced) == len(self._samples):
            return self._yardstick.units(traced).numpy()
        whole = traced.new_zeros(len(self._samples), traced.shape[1])
        whole[index : index + len(traced)] = traced
        return self._yardstick.units(whole)[index : index + len(traced)].numpy()

    def _certify(
        self,
        i: int,
        x: list[float],
        backward: np.ndarray,
        jacobian: np.ndarray,
        finite: np.ndarray,
        verdicts: np.ndarray,
        errors: tuple[np.ndarray, np.ndarray],
    ) -> None:
        """Puts the verdicts and errors of sample i by ball arithmetic in their places."""
        places = np.flatnonzero(finite)
        values = np.where(finite, backward, 0.0).tolist(), np.where(finite, jacobian, 0.0).tolist()
        try:
            of_sample, *of_both = self._arb.judge(x, *values)
        except Undecided:
            verdicts[i, places] = np.where(backward == jacobian, TIE, UNDECIDED)[places]
            of_both = np.full((2, len(x)), np.nan)
        else:
            verdicts[i, places] = np.array(of_sample, np.int8)[places]
        for part, of_one in zip(errors, of_both, strict=True):
            part[i, places] = np.asarray(of_one)[places]

    def _near_kinks(self) -> np.ndarray:
        """Of the whole block, which samples have a pre-activation that rounding may put beyond a kink."""
        if self._near is None:
            self._near = self._float64.near_kinks(self._samples, bounds.unit_roundoff(self._experiment))
        return self._near


@dataclass(frozen=True)
class VerdictTally(Tally):
    """What is remembered of the judged samples."""

    referenced: int = 0
    """Samples with a reference."""
    certified: int = 0
    """Of these, the ones that ball arithmetic judged."""
    verdicts: Histogram = Histogram()
    """Components by the number of their verdict."""
    leans: Histogram = Histogram()
    """Samples with a reference by how many components each gradient won: read them with `wins`."""
    backward_wins: Histogram = Histogram()
    """Components that the backward gradient won, by block where each has a network of its own."""
    jacobian_wins: Histogram = Histogram()
    """Components that the Jacobian won, likewise."""
    networks: int = 0
    """Networks, where each block has its own: those whose first sample was seen."""
    backward_errors: Histogram = Histogram()
    """Components by the binade of abs(backward − reference) in rounding units; `ZERO_BINADE` for none."""
    jacobian_errors: Histogram = Histogram()
    discrepancies: Histogram = Histogram()
    """Components, of the same samples, by the binade of abs(backward − jacobian) in rounding units."""
    max_units: Extreme = Extreme()
    """Of all finite components, with a reference or not."""
    over_bound: int = 0
    over_bound_at_kinks: int = 0
    """Of these, the ones of samples where rounding may have put a pre-activation on the other side of a kink."""
    bound_units: Constant = Constant()

    @classmethod
    def of(cls, judged: Judged, discrepancy: np.ndarray, block: int, index: int) -> "VerdictTally":
        """discrepancy, float64 of shape (samples, inputs), is 0 where a value is not finite."""
        verdicts = judged.verdicts
        backward, jacobian = (_of_samples(verdicts == verdict) for verdict in (BACKWARD, JACOBIAN))
        units = np.abs(discrepancy) / judged.unit
        known = ~np.isnan(judged.backward_errors) & (verdicts != UNJUDGED)
        everywhere = bool(known.all())
        each = judged.own_network
        of_block = np.array([min(block, MOST_NETWORKS)])

        def binades(sizes: np.ndarray) -> Histogram:
            return Histogram.of(binade(sizes if everywhere else sizes[known]))

        return cls(
            referenced=int(judged.referenced.sum()),
            certified=judged.certified,
            verdicts=Histogram.of(verdicts if everywhere else verdicts[verdicts != UNJUDGED]),
            leans=Histogram.of((backward * _PAIR + jacobian)[judged.referenced]),
            backward_wins=Histogram.of(of_block, backward.sum(keepdims=True)) if each else Histogram(),
            jacobian_wins=Histogram.of(of_block, jacobian.sum(keepdims=True)) if each else Histogram(),
            networks=int(each and index == 0),
            backward_errors=binades(judged.backward_errors / judged.unit),
            jacobian_errors=binades(judged.jacobian_errors / judged.unit),
            discrepancies=binades(units),
            max_units=Extreme.of(units, block, index),
            over_bound=int(judged.over.sum()),
            over_bound_at_kinks=int(judged.over[judged.near_kinks].sum()),
            bound_units=Constant(judged.bound_units),
        )

    @property
    def closer(self) -> dict[str, int]:
        """Components by verdict."""
        return {name: self.verdicts[number] for number, name in enumerate(VERDICTS)}

    def wins(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The joint histogram: components that backward won in a sample, that the Jacobian won, samples."""
        backward, jacobian = np.divmod(self.leans.keys, _PAIR)
        return backward, jacobian, self.leans.counts

    def lean(self) -> tuple[float, float] | None:
        """By how much more of the components that one gradient won backward did, from −1 to 1, and its standard error.

        The lean is Σd/Σn, where a sample has n components that either gradient won, and d more by backward than by the
        Jacobian. Components of a sample are correlated, so the error counts samples: sqrt(Σ(d − lean·n)²)/Σn, the
        ratio estimator's (W. G. Cochran, "Sampling Techniques", 3rd edition, 1977, section 6.3). None before both are
        defined.
        """
        return _lean(*self.wins())

    def lean_of_networks(self) -> tuple[float, float] | None:
        """The same, but it counts networks: where each block has its own, and of the first `MOST_NETWORKS` of them."""
        blocks = np.arange(min(MOST_NETWORKS, self.networks))
        backward, jacobian = (_counts(wins, blocks) for wins in (self.backward_wins, self.jacobian_wins))
        return _lean(backward, jacobian, np.ones_like(blocks)) if self.networks else None

    def figures(self) -> dict[str, object]:
        """The figures for JSON."""
        return {
            "max_units": self.max_units.value,
            "bound_units": self.bound_units.value,
            "over_bound": self.over_bound,
            "over_bound_at_kinks": self.over_bound_at_kinks,
            "closer": self.closer,
            "referenced": self.referenced,
            "certified": self.certified,
            "lean": list(self.lean() or ()) or None,
            "networks": max(1, self.networks),
            "lean_of_networks": list(self.lean_of_networks() or ()) or None,
        }


def _lean(backward: np.ndarray, jacobian: np.ndarray, count: np.ndarray) -> tuple[float, float] | None:
    """From int64 arrays, in floats only at the end."""
    difference, decided = backward - jacobian, backward + jacobian
    total = int((decided * count).sum())
    if total == 0 or count.sum() < 2:
        return None
    lean = int((difference * count).sum()) / total
    return lean, sqrt(float(((difference - lean * decided) ** 2 * count).sum())) / total


def _of_samples(won: np.ndarray) -> np.ndarray:
    """Components per sample, int64; numpy adds long rows much faster than short ones."""
    return np.ascontiguousarray(won.T).sum(0)


def _counts(histogram: Histogram, keys: np.ndarray) -> np.ndarray:
    counts = np.zeros(MOST_NETWORKS + 1, np.int64)
    counts[histogram.keys] = histogram.counts
    return counts[keys]
