"""Which gradient is right, as sentences of the page, in Markdown."""

import numpy as np

from lib.choices import METHODS
from lib.experiment import Experiment
from lib.floats import ZERO_BINADE
from lib.intervals import FEWEST_SAMPLES
from lib.machine import rounds_to_tf32
from lib.method_sentences import words
from lib.quantities import percent, power_of_two, signed_percent, significant
from lib.studies.verdict import MOST_NETWORKS, VerdictTally
from lib.tally import Histogram

PIECEWISE_LINEAR = {"identity", "relu", "leaky_relu"}
"""Activations whose slopes do not depend on the last bits of what they are given, but at a kink."""

_QUANTILE = 0.5


def verdict_claim(tally: VerdictTally, experiment: Experiment) -> str:
    """Who is closer to the exact gradient, and how often; and who meets it, if anyone does."""
    closer, side = tally.closer, words(experiment).side
    total = sum(closer.values())
    if total == 0:
        return "Which one is right? The first samples with a reference are on their way."
    if closer["tie"] == total:
        return f"Both are equally close to the exact gradient in all {total:,} components.{_exactly(tally, side)}"
    undecided = f", and {percent(closer['undecided'], total)} are undecided" if closer["undecided"] else ""
    shares = {name: percent(count, total) for name, count in closer.items()}
    return (
        f"`backward()` is closer to the exact gradient in {shares['backward']} of {total:,} components, {side} in "
        f"{shares['jacobian']}; {shares['tie']} are ties{undecided}.{_exactly(tally, side)}"
    )


def lean_claim(tally: VerdictTally, experiment: Experiment) -> str:
    """To which side the verdict leans, with its 95 % interval, and of how many networks it speaks; or why there is none
    where the method gives no Jacobian."""
    if no_lean := words(experiment).lean:
        return no_lean
    closer = tally.closer
    if closer["backward"] + closer["jacobian"] == 0:
        return "In no component is one of them closer than the other, so there is no lean."
    if tally.networks:
        found, interval = tally.lean_of_networks(), tally.interval_of_networks()
        counted = f"{min(tally.networks, MOST_NETWORKS):,} networks"
        why = "it takes two networks that lean differently to tell how networks scatter"
        about = "networks like these lean"
    else:
        found, interval = tally.lean(), tally.interval()
        counted = f"{tally.referenced:,} samples"
        why = f"fewer than {FEWEST_SAMPLES} samples have a component where one is closer"
        about = "this one network leans"
    if found is None or interval is None:
        return f"There is no interval for the lean yet: {why}."
    lean, (low, high) = found[0], interval
    return (
        f"Where one of them is closer, it is `backward()` in {(1 + lean) / 2:.1%} and the Jacobian in "
        f"{(1 - lean) / 2:.1%}. The lean, the first share less the second, is {signed_percent(lean)}; its 95 % "
        f"interval, from {signed_percent(low)} to {signed_percent(high)}, counts {counted}. {_side(low, high, about)}"
    )


def _side(low: float, high: float, about: str) -> str:
    if (low, high) == (-1, 1):
        return "The interval is as wide as it can be, so it says nothing."
    if low > 0:
        return f"So {about} to `backward()`."
    if high < 0:
        return f"So {about} to the Jacobian."
    return "It holds 0, so no lean is shown."


def _exactly(tally: VerdictTally, side: str) -> str:
    """Who has no error at all, and how often; nothing if neither ever does."""
    exact, total = tally.exact(), tally.backward_errors.total
    if not any(exact.values()):
        return ""
    shares = {name: percent(count, total) for name, count in exact.items()}
    return f" `backward()` is exact in {shares['backward']}, {side} in {shares['jacobian']}."


def shared_error(tally: VerdictTally, experiment: Experiment) -> str:
    """How much larger the error that both share is than what they differ by."""
    against = "Both errors are against the exact gradient of the rounded weights and the rounded input."
    error, discrepancy = _quantile(tally.backward_errors), _quantile(tally.discrepancies)
    if error is None or discrepancy is None or ZERO_BINADE in (error, discrepancy):
        return against
    factor = 2.0 ** (error - discrepancy)
    size = "about as large as" if factor == 1 else f"about {significant(factor)} times"
    used = {experiment.output_activation} | ({experiment.activation} if experiment.hidden else set())
    shared = ""
    if METHODS[experiment.method].same_forward and used - PIECEWISE_LINEAR:
        shared = " What comes from the same rounded activations is in both errors, and not in the discrepancy."
    return (
        f"{against} The median error of `backward()` is between {power_of_two(error)} and {power_of_two(error + 1)} "
        f"rounding units, {size} the median discrepancy.{shared}"
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
