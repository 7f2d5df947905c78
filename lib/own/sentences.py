"""What a comparison found, in words. What was measured is told apart from what was estimated; nothing is proved."""

from collections.abc import Sequence

import numpy as np

from lib.display.quantities import counted, distance, listed, size
from lib.own.part import Part
from lib.own.verdict import EQUAL, NOT_ROUNDING, ROUNDING, Tested


def part_text(part: Part) -> str:
    """Return the verdict on two results with its reason, what was looked for, and who is closer."""
    said = [_head(part), _REASONS[part.verdict.reason](part), *_slopes(part), *_causes(part), *_closer(part)]
    return " ".join(sentence for sentence in said if sentence)


def about(of: str, x_shapes: Sequence[tuple[int, ...]], result: tuple[int, ...], mean: tuple[int, str] | None) -> str:
    """Return what a gradient is here: of what, added up over what, and of which mean."""
    of_what = "x" if of == "input" else "the parameters"
    shapes = listed(map(str, x_shapes))
    if mean:
        terms, name = mean
        return (
            f"x has the shape {shapes}. The result is a mean of {counted(terms, 'term')} ({name}), so its gradient is "
            f"the mean of theirs: 1/{terms:,} of the gradient of their sum."
        )
    count = int(np.prod(result))
    if count == 1:
        return f"x has the shape {shapes}, and the result is one number: the gradient is its derivative by {of_what}."
    return (
        f"x has the shape {shapes}, the result {result}: the gradient is that of the sum of its {count:,} numbers, as "
        "backward(ones) gives it, over the samples too if x is a batch."
    )


def _head(part: Part) -> str:
    pair, (one, other) = part.pair, part.labels
    kind = part.verdict.kind.capitalize()
    whole = counted(pair.components, "component")
    what = part.what[0].upper() + part.what[1:]
    if not pair.differing:
        return f"{what}: {kind}. {one} and {other} are equal in all of {whole}."
    most = int(pair.ulps.max())
    verb = "differs" if pair.differing == 1 else "differ"
    apart = f", by at most {distance(most)}" if most else ""
    return f"{what}: {kind}. {one} and {other}: {pair.differing:,} of {whole} {verb}{apart}."


def _shrinks(part: Part) -> str:
    remains = size(part.pair.remains or 0)
    there = "Compared with float32, in float64" if part.pair.in_float64 else "Computed again in float64,"
    return f"{there} {remains} of the difference remains; of rounding errors about {size(part.pair.expected)} would."


def _stays(part: Part) -> str:
    return f"{_shrinks(part)} So it does not come from rounding."


def _between(part: Part) -> str:
    return f"{_shrinks(part)} That is too much for rounding and too little for anything else."


def _finer_only(part: Part) -> str:
    return "NaN or an infinity stands against something else, but not in the other dtype: its range may be too small."


_REASONS = {
    "equal": lambda part: "",
    "shrinks": _shrinks,
    "stays": _stays,
    "between": _between,
    "slope": lambda part: "",
    "not finite": lambda part: (
        "NaN or an infinity stands against something else, in float64 too: "
        f"{counted(int(part.pair.unmatched.sum()), 'component')}."
    ),
    "not finite in one dtype": _finer_only,
    "not finite on both sides": lambda part: (
        f"NaN or infinite on both sides: {counted(int((~part.pair.comparable).sum()), 'component')}; what that hides "
        "cannot be said."
    ),
    "out of range": lambda part: "The coarser of the two dtypes has no range for this, so its kind is open.",
    "not computed again": lambda part: "It could not be computed again in another dtype, so its kind is open.",
}
"""What is said for each reason of a verdict."""


def _slopes(part: Part) -> list[str]:
    """What central differences say of each side."""
    tested = [(label, test) for label, test in zip(part.labels, part.tested, strict=False) if test]
    wrong = [(label, test) for label, test in tested if test.contradicted]
    if wrong:
        _, test = wrong[0]
        if len(wrong) == len(part.labels):
            return [f"Neither gradient is that of the function: {_measured(test)}."]
        return [f"The gradient by {wrong[0][0]} is not that of the function: {_measured(test)}."]
    if part.verdict.kind in (EQUAL, ROUNDING) and tested:
        if all(test.confirmed for _, test in tested):
            return ["Central differences in float64 along a random direction confirm the gradient."]
        if not all(test.is_own for _, test in tested):
            return [
                "Nothing confirms the gradient: in float64 more than half of its digits are different. It may be "
                "out of the dtype's range here, or all but cancel, or depend on the dtype."
            ]
        kink = any(test.kink for _, test in tested)
        why = (
            "those on both sides or at two steps differ, as at a kink or with numbers of very different sizes in x"
            if kink
            else "they are not precise enough"
        )
        return [f"Whether both have lost the same path is open: central differences cannot tell, since {why}."]
    return []


def _measured(test: Tested) -> str:
    slope = test.slopes[0]
    return (
        f"along a random direction central differences in float64 measured a slope of {slope.value:.6g}, with an "
        f"estimated error of {slope.error:.1g}, and the gradient gives {slope.by(test.gradient):.6g}"
    )


def _causes(part: Part) -> list[str]:
    if part.verdict.kind != NOT_ROUNDING:
        return []
    if not part.causes:
        more = ", dropout or batch norm in training mode" if part.of_two else ""
        return [f"Looked for and not found: detach(), no_grad(), item(), a hook, a custom backward{more}."]
    said = f"Looked for and found: {listed(cause.text for cause in part.causes)}."
    if part.undone:
        cuts = listed(dict.fromkeys(cause.text for cause in part.causes if cause.kind == "cut"))
        return [f"{said} With {cuts} undone the gradient has the measured slope: that is the cause."]
    return [said]


def _closer(part: Part) -> list[str]:
    counts, roundings = part.closer(), part.in_roundings()
    if part.pair.in_float64 and part.pair.differing and part.verdict.kind == ROUNDING:
        return ["Which one is closer is open, since nothing here is more precise than float64."]
    if counts is None or roundings is None or not part.pair.differing:
        return []
    one, other = part.labels
    condition = part.pair.condition()
    cancelled = "; so large a condition means that nearly all of it cancels" if condition > 1e9 else ""
    return [
        f"Closer to the result in float64: {one} in {counts[0]:,}, {other} in {counts[1]:,}. Their largest errors are "
        f"{size(roundings[0])} and {size(roundings[1])} times eps times the condition, which is estimated from how far "
        f"apart the two are in float64 as {size(condition)}{cancelled}."
    ]
