"""What the study remembers of judged samples: which side is closer, and how far off both are.

A side *wins* a component if it is closer to the exact gradient. The *lean* is the share of
components that backward wins minus the share that the Jacobian wins, of those that either wins.

NOTE [lean]: why the lean is not 0. Each line changes one step of the computation, and gives the
lean before → after the change (2026-11-24, torch 2.13.0 on an x86 CPU, 64 outputs, batched, 64
networks).

- float32, rows added one by one: −21 → −3 %
- float32, backward's partial sums not rounded: −21 → +60 %
- bfloat16, rows not rounded: +26 → −42 %
- softmax, one backward pass per output: +77 → −4 %
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import sqrt
from typing import Self

import numpy as np
import torch

from lib.discrepancy.intervals import of_networks, of_samples
from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from lib.floats.outcome import LARGE
from lib.reference.balls import FIRST_CLOSER, SECOND_CLOSER, VERDICTS
from lib.reference.bounds import unit_roundoff
from lib.reference.pair import Pair
from lib.run.tally import Constant, Extreme, Histogram, Place, Tally

MOST_NETWORKS = 4096
"""The number of networks whose wins are kept separately, for the interval over networks. The wins
of all other networks count only in the sums."""

_PAIR = 2**13
"""More than the inputs of any network.

A key of `leans` is b·_PAIR + j where backward won b components of a sample, and the Jacobian j.
"""


@dataclass(frozen=True)
class JudgedTally(Tally):
    """What is remembered of judged samples; the first side is called backward here."""

    referenced: int = 0
    """Samples with a reference."""
    certified: int = 0
    """Referenced samples that ball arithmetic judged."""
    verdicts: Histogram = Histogram()
    """Components by the index of their verdict in `VERDICTS`."""
    max_units: Extreme[Place] = Extreme()
    """The largest discrepancy in rounding units of all finite components."""
    over_bound: int = 0
    """Components above the bound; 0 if there is no bound."""
    bound_units: Constant[float] = Constant()
    relative: Extreme[Place] = Extreme()
    """The largest difference relative to the largest component of its sample."""
    not_close: int = 0
    """Samples whose finite components fail `torch.testing.assert_close` with its defaults, in at
    least one order of its arguments."""
    kept: Extreme[Place] = Extreme()
    """The largest share that cancellation leaves of the terms of a component, among the components
    that fail `assert_close` or whose relative difference is at least `LARGE`."""

    @classmethod
    def of(cls, gradients: Pair) -> Self:
        judged = gradients.judged
        verdicts = range(len(VERDICTS))
        counts = [np.count_nonzero(judged.verdicts == verdict) for verdict in verdicts]
        start = gradients.block, gradients.index
        not_close = _not_close(gradients)
        relative = _relative(gradients)
        far = not_close | (relative >= LARGE)
        kept: Extreme[Place] = Extreme()
        if far.any():
            kept = Extreme.of(np.where(far, _kept(gradients), 0.0), *start)
        return cls(
            referenced=int(np.count_nonzero(judged.referenced)),
            certified=judged.certified,
            verdicts=Histogram.of(np.array(verdicts), np.array(counts)),
            max_units=Extreme.of(judged.units, *start),
            over_bound=int(np.count_nonzero(judged.over)),
            bound_units=Constant(judged.bound_units),
            relative=Extreme.of(relative, *start),
            not_close=int(np.count_nonzero(not_close.any(1))),
            kept=kept,
        )

    @property
    def closer(self) -> dict[str, int]:
        """Components by verdict."""
        return {name: self.verdicts[number] for number, name in enumerate(VERDICTS)}


@dataclass(frozen=True)
class VerdictTally(JudgedTally):
    """What the study remembers of the judged samples, and to which side the verdicts lean."""

    leans: Histogram = Histogram()
    """Samples with a reference by how many components each gradient won: read them with `wins`."""
    network_wins: Histogram = Histogram()
    """Components won, if each block has a network of its own: by backward under the key 2·block,
    by the Jacobian under 2·block + 1."""
    networks: int = 0
    """Networks whose first sample was seen, if each block has a network of its own."""

    @classmethod
    def of(cls, gradients: Pair) -> Self:
        judged = gradients.judged
        # Sums of narrow integers are faster, and so is a histogram of small keys.
        base = judged.verdicts.shape[1] + 1
        backward, jacobian = (
            (judged.verdicts == side).sum(1, dtype=np.int32)
            for side in (FIRST_CLOSER, SECOND_CLOSER)
        )
        pairs = Histogram.of((backward * base + jacobian)[judged.referenced])
        keys = pairs.keys // base * _PAIR + pairs.keys % base
        tally = replace(super().of(gradients), leans=Histogram(keys, pairs.counts))
        if judged.experiment.networks != "each-block":
            return tally
        keys = 2 * min(gradients.block, MOST_NETWORKS) + np.arange(2)
        won = np.array([tally.verdicts[side] for side in (FIRST_CLOSER, SECOND_CLOSER)])
        return replace(
            tally, network_wins=Histogram.of(keys, won), networks=int(gradients.index == 0)
        )

    def wins(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the wins of both sides in a sample, as a joint histogram.

        Returns:
            `backward`, `jacobian` and `count`, int64, shape (kinds,): in `count` samples, backward
            won `backward` components and the Jacobian `jacobian`.
        """
        backward, jacobian = np.divmod(self.leans.keys, _PAIR)
        return backward, jacobian, self.leans.counts

    def lean(self) -> tuple[float, float] | None:
        """Return the lean over samples and its standard error.

        The lean, from −1 to 1, is Σd/Σn: in a sample, backward and the Jacobian together won n
        components, and backward won d more than the Jacobian. The components of a sample are
        correlated, so the standard error counts samples: sqrt(Σ(d − lean·n)²)/Σn, as for any ratio
        estimator (W. G. Cochran, "Sampling Techniques", 3rd edition, 1977, section 6.3). None with
        fewer than two samples in which a component was won. `interval` is the 95 % interval.
        """
        return _lean(*self.wins())

    def lean_of_networks(self) -> tuple[float, float] | None:
        """Return the lean over the first `MOST_NETWORKS` networks and its standard error.

        None if all samples share one network, or with fewer than two networks in which a component
        was won.
        """
        backward, jacobian = self._wins_by_network()
        return _lean(backward, jacobian, np.ones_like(backward)) if self.networks > 1 else None

    @property
    def deciding_networks(self) -> int:
        """How many of the first `MOST_NETWORKS` networks have a component that was won."""
        return int(self._wins_by_network().any(0).sum())

    def interval(self) -> tuple[float, float] | None:
        """Return the 95 % interval of `lean` on a single network: `intervals`, NOTE [samples].

        None if each block has a network of its own, or if there are too few samples.
        """
        return None if self.networks else of_samples(*self.wins())

    def interval_of_networks(self) -> tuple[float, float] | None:
        """Return the 95 % interval of `lean_of_networks`: `intervals`, NOTE [networks].

        None if there are too few networks, or if all have the same lean.
        """
        return of_networks(*self._wins_by_network())

    def _wins_by_network(self) -> np.ndarray:
        """The components that each side won on the first `MOST_NETWORKS` networks: two rows."""
        won = np.zeros((MOST_NETWORKS + 1, 2), np.int64)
        won.flat[self.network_wins.keys] = self.network_wins.counts
        return won[:MOST_NETWORKS].T

    def figures(self) -> dict[str, object]:
        """The figures for JSON."""
        return {
            **self.max_units.figures("max_units"),
            "bound_units": self.bound_units.value,
            "over_bound": self.over_bound,
            "closer": self.closer,
            "referenced": self.referenced,
            "certified": self.certified,
            "lean": self.lean(),
            "lean_interval": self.interval(),
            "networks": max(1, self.networks),
            "lean_of_networks": self.lean_of_networks(),
            "lean_of_networks_interval": self.interval_of_networks(),
        }


