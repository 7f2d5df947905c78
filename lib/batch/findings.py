"""What was found: what a batch changes and who is closer, in words and by batch size as tables; one example."""

from types import SimpleNamespace

import pandas as pd

from lib.batch.arrangements import CONDITIONS, QUANTITIES, SIZES
from lib.batch.study import BatchTally
from lib.experiment.query import Experiment
from lib.floats.quantities import percent
from lib.floats.sentences import Sentence, Why
from lib.floats.tables import text_table
from lib.reference.bounds import unit_roundoff


def facts(tally: BatchTally, experiment: Experiment, size: int) -> SimpleNamespace:
    """Return a tally at one batch size. `closer` counts components by the side that is closer to the exact value.
    `changes` says whether any bit changes, and `moves` whether the row's place matters. `bound` is what is proved of
    outputs, in rounding units, or None where that excludes nothing; `worst` is how much of it a difference takes."""
    outputs, gradient = (tally.at(quantity, size) for quantity in QUANTITIES)
    bound = outputs.bound_units.value
    return SimpleNamespace(
        size=size,
        outputs=outputs,
        gradient=gradient,
        by_vmap=tally.at("output", size, "vmap"),
        closer={
            side: sum(tally.closer(quantity, size)[side] for quantity in QUANTITIES) for side in ("alone", "batch")
        },
        measured=outputs.components > 0,
        finite=outputs.finite and gradient.finite,
        worst=percent(outputs.max_units.value or 0, bound or 0),
        changes=tally.changes(size),
        moves=tally.changes(size, "place"),
        bound=bound if bound is not None and bound * unit_roundoff(experiment) < 1 else None,
    )


WAITING = Sentence("The first samples are on their way.", lambda f: not f.measured)

HEADLINE = (
    Sentence("Alone, or in a batch of {f.size}: the same bits?", lambda f: not f.measured),
    Sentence(
        "Alone, or in a batch of {f.size}: {f.outputs.share} of outputs and {f.gradient.share} of gradient components "
        "differ.",
        lambda f: f.finite,
    ),
    Sentence("All outputs or all gradients are infinite or NaN.", lambda f: f.measured and not f.finite),
)
"""The claim of the tab."""

REASON = (
    Sentence("A different batch size can run a different kernel, which may add the same numbers in another order."),
)
"""One line of why, below the claim."""

BUG = (
    WAITING,
    Sentence(
        "No sign of one: the worst difference of an output uses {f.worst} of what rounding is proved to allow.",
        lambda f: f.bound and not f.outputs.over_bound,
    ),
    Sentence(
        "Outputs differ by {f.outputs.max_units.value:.3g} rounding units at most. No bound is proved here.",
        lambda f: f.measured and not f.bound,
    ),
    Sentence(
        "An output is above the proved bound of {f.bound:,.4g}: look for a bug.",
        lambda f: f.bound and f.outputs.over_bound,
    ),
)
"""Is it a bug?"""

RIGHT = (
    WAITING,
    Sentence(
        "Alone is closer to the exact value {f.closer[alone]:,} times, the batch {f.closer[batch]:,} times.",
        lambda f: f.changes,
    ),
    Sentence("No bit changed.", lambda f: f.measured and not f.changes),
)
"""Which one is right?"""

REMEDY = (
    WAITING,
    Sentence("In tests, use a tolerance.", lambda f: f.measured),
    Sentence("Padding to one size is not enough: a row's place in the batch changes its bits, too.", lambda f: f.moves),
    Sentence("For the same bits, pad to one size: no row's place mattered here.", lambda f: f.changes and not f.moves),
    Sentence(
        "`vmap` of single samples gives other bits than such a batch in {f.by_vmap.share} of outputs.",
        lambda f: f.by_vmap.apart,
    ),
)
"""What do I do?"""

WHY = Why(
    "A sum in floats depends on the order of its additions. A matrix product has several kernels, and the library "
    "picks one by the shape of the batch and by where its rows lie in memory. Kernels of activations compute several "
    "numbers at once, and what is left over one by one. Sums of 16-bit numbers are often kept in float32 and rounded "
    "at their end, and then another order rarely shows.",
    "Compare with a tolerance. Pad to a batch of fixed size if you need the same bits every time: that helps where the "
    "row's place does not matter. Or use one kernel for all sizes, [batch-invariant kernels]"
    "(https://thinkingmachines.ai/blog/defeating-nondeterminism-in-llm-inference/), which take longer. Deterministic "
    "algorithms are another matter: they repeat the same call bit for bit, but other batch sizes are other calls. In "
    "float64 the differences are smaller, but they do not vanish.",
    {"Numerical accuracy": "notes/numerical_accuracy.html", "Reproducibility": "notes/randomness.html"},
)


KEY = (
    Sentence("Grey: the same value in both orders."),
    Sentence("Zero terms not drawn: {f.zeros}.", lambda f: f.zeros),
    Sentence(
        "{f.component.name}, which depends on this sum, ends {f.component.apart} apart.",
        lambda f: bool(f.shown.floats) and not f.of_itself and f.component.floats is not None,
    ),
)
"""How to read the trees of an `Example`."""


def closer(tally: BatchTally) -> pd.DataFrame:
    """Which side is closer to the exact value, by batch size, as a table."""
    both = {size: [tally.closer(quantity, size) for quantity in QUANTITIES] for size in SIZES}
    return text_table(
        {"size": str(size)}
        | {side: percent(sum(of[side] for of in closer), sum(sum(of.values()) for of in closer)) for side in closer[0]}
        for size, closer in both.items()
    )


def conditions(tally: BatchTally) -> pd.DataFrame:
    """The share of components that change under each condition, by batch size, as a table to read."""
    return text_table(
        {"size": str(size)}
        | {
            label: ", ".join(tally.at(quantity, size, name).share for quantity in QUANTITIES)
            for name, label in CONDITIONS.items()
        }
        for size in SIZES
    )
