"""A difference in words."""

import numpy as np

from lib.floats.quantities import listed
from lib.own.difference import NEGLIGIBLE, SAME, UNDECIDED, Difference


def describe(part: Difference) -> str:
    """Return sentences on a difference: what was measured, and what to do if it is undecided."""
    evidence = part.evidence
    first, second = evidence.side_names
    count = part.values.shape[1]
    is_finite = bool(part.finite.all())
    unreached = listed(evidence.seen.unreached)
    in_float64 = f"In float64 {f'except for {unreached}' if unreached else 'throughout'}"
    says = []
    if part.ulps.any():
        differing = int((part.differ & part.finite).sum())
        where = f"{differing:,} of {count:,} components, by up to {int(part.ulps.max()):,} ulp"
        says.append(f"{first} and {second} differ in {where}.")
    elif is_finite:
        says.append(f"{first} and {second} are equal.")
        if part.remains:
            says.append(f"{in_float64} they differ by more than rounding.")
    if part.ulps.any() and part.all_comparable:
        share = (
            f"up to {min(part.remains, 1):.2%}" if part.remains else f"less than {NEGLIGIBLE:.2%}"
        )
        says.append(f"{in_float64}, {share} of a difference remains, apart from rounding.")
    if not is_finite:
        lost = (~np.isfinite(part.values)).sum(1)
        where = f"{lost[0]:,} of {count:,} in {first}, {lost[1]:,} in {second}"
        says.append(f"NaN or infinite: {where}.")
        if evidence.wide:
            says.append(f"{in_float64}, {part.still_lost:,} of {count:,} still are.")
    if part.differ.any() or not is_finite:
        place, *values = part.worst
        says.append(f"The worst component is {place}: {values[0]} and {values[1]}.")
    if part.off:
        side, off, allowed = part.off
        says.append(
            f"In its own dtype {side} differs from float64 by {off:.2g} of its size. "
            f"Rounding is expected to cause {allowed:.2g}."
        )
    says += part.doubts
    if part.wrong:
        slope = f"{part.wrong.measured:.12g} ± {part.wrong.error:.1g}"
        says.append(
            "The gradient is not the function's: "
            f"central differences give the slope {slope}, not {part.wrong.by_gradient:.12g}."
        )
    if part.kind not in SAME and evidence.seen.causes:
        says.append(f"Seen in use: {listed(evidence.seen.causes)}.")
    if part.kind == UNDECIDED:
        if is_finite and (part.remains or part.wrong):
            says.append("A rounded constant or a long sum can leave such a difference.")
        says.append("Try another x.")
    return " ".join(says)
