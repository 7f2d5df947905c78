"""The runs of both ways, before their results are judged."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor

from lib.own.function import OwnFunction
from lib.own.refusal import RefusedError
from lib.own.slope import Slope, measure_slope
from lib.own.watch import Seen

IMITATIONS = 8
"""The number of runs with imitated rounding."""

Sides = Sequence[list[Tensor]]
"""The tensors of each side. If there is only one side, it stands for both."""


@dataclass(eq=False)
class Evidence:
    """What was measured of two ways. A side is a list of tensors: the result, then its gradients.

    Args:
        side_names: the names of the two ways.
        names: the names of the tensors of a side.
        own: both sides in their own dtypes, as the network computes them.
        wide: the sides in float64 throughout; empty if that run failed.
        imitations: a function that runs with imitated rounding at its first call, and returns the
            sides of each run; empty if a run failed.
        slopes: the measured slope of each function, if it could be measured.
        seen: what was noted during the runs.
        notes: sentences on runs that failed, and on where NaN or an infinity begins.
    """

    side_names: tuple[str, str]
    names: Sequence[str]
    own: Sides
    wide: Sides
    imitations: Callable[[], Sequence[Sides]]
    slopes: Sequence[Slope]
    seen: Seen
    notes: Sequence[str] = ()


def measure(functions: Sequence[OwnFunction], seen: Seen) -> Evidence:
    """Run two functions by `backward()`, or one by `backward()` and by its Jacobian.

    Raises:
        RefusedError: if the results in their own dtypes cannot be compared. If a later run fails,
            a note says so.
    """
    notes = list[str]()

    def attempt(what: str, work: Callable[..., Any], *given: Any) -> Any:
        try:
            return work(*given)
        except Exception as error:
            # A `RefusedError` would blame the network, which did not fail in its own dtype.
            reason = error.__cause__ or error
            notes.append(f"{what} failed: {reason!r:.300}")
            return None

    is_pair = len(functions) == 2
    side_names = ("the first", "the second") if is_pair else ("backward()", "the Jacobian")
    backwards = [function.backward for function in functions]
    ways = backwards if is_pair else [*backwards, functions[0].summed_jacobian]
    own = [way() for way in ways]
    first, second = ([(part.shape, part.dtype) for part in side] for side in own)
    if first != second:
        raise RefusedError("The two ways differ in shape or dtype of their results or gradients.")
    for function, (value, *_) in zip(functions, own, strict=False):
        if not torch.equal(value.nan_to_num(), function.value_at().nan_to_num()):
            raise RefusedError(
                "The network returns another result each time: seed its generator in every call."
            )

    if all(map(torch.equal, *own)):
        # Of equal sides, one is enough.
        ways = backwards
    wide = attempt("The run in float64", lambda: [way(torch.float64) for way in ways]) or []

    slopes = []
    for function, (value, *gradient) in zip(functions, wide, strict=False):
        if all(part.isfinite().all() for part in gradient):
            given = function, value, gradient, bool(seen.causes)
            slopes.append(attempt("The slope from values", measure_slope, *given))
    slopes = [slope for slope in slopes if slope]

    if not all(part.isfinite().all() for side in own for part in side):
        what = "The search for the first NaN or infinity"
        begins = [attempt(what, function.beginning) for function in functions]
        notes += list(filter(None, begins))[:1]

    def imitate() -> list[Sides]:
        return [[way(stream=number) for way in backwards] for number in range(IMITATIONS)]

    @cache
    def imitations() -> list[Sides]:
        return attempt("Imitated rounding", imitate) or []

    names = ["result", *functions[0].names]
    return Evidence(side_names, names, own, wide, imitations, slopes, seen, notes)
