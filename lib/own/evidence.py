"""What is measured of two ways before their results are judged."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torch import Tensor

from lib.own.slope import Slope
from lib.own.watch import Seen

Sides = Sequence[list[Tensor]]
"""The tensors of each side; one side may stand for both."""


@dataclass(eq=False)
class Evidence:
    """What was measured of two ways, each side a list of tensors: the result, then its gradients.

    Args:
        side_names: what the two ways are called.
        names: the names of the tensors.
        own: both sides as the network computes them.
        wide: the sides in float64 throughout, or nothing.
        imitations: gives the runs with imitated rounding, or none if they are impossible.
        slopes: of each function, where they could be measured.
        seen: what the runs showed.
    """

    side_names: tuple[str, str]
    names: Sequence[str]
    own: Sides
    wide: Sides
    imitations: Callable[[], Sequence[Sides]]
    slopes: Sequence[Slope]
    seen: Seen
