"""What is measured of two ways before their results are judged."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torch import Tensor

from lib.own.slope import Slope
from lib.own.watch import Seen

Both = Sequence[list[Tensor]]
"""The tensors of each side."""


@dataclass(eq=False)
class Evidence:
    """What was measured of two ways, each side a list of tensors: the result, then its gradients.

    Args:
        sides: what the two ways are called.
        names: the names of the tensors.
        own: both sides as the network computes them.
        wide: both sides in float64 throughout, one that stands for both, or nothing.
        shaken: runs both sides, or one that stands for both, some times with imitated rounding.
            It returns no runs if that is not possible.
        slopes: those measured for each side.
        seen: what the runs showed.
    """

    sides: tuple[str, str]
    names: Sequence[str]
    own: Both
    wide: Both
    shaken: Callable[[], Sequence[Both]]
    slopes: Sequence[Slope]
    seen: Seen
