"""Which gradient is right, as sentences of the page, in Markdown."""

import numpy as np

from lib.discrepancy.intervals import FEWEST_SAMPLES
from lib.discrepancy.verdict import MOST_NETWORKS, VerdictTally
from lib.display.quantities import listed, percent, power_of_two, signed_percent, significant
from lib.display.why import Why
from lib.experiment.choices import OUTPUT_ACTIVATIONS
from lib.experiment.devices import DEVICES
from lib.experiment.query import Experiment
from lib.floats.line import ZERO_BINADE
from lib.network.method_sentences import in_words_of, words
from lib.reference.activations import ACTIVATIONS, KINKED, PIECEWISE_LINEAR
from lib.reference.bounds import bound_units, probable_units, unit_roundoff, unproved
from lib.run.tally import Histogram

OTHER_VALUES = {"forward", "differences", "sums"}
"""The reasons of `bounds.unproved` for which slopes do not come from the activations that `backward()` saved."""

_QUANTILE = 0.5


def verdict_claim(tally: VerdictTally, experiment: Experiment) -> str:
    """Which gradient is closer to the exact one, and how often; and how often each is exact, if ever."""
    closer, side = tally.closer, words(experiment).side
    total = sum(closer.values())
    if tally.referenced == 0:
        return "Which one is right? The first samples with a reference are on their way."
    if total == 0:
        return "Which one is right? No component is finite in both gradients, so there is nothing to judge."
    if closer["tie"] == total:
        return f"Both are equally close to the exact gradient in all {total:,} components.{_exactly(tally, side)}"
    undecided = f", and {percent(closer['undecided'], total)} are undecided" if closer["undecided"] else ""
    shares = {name: percent(count, total) for name, count in closer.items()}
    return (
        f"`backward()` is closer to the exact gradient in {shares['backward']} of {total:,} components, {side} in "
        f"{shares['jacobian']}; {shares['tie']} are ties{undecided}.{_exactly(tally, side)}"
    )


def lean_claim(tally: VerdictTally, experiment: Experiment) -> str:
    """To which side the verdict leans, with its 95 % interval, and how many networks or samples that counts; or why
    there is no lean."""
    if no_lean := words(experiment).lean:
        return no_lean
    closer = tally.closer
    if closer["backward"] + closer["jacobian"] == 0:
        return "In no component is one of them closer than the other, so there is no lean."
    if tally.networks:
        found, interval = tally.lean_of_networks(), tally.interval_of_networks()
        counted = f"{min(tally.networks, MOST_NETWORKS):,} networks"
        why = "it takes two networks that lean differently"
        about = "on this machine networks like these lean"
    else:
        found, interval = tally.lean(), tally.interval()
        counted = f"{tally.referenced:,} samples"
        why = f"fewer than {FEWEST_SAMPLES} samples have a component where one is closer"
        about = "this network leans"
    if found is None or interval is None:
        return f"There is no interval for the lean: {why}."
    lean, (low, high) = found[0], interval
    return (
        f"Where one of them is closer, it is `backward()` in {(1 + lean) / 2:.1%} and the Jacobian in "
        f"{(1 - lean) / 2:.1%}: a lean of {signed_percent(lean)}. Its 95% interval, over {counted}, goes from "
        f"{signed_percent(low)} to {signed_percent(high)}. {_side(low, high, about)}"
    )


def _side(low: float, high: float, about: str) -> str:
    if (low, high) == (-1, 1):
        return "The interval is as wide as it can be, so it says nothing."
    if low > 0:
        return f"So {about} to `backward()`."
    if high < 0:
        return f"So {about} to the Jacobian."
    return "It contains 0, so it shows no lean."


def _exactly(tally: VerdictTally, side: str) -> str:
    """How often each gradient is exact; empty if neither ever is."""
    exact, total = tally.exact(), tally.backward_errors.total
    if not any(exact.values()):
        return ""
    shares = {name: percent(count, total) for name, count in exact.items()}
    return f" `backward()` is exact in {shares['backward']}, {side} in {shares['jacobian']}."


def shared_error(tally: VerdictTally, experiment: Experiment) -> str:
    """How much larger the error that both gradients share is than their discrepancy."""
    against = "Both errors are measured against the exact gradient of the rounded weights and input."
    error, discrepancy = _quantile(tally.backward_errors), _quantile(tally.discrepancies)
    if error is None or discrepancy is None or ZERO_BINADE in (error, discrepancy):
        return against
    factor = 2.0 ** (error - discrepancy)
    size = "about as large as" if factor == 1 else f"about {significant(factor)} times"
    shared = ""
    if unproved(experiment) not in OTHER_VALUES and set(experiment.activations) - PIECEWISE_LINEAR:
        shared = (
            " Errors that stem from the rounded activations are shared: they are in both errors, but not in the "
            "discrepancy."
        )
    return (
        f"{against} The median error of `backward()` is between {power_of_two(error)} and {power_of_two(error + 1)} "
        f"rounding units, {size} the median discrepancy.{shared}"
    )