def proved_bound(tallies: Iterable[JudgedTally], experiment: Experiment) -> float | None:
    """Return the largest bound of these tallies, in rounding units.

    None if a tally has no bound, or one that allows a difference as large as S.
    """
    unit = unit_roundoff(experiment)
    bounds = [tally.bound_units.value for tally in tallies]
    known = [bound for bound in bounds if bound is not None and bound * unit < 1]
    return max(known) if len(known) == len(bounds) else None


def _relative(gradients: Pair) -> np.ndarray:
    """The differences relative to the largest component of their sample."""
    largest = np.zeros(len(gradients))
    for values in gradients.values:
        sizes = np.abs(values if gradients.all_finite else np.where(gradients.finite, values, 0.0))
        np.maximum(largest, sizes.max(1), out=largest)
    return gradients.distance / np.where(largest > 0, largest, 1.0)[:, None]


def _not_close(gradients: Pair) -> np.ndarray:
    """Where `assert_close` fails with its defaults, in either order of its arguments."""
    first, second = gradients.first, gradients.second
    rtol, atol = DTYPES[str(first.dtype).removeprefix("torch.")].tolerances
    # A distance within atol stays within it when both are rounded to the dtype.
    if gradients.distance.max(initial=0.0) <= atol:
        return np.zeros_like(gradients.distance, bool)
    close = torch.isclose(first, second, rtol, atol) & torch.isclose(second, first, rtol, atol)
    return gradients.finite & ~close.numpy()


def _kept(gradients: Pair) -> np.ndarray:
    """What cancellation leaves of the terms of each component; 1 if it is not known."""
    condition = gradients.condition
    return np.divide(1.0, condition, out=np.ones_like(condition), where=condition > 0)


def _lean(
    backward: np.ndarray, jacobian: np.ndarray, count: np.ndarray
) -> tuple[float, float] | None:
    """The lean and its standard error, None if they come from less than two samples."""
    difference = backward - jacobian
    decided = backward + jacobian
    total = int((decided * count).sum())
    if count[decided > 0].sum() < 2:
        return None
    lean = int((difference * count).sum()) / total
    squares = ((difference - lean * decided) ** 2 * count).sum()
    return lean, sqrt(float(squares)) / total
