"""What the first tab says, in Markdown: the claim, one line of why, the cards, the sections, and one component."""

from types import SimpleNamespace

from lib.discrepancy.study import DiscrepancyTally
from lib.discrepancy.verdict import MOST_NETWORKS
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.floats.quantities import counted, percent, signed_percent, significant
from lib.floats.sentences import Sentence, Why
from lib.reference.bounds import unit_roundoff

WHEN_YOU_ADD = "3*(0.1 + 0.7) != 3*0.1 + 3*0.7"
"""Python that is true if its numbers are floats of any one of the dtypes, and each operation rounds to that dtype."""


def facts(tally: DiscrepancyTally, experiment: Experiment) -> SimpleNamespace:
    """Return a tally of an experiment, with its figures as texts.

    `different` is a share of all components, `closer` are shares of those `judged`, by verdict. `worst` and `bound` are
    in rounding units, empty if there is no discrepancy or no bound, and `share` is how much of the bound the worst one
    takes; `telling`: the bound is less than S itself. `lean` has the lean and the ends of its interval, over `units`,
    and is empty without one. `adds_rows`: the Jacobian adds last what `backward()` adds early, and that may matter.
    """
    method, differ = METHODS[experiment.method], tally.equal < tally.finite or not tally.components
    verdict, judged = tally.verdict, sum(tally.verdict.closer.values())
    bound, worst = verdict.bound_units.value, verdict.max_units.value
    of_networks = verdict.lean_of_networks(), verdict.interval_of_networks()
    lean, ends = of_networks if verdict.networks else (verdict.lean(), verdict.interval())
    networks = counted(min(verdict.networks, MOST_NETWORKS), "network")
    return SimpleNamespace(
        tally=tally,
        verdict=verdict,
        dtype=experiment.dtype,
        method=method,
        adds_rows=differ and experiment.outputs > 1 and experiment.hidden and method.gives == "rows",
        different=percent(tally.finite - tally.equal, tally.components),
        judged=judged,
        closer={name: percent(count, judged) for name, count in verdict.closer.items()},
        worst=significant(worst) if worst else "",
        bound="" if bound is None else significant(bound),
        share=percent(worst or 0, bound or 0),
        telling=bound is not None and bound * unit_roundoff(experiment) < 1,
        lean=[signed_percent(share) for share in (lean[0], *ends)] if lean and ends else [],
        units=networks if verdict.networks else counted(verdict.referenced, "sample"),
    )


HEADLINE = (
    Sentence("Two ways to one gradient: do they agree?", lambda f: not f.tally.components),
    Sentence("Two ways to one gradient: none is finite.", lambda f: f.tally.components and not f.tally.finite),
    Sentence("Two ways to one gradient: no component differs.", lambda f: f.tally.components == f.tally.equal > 0),
    Sentence(
        "Two ways to one gradient: no finite component differs.",
        lambda f: f.tally.components > f.tally.finite == f.tally.equal > 0,
    ),
    Sentence(
        "Two ways to one gradient: {f.different} of its components differ. Why?",
        lambda f: f.tally.equal < f.tally.finite,
    ),
)
"""The claim of the tab."""

REASON = (
    Sentence(f"Rounding makes the order matter: in {{f.dtype}}, `{WHEN_YOU_ADD}`.", lambda f: f.method.exact),
    Sentence("`backward()` adds, then multiplies; the Jacobian multiplies, then adds.", lambda f: f.adds_rows),
    Sentence("In general this method gives no exact rows: its note says why.", lambda f: not f.method.exact),
)
"""Why, in one line."""

RIGHT = (
    Sentence("The first samples are being judged.", lambda f: not f.verdict.referenced),
    Sentence("No judged component is finite in both.", lambda f: f.verdict.referenced and not f.judged),
    Sentence(
        "Of {f.judged:,} components, `backward()` is closer in {f.closer[backward]}, the Jacobian in "
        "{f.closer[jacobian]}; {f.closer[tie]} tie.",
        lambda f: f.judged,
    ),
    Sentence("Undecided: {f.closer[undecided]}.", lambda f: f.verdict.closer["undecided"]),
)
"""The card *Which one is right?*."""