_UNPROVED = {
    "differences": "finite differences do not apply the chain rule, and the bound does not cover cancellation",
    "sums": "each row of the single call is already the sum of all rows, and its rows add up to {outputs} times that",
    "forward": "the forward pass of `{method}` has other operations, so its activations, and its slopes, may round "
    "differently",
    "softmax": "`{method}` differentiates softmax by exponentials, whose errors grow with their arguments",
    "operations": "`{method}` differentiates {activations} by separate operations, which may underflow in {dtype}",
    "device": "how matrix products on {device} round is not documented in full",
}
"""Why no bound is proved, by the reason that `bounds.unproved` returns."""


def bound_claim(tally: VerdictTally, experiment: Experiment) -> str:
    """How large rounding alone can make the discrepancy, for certain and probably, and whether that explains it all."""
    if not tally.max_units.value and not sum(tally.closer.values()):
        return "No discrepancy has been measured in rounding units."
    largest = f"The largest discrepancy seen is {significant(tally.max_units.value)} rounding units"
    reason, bound, probable = unproved(experiment), bound_units(experiment), probable_units(experiment)
    if reason is not None:
        named = {"device": DEVICES[experiment.device].label, "method": experiment.method}
        named |= {"dtype": experiment.dtype, "outputs": str(experiment.outputs)}
        separate = [name for name in dict.fromkeys(experiment.activations) if not ACTIVATIONS[name].by_operations]
        named["activations"] = listed(OUTPUT_ACTIVATIONS[name].label for name in separate)
        kinks = _at_kinks(experiment) if reason == "forward" else ""
        return f"{largest}. No bound is claimed here: {_UNPROVED[reason].format(**named)}.{kinks}"
    above = "1 component is" if tally.over_bound == 1 else f"{tally.over_bound:,} components are"
    can = f"; rounding alone can make it at most {significant(bound)} (2γₘ/u, dashed)" if bound else ""
    if bound is None:
        found = f". There is no bound: with so many roundings in {experiment.dtype}, m·u is 1 or more."
    elif tally.over_bound:
        found = (
            f"{can}, and {above} above. Rounding as the bound assumes it does not explain that: look for a bug, or for "
            "a kernel that rounds more often."
        )
    elif bound * unit_roundoff(experiment) >= 1:
        found = (
            f"{can}. In {experiment.dtype} that is more than S itself, the sum of the sizes of all terms, so the bound "
            "excludes nothing."
        )
    elif not tally.max_units.value:
        found = f"{can}, but there is no discrepancy to explain."
    else:
        found = (
            f"{can}, and no component is above. So rounding alone can explain every discrepancy here. That does not "
            "prove that there is no bug, only that none is needed to explain them."
        )
    beyond = ": that, too, is more than S" if probable * unit_roundoff(experiment) >= 1 else ""
    return (
        f"{largest}{found} If rounding errors were independent, with mean zero, a component would be above "
        f"{significant(probable)} (dotted; Higham and Mary, 2019) with a probability below 1 in 1,000{beyond}."
    )


def _at_kinks(experiment: Experiment) -> str:
    """What a different forward pass does to a slope that jumps; empty if the network has no such slope."""
    if not KINKED & set(experiment.activations):
        return ""
    return " Rounding may even put the input of an activation on the other side of its kink, where the slope jumps."


def reference_conditions(tally: VerdictTally) -> str:
    """Where the exact gradients come from."""
    return (
        f"{tally.referenced:,} samples have a reference: {tally.certified:,} by ball arithmetic (Arb), the others by "
        "float64 with an error bound; what that cannot decide goes to ball arithmetic. A rounding unit is u·S: half an "
        "eps times the sum of the sizes of all terms."
    )


def _quantile(histogram: Histogram) -> int | None:
    """The key at the quantile; None if the histogram is empty."""
    below = histogram.counts.cumsum()
    return int(histogram.keys[np.searchsorted(below, _QUANTILE * below[-1])]) if below.size else None


def why_right(tally: VerdictTally, experiment: Experiment) -> Why:
    """Why both gradients have errors, and what is known in advance: the bound is on their distance, not on the errors,
    since a slope of the rounded activations may be another one."""
    known = ""
    if tally.bound_units.value is not None:
        known = (
            " How far rounding can drive the two apart is known in advance: at most 2γₘ·S, and what underflows. Here "
            "γₘ = m·u/(1 − m·u) for m roundings on the longest path, u is half the distance from 1 to the next float, "
            "and S adds up the sizes of all terms."
        )
    if experiment.dtype == "float64":
        more = "If you need more digits than float64 has, compute with more, for example with mpmath or Arb."
    else:
        more = "If you need more digits, compute in float64 and round once, at the end."
    return in_words_of(
        experiment,
        "right",
        Why(
            f"Both round on the way, so either may miss the exact gradient.{known}",
            f"Do not trust the last bits of either. {more}",
            {"finfo": "type_info.html#torch.torch.finfo"},
        ),
    )
