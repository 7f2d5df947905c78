"""The x at which unsafe spellings are looked at: first where they fail, then where both spellings should agree.

All of them are floats of every dtype, so none is rounded.
"""

from collections.abc import Callable, Sequence
from math import frexp

import torch

Point = Sequence[float]
"""The components of an x; a single one is a number, several are a vector."""

Points = Callable[[torch.finfo], Sequence[Point]]
"""The points of a dtype."""


def at(*points: Point) -> Points:
    """The same points in every dtype."""
    return lambda finfo: points


def far_out(finfo: torch.finfo) -> Sequence[Point]:
    """A point whose squares overflow and whose length does not, and one of the same direction nearer by."""
    scale = 2.0 ** (3 * frexp(finfo.max)[1] // 4)
    return (3 * scale, 4 * scale), (3.0, 4.0)


def nearly_along(finfo: torch.finfo) -> Sequence[Point]:
    """Points whose cosine rounds to 1 and to −1, and one between."""
    return (1.0, finfo.eps / 8), (-1.0, finfo.eps / 8), (3.0, 4.0)


def nearly_0(finfo: torch.finfo) -> Sequence[Point]:
    """A number so small that 1 minus it rounds to 1, and one that is not."""
    return (finfo.eps / 8,), (1.0,)
