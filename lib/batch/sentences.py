"""What the tab says about a batch size: a verdict, a claim and its reason, and a table of what else
matters."""

from collections.abc import Collection
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd

from lib.batch.arrangements import CONDITIONS, QUANTITIES, SIZES
from lib.batch.study import BatchTally
from lib.discrepancy.accuracy import proved_bound
from lib.discrepancy.state import ZERO, another_function, approximates
from lib.experiment.query import Experiment
from lib.floats.outcome import Outcome, State
from lib.floats.sentences import Sentence, why
from lib.floats.verdict import Verdict, verdict


def verdict_of(tally: BatchTally, experiment: Experiment, size: int) -> Verdict:
    """Return the verdict at one batch size, on outputs and gradient together or only on outputs.

    Only outputs are judged if the gradient comes from finite differences, or from a single call
    with several outputs. So it is with softmax, where the exact gradient is 0 and the computed one
    is noise.
    """
    reason = why_not_judged(experiment)
    if not reason:
        return verdict(state_of(tally, experiment, size))
    of_outputs = replace(
        state_of(tally, experiment, size, ["output"]),
        where=", for the outputs that are finite on both sides",
        vectors=("vector of outputs", "vectors of outputs"),
        components=("output", "outputs"),
    )
    judged = verdict(of_outputs)
    return replace(judged, bug=f"{judged.bug} {reason}")


def why_not_judged(experiment: Experiment) -> str:
    """Return why the gradients are left out of the verdict, or "" if they are not."""
    if experiment.output_activation == "softmax":
        return f"The gradients are not judged. {ZERO}."
    if experiment.gradient == "backward":
        return ""
    reason = another_function(experiment) or approximates(experiment)
    return f"The gradients are not judged. {reason}" if reason else ""


def state_of(
    tally: BatchTally, experiment: Experiment, size: int, quantities: Collection[str] = QUANTITIES
) -> State:
    """Return what was measured of these quantities together at one batch size."""
    pairs = [tally.pair(quantity, size) for quantity in quantities]
    closer = [pair.closer.values() for pair in pairs]
    return State(
        "alone",
        "the batch",
        experiment.dtype,
        checks=sum(pair.samples for pair in pairs),
        finite=sum(pair.finite for pair in pairs),
        different=sum(pair.finite - pair.equal for pair in pairs),
        largest=max(pair.max_abs.value for pair in pairs),
        relative=max(pair.relative.value for pair in pairs),
        units=max(pair.max_units.value for pair in pairs),
        bound=proved_bound(pairs, experiment),
        beyond=sum(pair.over_bound for pair in pairs),
        not_close=sum(pair.not_close for pair in pairs),
        kept=max(pair.kept.value for pair in pairs),
        closer=[sum(counts) for counts in zip(*closer, strict=True)],
        where=", wherever both sides are finite" if any(pair.nonfinite for pair in pairs) else "",
        vectors=("vector", "vectors of outputs or gradients"),
        components=("output or gradient component", "outputs and gradient components"),
    )


def facts(tally: BatchTally, experiment: Experiment, size: int) -> SimpleNamespace:
    """Return what the sentences say of a tally at one batch size."""
    outputs, gradient = (tally.pair(quantity, size) for quantity in QUANTITIES)
    judged = verdict_of(tally, experiment, size)
    # The verdict is on finite values only, but the shares count infinite and NaN ones, too.
    all_finite = not (outputs.nonfinite or gradient.nonfinite)
    is_rounding = judged.outcome is Outcome.ROUNDING and not why_not_judged(experiment)
    return SimpleNamespace(
        size=size,
        outputs=outputs,
        gradient=gradient,
        verdict=judged,
        rounding=is_rounding and all_finite,
        measured=outputs.components > 0,
        finite=outputs.finite and gradient.finite,
        noise=experiment.output_activation == "softmax" and gradient.apart,
    )


HEADLINE = (
    Sentence("Rounding, no sign of a bug.", lambda f: f.finite and f.rounding),
    Sentence(
        "Alone, or in a batch of {f.size}: do outputs and gradients have the same values?",
        lambda f: not f.measured,
    ),
    Sentence(
        "In a batch of {f.size}: {f.outputs.share_text} of outputs and "
        "{f.gradient.share_text} of gradient components change.",
        lambda f: f.finite,
    ),
    Sentence(
        "All outputs or all gradients are infinite or NaN.", lambda f: f.measured and not f.finite
    ),
)
"""The claim of the tab."""

REASON = (
    Sentence(
        "PyTorch may use another kernel for another batch size, which may add the same numbers in "
        "another order or round fewer products."
    ),
    Sentence(f"{ZERO}: what differs is noise.", lambda f: f.noise),
)
"""The reason, below the claim."""

WHY = why(
    "A sum in floats depends on the order of its additions. A matrix product has several kernels, "
    "and the library picks one by the shape of the batch and by where its rows lie in memory. "
    "Kernels of activations compute numbers in groups, and those left over one by one. Sums of "
    "16-bit numbers are often kept in float32 and rounded at the end. Then another order rarely "
    "changes the result.",
    "Compare with a tolerance. If you need the same values every time, pad to a batch of fixed "
    "size: that helps where the row's place does not matter. Or use one kernel for all sizes, "
    "[batch-invariant kernels]"
    "(https://thinkingmachines.ai/blog/defeating-nondeterminism-in-llm-inference/), which take "
    "longer. Deterministic algorithms do not help: they repeat the same call bit for bit, but "
    "another batch size is another call.",
    {
        "Numerical accuracy": "notes/numerical_accuracy.html",
        "Reproducibility": "notes/randomness.html",
    },
)


def conditions(tally: BatchTally) -> pd.DataFrame:
    """Return the share of components that change under each condition, as a table to read.

    It has a row for each batch size and a column for each condition. A cell has the share of the
    outputs and that of the gradient components.
    """
    rows = []
    for size in SIZES:
        row = {"size": str(size)}
        for name, label in CONDITIONS.items():
            shares = [tally.pair(quantity, size, name).share_text for quantity in QUANTITIES]
            row[label] = ", ".join(shares)
        rows.append(row)
    return pd.DataFrame(rows)
