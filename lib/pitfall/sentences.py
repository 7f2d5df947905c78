"""What the tab says: the claim, why, and the three cards."""

from types import SimpleNamespace

from lib.experiment.query import Experiment
from lib.floats.quantities import counted, percent, size
from lib.floats.sentences import Sentence, Why
from lib.pitfall.study import PitfallTally


def facts(tally: PitfallTally, experiment: Experiment) -> SimpleNamespace:
    """Return a tally with what is said of it: `several` rows are asked for, `compared` entries were held against the
    exact one, and a share of those of the single call is `wrong`, empty if none is."""
    wrong, compared = tally.wrong.total, tally.right_errors.total
    right, single = (size(*error) for error in tally.typical)
    return SimpleNamespace(
        tally=tally,
        several=experiment.outputs > 1,
        samples=counted(tally.samples, "sample"),
        compared=compared,
        alike=percent(tally.alike, tally.samples),
        right=right,
        single=single,
        wrong=percent(wrong, compared) if wrong and experiment.outputs > 1 else "",
    )


HEADLINE = (
    Sentence("With one output, one call is right: its row is the sum.", lambda f: not f.several),
    Sentence(
        "List x once per row in one call: what comes back?",
        lambda f: f.several and not f.tally.entries,
    ),
    Sentence(
        "List x once per row in one grad call, and every row is the same sum.",
        lambda f: f.several and f.tally.entries and not f.tally.differing,
    ),
    Sentence(
        "List x once per row in one call: the rows differ in {f.tally.differing:,} of {f.samples}.",
        lambda f: f.several and f.tally.entries and f.tally.differing,
    ),
)

REASON = (
    Sentence(
        "`grad([y[0], y[1], …], [x, x, …])` adds up the gradients of all outputs and returns that sum for every x."
    ),
)

ROUNDING = (
    Sentence(
        "No: {f.wrong} of the entries of one call are wrong, off by {f.single}. Right rows are off by {f.right} "
        "(medians).",
        lambda f: f.wrong,
    ),
    Sentence(
        "It cannot be told here: the median error of one call is {f.single}, that of the right rows {f.right}.",
        lambda f: f.several and f.compared and not f.wrong,
    ),
    Sentence(
        "Cannot be said: no entry has an exact one so far.", lambda f: f.several and not f.compared
    ),
)

FIX = (
    Sentence(
        "One call per row. Or one call with `is_grads_batched=True` and the identity matrix as `grad_outputs`.",
        lambda f: f.several,
    ),
)

NOTICE = (
    Sentence(
        "All rows are equal in {f.alike} of {f.samples}.", lambda f: f.several and f.tally.samples
    ),
    Sentence(
        "Equal rows are a warning sign, not a proof: right rows can be equal, too.",
        lambda f: f.several,
    ),
    Sentence("With one row, there is nothing to notice.", lambda f: not f.several),
)

WHY = Why(
    "Gradients flow from the outputs back to the leaf, and add up where paths meet. All outputs come from the one x, "
    "so all rows meet there. However often you ask x, their sum is all it has.",
    "Go back once per row: in a loop, or with `is_grads_batched=True` and the identity as `grad_outputs`. Or give each "
    "output a leaf of its own *before* the forward pass: a copy made later is not in the graph.",
    {"torch.autograd.grad": "generated/torch.autograd.grad.html"},
)
