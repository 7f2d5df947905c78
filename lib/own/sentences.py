"""What was measured of two results that should be the same, in words."""

import numpy as np

from lib.floats.quantities import listed
from lib.own.difference import NEGLIGIBLE, SAME, UNDECIDED, Difference


def describe(part: Difference) -> str:
    """Return sentences on what was measured of `part`, and what would decide if it is undecided."""
    seen = part.evidence.seen
    says = _on_finite(part) if part.finite.all() else _on_lost(part)
    if part.differing or not part.finite.all():
        place, first, second = part.worst
        says.append(f"The worst component is {place}: {first} and {second}.")
    if part.off:
        side, off, allowed = part.off
        says.append(
            f"In its own dtype {side} is off by {off:.2g} of its size from float64 throughout. "
            f"Rounding is allowed {allowed:.2g}."
        )
    says += part.doubts
    if part.wrong:
        slope = f"{part.wrong.measured:.12g} ± {part.wrong.error:.1g}"
        says.append(
            "The gradient is not the function's: "
            f"central differences give the slope {slope}, not {part.wrong.by_gradient:.12g}."
        )
    may_be_exact = part.remains or part.wrong
    if part.kind == UNDECIDED and may_be_exact and part.finite.all():
        says.append("A constant that was rounded, or a long sum, can leave as much.")
    if part.kind not in SAME and seen.causes:
        says.append(f"Seen in use: {listed(seen.causes)}.")
    if part.kind == UNDECIDED:
        says.append("Another x may decide.")
    return " ".join(says)


def _on_finite(part: Difference) -> list[str]:
    if part.ulps.any():
        return _on_ulps(part)
    first, second = part.evidence.side_names
    says = [f"{first} and {second} are equal."]
    if part.remains:
        says.append("In float64 throughout they differ by more than rounding.")
    return says


def _on_ulps(part: Difference) -> list[str]:
    first, second = part.evidence.side_names
    differing = int((part.differ & part.finite).sum())
    where = f"{differing:,} of {part.values.shape[1]:,}, up to {int(part.ulps.max()):,} ulp"
    says = [f"{first} and {second} differ in {where}."]
    if part.is_compared:
        unseen = listed(part.evidence.seen.unseen)
        where = f"except in {unseen}" if unseen else "throughout"
        remains = f"{min(part.remains, 1):.2g}" if part.remains else f"less than {NEGLIGIBLE}"
        says.append(f"In float64 {where}, {remains} of a difference remains beyond rounding.")
    return says


def _on_lost(part: Difference) -> list[str]:
    evidence = part.evidence
    first, second = evidence.side_names
    count = part.values.shape[1]
    lost = (~np.isfinite(part.values)).sum(1)
    says = _on_ulps(part) if part.ulps.any() else []
    says.append(f"NaN or infinite: {lost[0]:,} of {count:,} in {first}, {lost[1]:,} in {second}.")
    if evidence.wide:
        says.append(f"In float64 throughout {part.still_lost:,} of {count:,} stay so.")
    return says