BUG = (
    Sentence("No difference has been measured.", lambda f: not f.worst),
    Sentence(
        "No sign of one: the worst difference uses {f.share} of what rounding is proved to allow.",
        lambda f: f.worst and f.telling and not f.verdict.over_bound,
    ),
    Sentence(
        "Look into it. Worst seen: {f.worst} rounding units. Beyond the proved bound, {f.bound}: "
        "{f.verdict.over_bound:,}.",
        lambda f: f.verdict.over_bound,
    ),
    Sentence(
        "Worst seen: {f.worst} rounding units. The proved bound, {f.bound}, excludes nothing.",
        lambda f: f.worst and f.bound and not f.telling and not f.verdict.over_bound,
    ),
    Sentence("Worst seen: {f.worst} rounding units. No bound is proved here.", lambda f: f.worst and not f.bound),
)
"""The card *Is it a bug?*."""

REMEDY = (
    Sentence("Nothing to remove: no difference was seen.", lambda f: f.judged and not f.worst),
    Sentence("Take the `jacobian` of `net(x).sum()`. In tests, use a tolerance.", lambda f: f.worst and f.method.exact),
)
"""The card *How do I make it go away?*."""

LEAN = (
    Sentence(
        "Where one of them is closer, `backward()`'s share less the Jacobian's is {f.lean[0]}. The 95% interval of "
        "this lean, over {f.units}, goes from {f.lean[1]} to {f.lean[2]}; if it contains 0, it shows no lean.",
        lambda f: f.lean,
    ),
)
REFERENCE = (
    Sentence(
        "Samples with a reference: {f.verdict.referenced:,}. Ball arithmetic (Arb) judged {f.verdict.certified:,} of "
        "them, float64 with an error bound the others."
    ),
)
WITHIN = (
    Sentence("In {f.share} of all components the two values are at most S/|g| floats apart.", lambda f: f.components),
)
"""The claim of the section *Is it a bug?*, of a `RoundingUnitsTally`."""

BOUND = (
    Sentence(
        "S adds up the sizes of all terms, |g| is the size of their sum, and where terms cancel, floats lie closer. A "
        "rounding unit is u·S plus what underflow may lose, which matters in float16 alone.",
        lambda f: f.judged,
    ),
    Sentence(
        "The bound, 2γₘ/u, counts the roundings of every operation. What lies above it has another cause: a bug, or a "
        "kernel that rounds more often. If nothing lies above it, that does not prove that there is no bug, only that "
        "none is needed.",
        lambda f: f.bound,
    ),
)
"""What it adds to its card."""

ENDS = (
    Sentence("At least one value is infinite or NaN, so they have no distance.", lambda c: not c.finite),
    Sentence("They end on **+0 and −0**, which are equal.", lambda c: c.ulps == 0 and c.signs_differ),
    Sentence("Both end on **the same float**.", lambda c: c.ulps == 0 and not c.signs_differ),
    Sentence("They end on **neighbouring floats**.", lambda c: c.ulps in (-1, 1)),
    Sentence("They end **{f.apart} apart**.", lambda c: c.ulps not in (None, -1, 0, 1)),
    Sentence("{f.unknown}", lambda c: c.finite and c.unknown),
    Sentence("None is nearer to the exact value.", lambda c: c.ulps == 0 and c.hit == "both"),
    Sentence("Another float is nearer to the exact value.", lambda c: c.ulps == 0 and c.hit == "none"),
    Sentence("The exact value lies midway between them.", lambda c: c.ulps and c.hit == "both"),
    Sentence("`backward()` is the float nearest to the exact value.", lambda c: c.finite and c.hit == "backward"),
    Sentence("The Jacobian is the float nearest to the exact value.", lambda c: c.finite and c.hit == "jacobian"),
    Sentence("Neither is the float nearest to the exact value.", lambda c: c.ulps and c.hit == "none"),
    Sentence("`backward()` is closer.", lambda c: c.hit == "none" and c.closer == "backward"),
    Sentence("The Jacobian is closer.", lambda c: c.hit == "none" and c.closer == "jacobian"),
    Sentence("Both are equally far off.", lambda c: c.ulps and c.hit == "none" and c.closer == "tie"),
)
"""Of a `Component`: where its two values end on the float line."""

WHY_NEITHER_IS_RIGHT = Why(
    "Both round on the way, so either may miss the exact gradient. Where a bound is proved, rounding drives the two "
    "apart by at most 2γₘ·S, and what underflows. Here γₘ = m·u/(1 − m·u) for m roundings on the longest path, u is "
    "half the distance from 1 to the next float, and S adds up the sizes of all terms.",
    "Do not trust the last bits of either. If you need more digits, compute in float64 and round once, at the end; for "
    "more than float64 has, use mpmath or Arb.",
    {"finfo": "type_info.html#torch.torch.finfo"},
)
