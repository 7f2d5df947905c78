"""What the first tab says, in Markdown: the claim, why, the answers, and one component."""

from types import SimpleNamespace

from lib.discrepancy.component import KINK
from lib.discrepancy.state import state_of
from lib.discrepancy.study import DiscrepancyTally
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.floats.outcome import LARGE, Outcome
from lib.floats.quantities import counted, minus, percent, share_of
from lib.floats.sentences import Sentence
from lib.floats.verdict import verdict

WHEN_YOU_ADD = "3*(0.1 + 0.7) != 3*0.1 + 3*0.7"
"""Python that is true in each dtype, if each number and each result is rounded to it."""


def facts(tally: DiscrepancyTally, experiment: Experiment) -> SimpleNamespace:
    """Return what the sentences speak of: a tally, its `state`, its `verdict`, and texts.

    - `different`: the share of components that differ, of those that are finite on both sides.
    - `lean`: the lean and both ends of its interval; empty without an interval.
    - `units`: how many samples or networks the interval is over.
    - `has_zero`: whether the interval contains 0, which its rounded ends do not always show.
    - `multiplies_first`: whether the Jacobian adds at the end what `backward()` adds at the start.
    - `noise`: whether values differ although the exact gradient is 0.
    """
    method = METHODS[experiment.method]
    state = state_of(tally, experiment)
    judged = tally.verdict
    lean, ends, units = judged.lean(), judged.interval(), counted(judged.referenced, "sample")
    if judged.networks:
        lean, ends = judged.lean_of_networks(), judged.interval_of_networks()
        units = counted(judged.deciding_networks, "network")
    may_differ = state.different or not tally.samples
    noise = state.zero and state.different
    is_equal = tally.finite and not state.different
    answers = verdict(state)
    of_rounding = answers.outcome is Outcome.ROUNDING
    by_rows = experiment.hidden and method.gives == "rows" and method.mode != "forward"
    # Otherwise more than the order may matter.
    is_near = state.relative < LARGE and not noise
    multiplies_first = by_rows and experiment.outputs > 1 and may_differ and is_near
    return SimpleNamespace(
        tally=tally,
        accuracy=judged,
        state=state,
        verdict=answers,
        of_rounding=of_rounding,
        noise=noise,
        multiplies_first=multiplies_first,
        different=percent(state.different, tally.finite),
        compared="finite component" if tally.nonfinite else "component",
        is_equal=is_equal,
        why_rounding=not (is_equal or state.zero or state.another or state.approximates),
        relative=share_of(state.relative),
        lean=[minus(f"{share:+.1%}") for share in (lean[0], *ends)] if lean and ends else [],
        has_zero=bool(ends) and ends[0] <= 0 <= ends[1],
        units=units,
    )


HEADLINE = (
    Sentence("Rounding, no sign of a bug:", lambda f: f.of_rounding),
    Sentence("Two ways to one gradient:", lambda f: not (f.of_rounding or f.state.another)),
    Sentence("Not the same function:", lambda f: f.state.another),
    Sentence(
        "do they agree, and if not, how far apart are they?",
        lambda f: not f.tally.samples and not f.state.another,
    ),
    Sentence("nothing is measured yet.", lambda f: not f.tally.samples and f.state.another),
    Sentence(
        "no component is finite on both sides.", lambda f: f.tally.nonfinite and not f.tally.finite
    ),
    Sentence("none of the {f.compared}s differs.", lambda f: f.is_equal),
    Sentence(
        "{f.different} of {f.compared}s differ, by at most {f.relative} of their sample's "
        "largest {f.compared}.",
        lambda f: f.state.different and not f.state.another,
    ),
    Sentence(
        "{f.different} of {f.compared}s differ.", lambda f: f.state.different and f.state.another
    ),
)
"""The claim of the tab."""

REASON = (
    Sentence("{f.state.another}", lambda f: f.state.another),
    Sentence(
        "{f.state.approximates}",
        lambda f: f.state.approximates and not (f.is_equal or f.state.zero),
    ),
    Sentence("{f.state.zero}", lambda f: f.state.zero),
    Sentence("What differs is noise.", lambda f: f.noise),
    Sentence(
        f"Each operation can round: in {{f.state.dtype}}, `{WHEN_YOU_ADD}`.",
        lambda f: f.why_rounding,
    ),
    Sentence(
        "Whatever was rounded on the way, the {f.compared}s are equal.",
        lambda f: f.is_equal and not (f.state.zero or f.state.another),
    ),
    Sentence(
        "`backward()` adds, then multiplies; the Jacobian multiplies, then adds.",
        lambda f: f.multiplies_first,
    ),
)
"""Why, in one line."""

LEAN = (
    Sentence(
        "Of the components in which one is closer, the share won by `backward()` minus the share "
        "won by the Jacobian is {f.lean[0]}. The 95% interval over {f.units} goes from "
        "{f.lean[1]} to {f.lean[2]}.",
        lambda f: f.lean,
    ),
    Sentence("It contains 0: neither is clearly closer.", lambda f: f.lean and f.has_zero),
)
REFERENCE = (
    Sentence(
        "Samples with a reference: {f.accuracy.referenced:,}. Ball arithmetic (Arb) judged "
        "{f.accuracy.certified:,} of them, float64 with an error bound the others."
    ),
)
BOUND = (
    Sentence(
        "The bound counts the roundings of every operation. A difference above it has another "
        "cause: a bug, or a kernel (PyTorch's code for one operation) that rounds more often. A "
        "difference below it can be rounding alone, which does not prove that there is no bug.",
        lambda f: f.accuracy.bound_units.value is not None,
    ),
)
"""What the bound means."""

ENDS = (
    Sentence("A value is infinite or NaN, so the two have no distance.", lambda c: not c.finite),
    Sentence(KINK, lambda c: c.finite and c.exact is None),
    Sentence("The two values are equal.", lambda c: c.ulps == 0),
    Sentence(
        "`backward()` computed the value closer to the exact one.", lambda c: c.closer == "backward"
    ),
    Sentence(
        "The Jacobian computed the value closer to the exact one.", lambda c: c.closer == "jacobian"
    ),
    Sentence(
        "Both values are equally far from the exact value.", lambda c: c.ulps and c.closer == "tie"
    ),
)
"""Of a `Component`: which of its two values is closer to the exact one."""

IN_BLOCK = (
    "Both were computed for a whole block of samples in one call. The same code, run for this x "
    "alone, may give other last bits."
)
"""Shown with batched evaluation."""
