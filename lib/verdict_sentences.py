"""Which gradient is right, as sentences of the page, in Markdown."""

import numpy as np

from lib.choices import METHODS
from lib.experiment import Experiment
from lib.floats import ZERO_BINADE
from lib.machine import rounds_to_tf32
from lib.quantities import percent, power_of_two, significant
from lib.studies.verdict import VerdictTally
from lib.tally import Histogram

_QUANTILE = 0.5


def verdict_claim(tally: VerdictTally) -> str:
    """Who is closer to the exact gradient, and how often."""
    closer = tally.closer
    total = sum(closer.values())
    if total == 0:
        return "Which one is right? The first samples with a reference are on their way."
    if closer["tie"] == total:
        return f"Neither is closer to the exact gradient: they are as near in all {total:,} components."
    undecided = f", {percent(closer['undecided'], total)} are undecided" if closer["undecided"] else ""
    shares = {name: percent(count, total) for name, count in closer.items()}
    return (
        f"Neither is right: `backward()` is closer to the exact gradient in {shares['backward']} of {total:,} "
        f"components, the Jacobian in {shares['jacobian']}, and {shares['tie']} are ties{undecided}."
    )


def lean_claim(tally: VerdictTally) -> str:
    """To which side the verdict leans, with its 95 % interval, and over how many networks it speaks."""
    if tally.networks:
        found, counted = tally.lean_of_networks(), f"{tally.networks:,} networks"
    else:
        found, counted = tally.lean(), f"{tally.referenced:,} samples"
    if found is None:
        return "Too few samples are decided to say to which side it leans."
    lean, error = found
    low, high = lean - 1.96 * error, lean + 1.96 * error
    side = "to `backward()`" if low > 0 else "to the Jacobian" if high < 0 else "to neither side"
    of_one = "" if tally.networks else " This speaks of one network: other weights lean another way."
    return (
        f"Where one is closer, it leans {side}: {lean:+.1%} more of the components are `backward()`'s, 95 % interval "
        f"{low:+.1%} to {high:+.1%}, counting {counted}, since the components of one are not independent.{of_one}"
    )


def shared_error(tally: VerdictTally) -> str:
    """How much larger the error that both share is than what they differ by."""
    error, discrepancy = _quantile(tally.backward_errors), _quantile(tally.discrepancies)
    if error is None or discrepancy is None or ZERO_BINADE in (error, discrepancy):
        return "Both errors are against the exact gradient of the rounded weights and the rounded input."
    factor = 2.0 ** (error - discrepancy)
    size = "about as large as" if factor == 1 else f"about {significant(factor)} times"
    return (
        "Both errors are against the exact gradient of the rounded weights and input, and both have a part that they "
        "share, from the same rounded activations. In the middle of the components the error is between "
        f"{power_of_two(error)} and {power_of_two(error + 1)} rounding units, {size} the discrepancy."
    )


def bound_claim(tally: VerdictTally, experiment: Experiment) -> str:
    """That the discrepancy stays below what rounding alone can do, or what is above it and why."""
    largest = f"The largest discrepancy is {significant(tally.max_units.value)} rounding units"
    bound = tally.bound_units.value
    if bound is None:
        return f"{largest}. There is no bound: with so many roundings in {experiment.dtype}, m·u is 1 or more."
    if tally.over_bound == 0:
        return (
            f"{largest}; rounding alone can make it {significant(bound)} (2γₘ/u, the dashed line), and no component is "
            "above. That is the proof that it is rounding, and no bug."
        )
    if rounds_to_tf32(experiment):
        cause = "they were computed with TF32, which rounds every factor to 11 bits, and the bound is that of 24"
    elif not METHODS[experiment.method].same_forward:
        cause = f"the slopes of `{experiment.method}` need not be those of `backward()`, as its forward pass is another"
    else:
        cause = f"in {tally.over_bound_at_kinks:,} of them rounding may have put a ReLU on the other side of its kink"
    return f"{largest}. {tally.over_bound:,} components are above the bound of {significant(bound)}: {cause}."


def reference_conditions(tally: VerdictTally) -> str:
    """Where the exact gradients come from."""
    return (
        f"{tally.referenced:,} samples have a reference: {tally.certified:,} by ball arithmetic (Arb), the others by "
        "float64 with an error bound; what that cannot decide goes to ball arithmetic. A rounding unit is u·S: half an "
        "eps times the sum of the sizes of all terms."
    )


def _quantile(histogram: Histogram) -> int | None:
    """The key at the quantile; None of nothing."""
    below = histogram.counts.cumsum()
    return int(histogram.keys[np.searchsorted(below, _QUANTILE * below[-1])]) if below.size else None
