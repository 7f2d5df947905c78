"""What the tab says: the claim, why, and the three answers."""

from types import SimpleNamespace

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.floats.quantities import counted, percent
from lib.floats.sentences import Sentence, why
from lib.pitfall.study import PitfallTally


def facts(tally: PitfallTally, experiment: Experiment) -> SimpleNamespace:
    """Return a tally, and what the sentences say of it.

    - `several`: more than one row is asked for.
    - `known`: the number of entries whose exact value is known.
    - `right_off`, `single_off`: the share of these entries that are off by more than half of the
      exact value, in the right rows and in the single call. Right rows can be off that far, too,
      where rounding flips a ReLU or terms cancel.
    - `wrong`: the single call is off more than twice as often as the right rows.
    """
    known = tally.right_errors.total
    several = experiment.outputs > 1
    return SimpleNamespace(
        tally=tally,
        several=several,
        samples=counted(tally.samples, "sample"),
        known=known,
        compared=f"{known:,} {'entry' if known == 1 else 'entries'}",
        alike=percent(tally.alike, tally.samples),
        method=METHODS[experiment.method].label,
        right_off=percent(tally.right_off, known),
        single_off=percent(tally.single_off, known),
        wrong=several and tally.single_off > 2 * tally.right_off,
    )


HEADLINE = (
    Sentence(
        "With one output, one call is right: there is nothing to add up.", lambda f: not f.several
    ),
    Sentence(
        "One grad call for all rows: what does it return?",
        lambda f: f.several and not f.tally.entries,
    ),
    Sentence(
        "One grad call for all rows returns their sum in every row.",
        lambda f: f.several and f.tally.entries and not f.tally.differing,
    ),
    Sentence(
        "One grad call for all rows gives unlike rows in {f.tally.differing:,} of {f.samples}.",
        lambda f: f.several and f.tally.entries and f.tally.differing,
    ),
)

REASON = (
    Sentence(
        "`grad([y[0], y[1], …], [x, x, …])` adds up the gradients of all outputs and returns that "
        "sum for every x.",
        lambda f: f.several,
    ),
)

ROUNDING = (
    Sentence(
        "No: from one call, {f.single_off} of {f.compared} are off by more than half of the exact "
        "value. With `{f.method}`: {f.right_off}.",
        lambda f: f.wrong,
    ),
    Sentence(
        "It cannot be told here: from one call, {f.single_off} of {f.compared} are off by more "
        "than half of the exact value, and with `{f.method}` {f.right_off}.",
        lambda f: f.several and f.known and not f.wrong,
    ),
    Sentence(
        "It cannot be told yet: no exact value is known so far.",
        lambda f: f.several and not f.known,
    ),
)

FIX = (
    Sentence(
        "One call per row. Or one call with `is_grads_batched=True` and the identity matrix as "
        "`grad_outputs`.",
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

WHY = why(
    "Gradients flow from the outputs back to the leaf, and add up where paths meet. All outputs "
    "come from the one x, so all rows meet there. However often you pass x, it has one gradient: "
    "their sum.",
    "Go back once per row: in a loop, or with `is_grads_batched=True` and the identity as "
    "`grad_outputs`. Or give each output a leaf of its own *before* the forward pass: a copy made "
    "later is not in the graph.",
    {"torch.autograd.grad": "generated/torch.autograd.grad.html"},
)
