"""The three cards below the picture: each answers a question with a figure, in Markdown."""

from lib.discrepancy.verdict import VerdictTally
from lib.display.quantities import percent, significant
from lib.experiment.devices import DEVICES
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.network.method_sentences import words
from lib.reference.bounds import bound_units, unit_roundoff, unproved


def right_card(tally: VerdictTally, experiment: Experiment) -> str:
    """Which one is right? How often each gradient is closer to the exact one."""
    closer, side = tally.closer, words(experiment).side
    total = sum(closer.values())
    if tally.referenced == 0:
        return "The first samples are being judged."
    if total == 0:
        return "No component is finite in both."
    if closer["tie"] == total:
        return f"Both are equally close in all {total:,} components judged."
    shares = {name: percent(count, total) for name, count in closer.items()}
    undecided = f"; {shares['undecided']} are undecided" if closer["undecided"] else ""
    rest = f"{side} in {shares['jacobian']}, {shares['tie']} tie{undecided}, of {total:,} judged."
    return f"`backward()` is closer in {shares['backward']}, {rest}"


def bug_card(tally: VerdictTally, experiment: Experiment) -> str:
    """Is it a bug? The worst discrepancy seen, next to what rounding alone can do, if that is proved."""
    if METHODS[experiment.method].gives == "sums" and experiment.outputs > 1:
        return "Yes, the pitfall: each row of the single call is the sum of all rows."
    measured = sum(tally.closer.values())
    if not tally.max_units.value:
        return "There is no difference to explain." if measured else "No difference has been measured."
    worst = f"Worst seen: {significant(tally.max_units.value)} rounding units"
    reason, bound = unproved(experiment), bound_units(experiment)
    if reason is not None:
        return f"{worst}. {_UNPROVED[reason].format(method=experiment.method, device=DEVICES[experiment.device].label)}"
    if bound is None:
        return f"{worst}. With so many roundings in {experiment.dtype}, there is no bound."
    if tally.over_bound:
        above = "1 component is" if tally.over_bound == 1 else f"{tally.over_bound:,} components are"
        return f"Look into it: {above} beyond the proved bound, {significant(bound)} rounding units. {worst}."
    if bound * unit_roundoff(experiment) >= 1:
        return f"{worst}. In {experiment.dtype} the proved bound, {significant(bound)}, excludes nothing."
    seen = significant(tally.max_units.value)
    return f"Rounding alone can explain it. Worst seen: {seen} of at most {significant(bound)} rounding units (proved)."


_UNPROVED = {
    "differences": "A finite difference cancels digits, and no bound is proved for that.",
    "forward": "No bound is proved: `{method}` has another forward pass.",
    "softmax": "No bound is proved for softmax by `{method}`.",
    "operations": "No bound is proved for its slopes by `{method}` in 16 bits.",
    "device": "No bound is proved for {device}.",
}
"""Why the worst has nothing to be compared with, by the reason that `bounds.unproved` returns."""


def remedy_card(tally: VerdictTally, experiment: Experiment) -> str:
    """How do I make it go away? What leaves no difference, and what does not."""
    gives = METHODS[experiment.method].gives
    if gives == "approximation":
        return "Use autograd. No step makes a finite difference round as `backward()` does."
    if gives == "sums" and experiment.outputs > 1:
        return "Ask for one row at a time, or sum the outputs and differentiate `net(x).sum()`."
    if gives != "rows":
        return "Nothing to remove: both sides do the same additions in the same order."
    if sum(tally.closer.values()) and not tally.max_units.value:
        return "Nothing to remove: no difference was seen."
    wider = "" if experiment.dtype == "float64" else ", or round once, from float64"
    return f"Differentiate `net(x).sum()`{wider}. In tests, use a tolerance."
