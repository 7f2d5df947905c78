"""Which methods agree with which, value for value: every method's summed Jacobian and the backward gradient, over the
same samples.

Methods that run the same kernels in the same order give the same bits, so those that agree everywhere fall into
classes. That the classes of per-sample and batched evaluation differ is the point: last bits belong to kernels, not to
formulas. Even two methods whose Jacobians have the same bits may disagree once `J.sum(0)` adds up the rows, for the
order in which it adds depends on how the matrix lies in memory.
"""

from dataclasses import dataclass, replace
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from lib.floats.line import to_float64
from lib.network.jacobians import METHODS, backward_gradient, summed_jacobian
from lib.network.sampled import SampledStudy, Samples
from lib.run.tally import Histogram, Tally

BACKWARD = "backward"
NAMES = (BACKWARD, *METHODS)
"""What is compared: the backward gradient, and the methods by their names."""


@dataclass(frozen=True)
class Answers(Samples):
    """The gradients of consecutive samples by each of the `NAMES`, shape (samples, names, inputs)."""

    gradients: Tensor


@dataclass(frozen=True)
class AgreementTally(Tally):
    """What the study remembers: components by pair of names, see `pair`."""

    samples: int = 0
    finite: Histogram = Histogram()
    """Components where both values are finite."""
    equal: Histogram = Histogram()
    """Those of them with equal values: +0 and −0 are equal, though their bits are not."""
    nonfinite: Histogram = Histogram()
    """Components where a value is infinite or NaN."""
    apart: Histogram = Histogram()
    """Components that tell the two apart, which is an equivalence: any NaN is like any other, infinities as equal."""

    @classmethod
    def of(cls, answers: Answers) -> "AgreementTally":
        values = to_float64(answers.gradients)
        finite, nan = np.isfinite(values), np.isnan(values)
        keys, counts = [], []
        for i in range(len(NAMES)):  # row by row: all pairs at once would take much memory
            rest = slice(i, None)
            both = finite[:, i, None] & finite[:, rest]
            same = values[:, i, None] == values[:, rest]
            alike = same | (nan[:, i, None] & nan[:, rest])
            keys += [pair(i, j) for j in range(i, len(NAMES))]
            counts.append([part.sum((0, 2)) for part in (both, both & same, ~both, ~alike)])
        histograms = (Histogram.of(np.array(keys), part) for part in np.concatenate(counts, axis=1))
        return cls(len(answers), *histograms)

    def share(self, one: str, other: str) -> float | None:
        """The share of the finite components in which two of the `NAMES` are equal; None if there are none."""
        key = pair(NAMES.index(one), NAMES.index(other))
        return self.equal[key] / self.finite[key] if self.finite[key] else None

    def classes(self) -> list[tuple[str, ...]]:
        """The names, in the order of `NAMES`, by the bits that they gave: no component has told members of a class
        apart so far."""
        found: list[list[str]] = []
        for j, name in enumerate(NAMES):
            kin = (members for members in found if not self.apart[pair(NAMES.index(members[0]), j)])
            members = next(kin, None)
            if members is None:
                found.append(members := [])
            members.append(name)
        return [tuple(members) for members in found]

    def figures(self) -> dict[str, object]:
        """The figures of the study, for JSON: `equal` and `nonfinite` are of components, row by row by `names`."""
        return {
            "samples": self.samples,
            "components": self.finite[0] + self.nonfinite[0],
            "names": list(NAMES),
            "equal": _matrix(self.equal).tolist(),
            "nonfinite": _matrix(self.nonfinite).tolist(),
            "classes": [list(members) for members in self.classes()],
        }


class Agreement(SampledStudy):
    """The backward gradient and the summed Jacobian of each sample by every method; the experiment's own is no matter.

    Forward mode is among them, so only one thread of a process may run this study.
    """

    measured = Answers
    empty = AgreementTally()
    tally = staticmethod(AgreementTally.of)

    def differentiate(self, x: Tensor) -> tuple[Tensor]:
        summed = [
            summed_jacobian(method, self.net, x, **replace(self.experiment, method=method).options)
            for method in METHODS
        ]
        return (torch.stack([backward_gradient(self.net, x), *summed], -2),)


def pair(i: int, j: int) -> int:
    """The histogram key of the pair of the i-th and the j-th name, in whichever order."""
    return min(i, j) * len(NAMES) + max(i, j)


def tables(tally: AgreementTally) -> dict[str, pd.DataFrame]:
    """The tables by the names under which the charts know them.

    `agreement`: every ordered pair of names, those with themselves too: one, other, equal, components (finite ones),
    share (of these, 0 if there are none), bits (whether nothing has told the two apart). `bit_classes`: every name with
    the letter of its class, A being that of the backward gradient.
    """
    letters = {name: chr(ord("A") + k) for k, members in enumerate(tally.classes()) for name in members}
    equal, finite, apart = (_matrix(part).ravel() for part in (tally.equal, tally.finite, tally.apart))
    return {
        "agreement": pd.DataFrame(
            {
                "one": np.repeat(NAMES, len(NAMES)),
                "other": np.tile(NAMES, len(NAMES)),
                "equal": equal,
                "components": finite,
                "share": (equal / np.maximum(finite, 1)).astype(np.float32),
                "bits": np.where(apart == 0, "the same so far", "different"),
            }
        ),
        "bit_classes": pd.DataFrame({"name": NAMES, "bits": [letters[name] for name in NAMES]}),
    }


def _matrix(counts: Histogram) -> np.ndarray:
    """A histogram by pairs as the symmetric matrix that it is, int64, shape (names, names)."""
    matrix = np.zeros((len(NAMES), len(NAMES)), np.int64)
    for i, j in combinations_with_replacement(range(len(NAMES)), 2):
        matrix[i, j] = matrix[j, i] = counts[pair(i, j)]
    return matrix
