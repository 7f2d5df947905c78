"""How the page speaks of a method and of the backward gradient: not every method returns the rows of a Jacobian."""

from dataclasses import fields, replace
from functools import lru_cache
from typing import Any

from lib.display.why import Why
from lib.experiment.choices import OUTPUT_ACTIVATIONS
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.network.difference_words import APPROXIMATION, BETWEEN_KINKS, LINEAR
from lib.network.words import Words


def both_sides(method: str) -> str:
    """The two sides of a replay: `backward()` and the method that is replayed."""
    return f"`backward()` and `{METHODS[method].label}`"


WORDS = {
    "rows": Words(
        on_paper="On paper the two vectors are equal.",
        comment="on paper they are equal",
        reading="Rounding errors scale with S, the sum of the sizes of all terms; the spacing of floats scales with "
        "|g|, the size of their sum. So where the terms cancel and the condition number S/|g| doubles, the same "
        "rounding error spans twice as many floats: a line of slope one. On the dashed line the number of floats "
        "equals the condition number, and the difference is one to two rounding units.",
        question="Do backward() and the summed Jacobian ({label}) give equal values",
    ),
    "sum": Words(
        on_paper="On paper the two vectors are equal, and each comes from one backward pass with the same operations.",
        comment="one backward pass each, with the same operations",
        reading="There is only one row, so no rows are added up: every difference should lie in the bottom row, that "
        "of the zeros.",
        question="Do backward() and the only row of the {label} give equal values",
        equal="each is one backward pass with the same operations",
        in_short="one row",
        why={
            "apart": "The Jacobian has one row here: the gradient of the one output, or of the sum of all. "
            "Both sides compute it in one backward pass with the same operations, so they round alike.",
            "right": "Both sides do the same operations and make the same rounding errors, so neither is "
            "closer to the exact gradient.",
            "there": "Both sides are one backward pass with the same operations, so there should be no difference to "
            "trace. `functional.jacobian` takes another route.",
            "remedies": "There is nothing to remove: both sides do the same additions in the same order.",
        },
        do={
            "apart": "If the gradient of a sum is all you need, differentiate the sum: it costs one backward "
            "pass and equals `backward()`.",
            "right": "If you need a smaller error, compute in a wider dtype and round once, at the end.",
            "remedies": "Change nothing, but compare with a tolerance all the same: another machine or version of "
            "PyTorch may use other kernels.",
        },
    ),
    "sums": Words(
        on_paper="On paper each of the {outputs} rows of the single call is the sum of all rows, so their sum is "
        "{outputs} times the gradient.",
        comment="on paper the second is {outputs} times the first",
        reading="The difference scales with the component itself. So it spans about as many floats whatever the "
        "condition number S/|g|, the sum of the sizes of all terms over the size of their sum: the cells lie in one "
        "row. The dashed line is for rounding: on it the number of floats equals the condition number.",
        question="How far from backward() is the sum of the rows of one call of grad for all outputs",
        apart="each row of the single call is already the sum of all rows, so adding them up counts the gradient "
        "{outputs} times",
        ladder="The rows of a single call add up to {outputs} times the gradient in every dtype: that difference does "
        "not shrink with eps.",
        side="the single call",
        in_short="single call",
        lean="This is not a lean between two ways of rounding: the rows of the single call add up to {outputs} times "
        "the gradient.",
        why={
            "apart": "`grad` adds up what all outputs send back to x, and returns that sum once for each x in "
            "its list. Each of the {outputs} rows is already the gradient of the sum of all outputs, and the sum of "
            "the rows is {outputs} times that. It is not rounding.",
            "right": "The rows of the single call add up to {outputs} times the gradient, and higher "
            "precision does not change that. `backward()` only rounds.",
            "there": "It arises at x, where `grad` adds up what all outputs send back. `functional.jacobian` keeps the "
            "rows apart, so it differs from `backward()` by rounding only.",
            "remedies": "No order of additions and no precision turns {outputs} times a gradient into the gradient.",
        },
        do={
            "apart": "Ask for one row at a time, or for all at once with `is_grads_batched=True` and the identity as "
            "`grad_outputs`. The tab *Why are all rows the same?* tries every fix.",
            "right": "Trust `backward()`. Each row of the single call is that gradient, too.",
            "remedies": "Compute the rows one by one, or sum the outputs first. The remedies below that do so leave "
            "at most rounding errors; float64 with the same call does not help.",
        },
    ),
    "approximation": APPROXIMATION,
}
"""The words for each kind of result: see `gives` in `choices.Method`."""

