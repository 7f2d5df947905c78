"""Two results that are to be the same, component by component: how far apart, and whether that shrinks in float64."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from lib.floats.line import to_float64, ulp_distance

EPS64 = torch.finfo(torch.float64).eps


@dataclass(frozen=True, eq=False)
class Pair:
    """Two results, each a list of tensors with `names`, and the same two in a `finer` or coarser dtype.

    `one` and `other` have the dtype of the network. `one_again` and `other_again` are computed in float64, or, if the
    network is in float64 already, in float32; they are empty where that failed. All are on any device.
    """

    names: Sequence[str]
    one: Sequence[Tensor]
    other: Sequence[Tensor]
    one_again: Sequence[Tensor] = ()
    other_again: Sequence[Tensor] = ()

    @cached_property
    def dtypes(self) -> list[torch.dtype]:
        return [one.dtype for one in self.one]

    @property
    def dtype(self) -> torch.dtype:
        """The coarsest dtype of the results."""
        return max(self.dtypes, key=lambda dtype: torch.finfo(dtype).eps)

    @property
    def in_float64(self) -> bool:
        return self.dtype == torch.float64

    @cached_property
    def components(self) -> int:
        return sum(one.numel() for one in self.one)

    @cached_property
    def values(self) -> tuple[np.ndarray, np.ndarray]:
        """Both results as float64 arrays of all components."""
        return _flat(self.one), _flat(self.other)

    @cached_property
    def comparable(self) -> np.ndarray:
        """Where both are finite."""
        return np.logical_and(*map(np.isfinite, self.values))

    @cached_property
    def unmatched(self) -> np.ndarray:
        """Where NaN or an infinity stands against something else."""
        one, other = self.values
        same = (one == other) | np.isnan(one) & np.isnan(other)
        return ~self.comparable & ~same

    @cached_property
    def ulps(self) -> np.ndarray:
        """How many floats apart, uint64, shape (components,); 0 where that is no number."""
        found = []
        for one, other in zip(self.one, self.other, strict=True):
            finite = (one.isfinite() & other.isfinite()).flatten()
            a, b = (torch.where(finite, side.detach().flatten(), 0) for side in (one, other))
            found.append(ulp_distance(a.contiguous(), b.contiguous()))
        return np.concatenate(found)

    @property
    def differing(self) -> int:
        return int((self.ulps > 0).sum() + self.unmatched.sum())

    @cached_property
    def remains(self) -> float | None:
        """The largest difference in the finer of the two dtypes, in units of that in the coarser.

        Where the coarser two are equal by luck, eps times the largest component stands for their difference. None
        without a second computation, or where the coarser dtype's range is too small for anything of it.
        """
        if not self.one_again:
            return None
        coarse, fine = (self.one, self.other), (self.one_again, self.other_again)
        coarse, fine = (fine, coarse) if self.in_float64 else (coarse, fine)
        parts = [self._remains_of(*both) for both in zip(*coarse, *fine, strict=True)]
        return None if None in parts else max((part for part in parts if part is not None), default=0.0)

    def _remains_of(self, one: Tensor, other: Tensor, one_fine: Tensor, other_fine: Tensor) -> float | None:
        """Return what remains in one tensor: of its largest difference, or of that of a single component.

        A small component may differ by more than rounding while a large one hides it. It counts alone if its own
        difference stays and is a thousand times what rounding leaves of the largest.
        """
        a, b, c, d = map(to_float64, (one, other, one_fine, other_fine))
        finite = np.isfinite(a) & np.isfinite(b) & np.isfinite(c) & np.isfinite(d)
        a, b, c, d = a[finite], b[finite], c[finite], d[finite]
        coarse, fine = np.abs(a - b), np.abs(c - d)
        if not fine.size and one.numel():
            return None
        if not fine.any():
            return 0.0
        unit = max(coarse.max(), torch.finfo(one.dtype).eps * np.abs([a, b]).max())
        if not unit:
            return None
        alone = (coarse > 0) & (fine > 1000 * self.expected * unit)
        single = fine[alone] / coarse[alone]
        whole = float(fine.max() / unit)
        return max(whole, float(single.max())) if single.size else whole

    @cached_property
    def expected(self) -> float:
        """What `remains` of a rounding error: the quotient of the two dtypes' eps."""
        return EPS64 / torch.finfo(torch.float32 if self.in_float64 else self.dtype).eps

    @cached_property
    def unmatched_again(self) -> bool:
        """Whether NaN or an infinity stands against something else in the second computation too."""
        return bool(self.one_again) and bool(Pair(self.names, self.one_again, self.other_again).unmatched.any())

    def condition(self) -> float:
        """Estimate by how much the computation magnifies rounding errors, from how far apart the two are in float64.

        Their largest difference over eps times the largest component, but at least 1.
        """
        again = _Differences.of(self.one_again, self.other_again)
        size = max(again.sizes, default=0.0)
        return max(1.0, max(again.largest) / (EPS64 * size)) if size else 1.0

    def place(self, component: int) -> tuple[str, tuple[int, ...]]:
        """Return the name of the tensor that a component belongs to, and its index there."""
        for name, one in zip(self.names, self.one, strict=True):
            if component < one.numel():
                return name, tuple(int(k) for k in np.unravel_index(component, tuple(one.shape)))
            component -= one.numel()
        raise IndexError(component)

    def dtype_at(self, component: int) -> torch.dtype:
        ends = np.cumsum([one.numel() for one in self.one])
        return self.dtypes[int(np.searchsorted(ends, component, side="right"))]

    def worst(self, count: int) -> list[int]:
        """Return the components that differ, the farthest apart first; before them those with NaN or an infinity."""
        key = np.where(self.unmatched, np.iinfo(np.uint64).max, self.ulps)
        count = min(count, self.differing)
        some: list[int] = np.argpartition(-key.astype(np.float64), count - 1)[:count].tolist() if count else []
        return sorted(some, key=lambda k: (-int(key[k]), k))


@dataclass(frozen=True)
class _Differences:
    """For each tensor: the largest difference, the largest component, eps; of finite components."""

    largest: list[float]
    sizes: list[float]
    eps: list[float]

    @classmethod
    def of(cls, one: Sequence[Tensor], other: Sequence[Tensor]) -> "_Differences":
        largest, sizes, eps = [], [], []
        for a, b in zip(one, other, strict=True):
            x, y = to_float64(a), to_float64(b)
            finite = np.isfinite(x) & np.isfinite(y)
            largest.append(float(np.abs(x - y, where=finite, out=np.zeros_like(x)).max(initial=0)))
            sizes.append(float(np.abs(np.where(finite, x, 0)).max(initial=0)))
            eps.append(torch.finfo(a.dtype).eps)
        return cls(largest, sizes, eps)


def _flat(tensors: Sequence[Tensor]) -> np.ndarray:
    return np.concatenate([to_float64(one).reshape(-1) for one in tensors])