_SUMS_OF_ZERO = replace(
    WORDS["sums"],
    on_paper="The outputs of softmax add up to 1, so on paper the gradient of their sum is 0. Each of the {outputs} "
    "rows of the single call is that sum of all rows, so on paper the two vectors are equal: both are 0.",
    comment="on paper both are 0",
    reading="Whatever either of them returns is rounding error.",
    apart="on paper both are 0, and what differs is rounding error",
    ladder="",
    lean="On paper both are 0. The single call adds up {outputs} rows that are each the sum of all, and their rounding "
    "errors with them, so `backward()` should be the closer one wherever they differ.",
    why={
        "apart": "`grad` adds up what all outputs send back to x, and returns that sum once for each x in its list. "
        "The outputs of softmax add up to 1, so on paper that sum is 0, and {outputs} times 0 is 0 too. What "
        "differs is rounding error, which the single call adds up {outputs} times.",
        "right": "The exact gradient is 0, so whatever either side returns is rounding error.",
        "there": "On paper all terms cancel, so what is left is the rounding error of each operation. "
        "`functional.jacobian` keeps the rows apart, and makes other rounding errors.",
        "remedies": "On paper both sides are 0, so only rounding is left to remove. But the rows of the single call "
        "are not the rows of a Jacobian: each is the sum of all.",
    },
    do={
        "apart": WORDS["sums"].do["apart"],
        "right": "Treat this gradient as 0. The rows of the Jacobian are not 0: ask for them one at a time.",
        "remedies": "Compute the rows one by one, or sum the outputs first.",
    },
)
"""The words for a single call with the outputs of softmax, whose sum does not depend on x."""


@lru_cache(maxsize=256)
def words(experiment: Experiment) -> Words:
    """Return the words for the experiment's method and network; a single call for one output returns its only row."""
    gives = METHODS[experiment.method].gives
    found = WORDS["sum" if gives == "sums" and experiment.outputs == 1 else gives]
    if found is WORDS["sums"] and experiment.output_activation == "softmax":
        found = _SUMS_OF_ZERO
    elif found is WORDS["approximation"] and _linear(experiment):
        found = LINEAR
    elif found is WORDS["approximation"] and all(OUTPUT_ACTIVATIONS[name].pieces for name in experiment.activations):
        found = BETWEEN_KINKS
    return Words(*(_filled(getattr(found, part.name), experiment) for part in fields(Words)))


def _linear(experiment: Experiment) -> str:
    """Say why the sum of the outputs is linear in x, or return an empty text if it is not."""
    if experiment.output_activation == "softmax":
        return "the outputs of softmax add up to 1"
    return "the network is linear in x" if set(experiment.activations) == {"identity"} else ""


_WITH_EPS = " With the step eps^(1/3), cancellation costs about u/h, which is proportional to eps^(2/3)."
"""How the error of cancellation depends on eps if the step does. A step that is the same in every dtype leaves it
proportional to eps."""


def _filled(text: Any, experiment: Experiment) -> Any:
    """Fill in the braces in a text, or in all texts of a dictionary."""
    if isinstance(text, str):
        return text.format(
            outputs=experiment.outputs,
            label=METHODS[experiment.method].label,
            linear=_linear(experiment),
            with_eps=_WITH_EPS if experiment.step is None else "",
        ).strip()
    return {section: _filled(part, experiment) for section, part in text.items()}


def in_words_of(experiment: Experiment, question: str, why: Why) -> Why:
    """Return the explanation, with its texts replaced if the experiment's method does not return a Jacobian's rows."""
    found = words(experiment)
    return replace(why, why=found.why.get(question, why.why), do=found.do.get(question, why.do))
