"""Why, and what to do about it: beside each section, in a few sentences for a reader who is new to floats, in Markdown.

What holds for one method, dtype or number of outputs need not hold for another, so every text is made for what was
chosen, and where it speaks of what was found, for that.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from lib.discrepancy.condition_sentences import condition_claim
from lib.discrepancy.study import DiscrepancyTally
from lib.discrepancy.verdict import VerdictTally
from lib.display.method_sentences import REPLAYED, words
from lib.display.quantities import listed
from lib.experiment.choices import METHODS
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment

_DOCUMENTATION = "https://docs.pytorch.org/docs/stable/"

_FORWARD = ("functional-forward", "jacfwd")


@dataclass(frozen=True)
class Why:
    """`why` has one formula at most; `api` is what it speaks of, by the name of the page in PyTorch's documentation."""

    why: str
    do: str
    api: Mapping[str, str]

    @property
    def markdown(self) -> str:
        links = ", ".join(f"[{name}]({_DOCUMENTATION}{page})" for name, page in self.api.items())
        return f"**Why?** {self.why}\n\n**What to do:** {self.do} PyTorch's documentation: {links}."


def why_apart(experiment: Experiment) -> Why:
    """Why `backward()` and the method of the experiment may differ."""
    return _in_words_of(
        experiment,
        "apart",
        Why(
            "Floats are a fixed set of numbers, and what falls between two of them is rounded. So the order of adding "
            f"matters: (a + b) + c is not always a + (b + c). {_paths(experiment)}",
            "Compare gradients with a tolerance and not with `==`: the last bits depend on the kernels.",
            {
                "Tensor.backward": "generated/torch.Tensor.backward.html",
                "functional.jacobian": "generated/torch.autograd.functional.jacobian.html",
            },
        ),
    )


def _in_words_of(experiment: Experiment, question: str, why: Why) -> Why:
    """The why, with what is said instead where the experiment's method does not give the rows of a Jacobian."""
    found = words(experiment)
    return replace(why, why=found.why.get(question, why.why), do=found.do.get(question, why.do))


def _paths(experiment: Experiment) -> str:
    """How a Jacobian's way through the network differs from that of `backward()`."""
    if experiment.method in _FORWARD:
        return (
            "`backward()` goes from the outputs to the inputs and forward mode from the inputs to the outputs, so they "
            "add and multiply in different orders."
        )
    if experiment.outputs == 1:
        return (
            "With one output the Jacobian has one row, so no rows are added up: any difference comes from the "
            f"operations on the way, whose kernels may round differently.{_other_forward(experiment)}"
        )
    return (
        "`backward()` adds up what the outputs send back on the way; a Jacobian keeps a row for each output, and the "
        f"rows are added last.{_other_forward(experiment)}"
    )


def _other_forward(experiment: Experiment) -> str:
    """What the forward pass of the method changes, where it is not that of `backward()` and a slope depends on it."""
    method = METHODS[experiment.method]
    if experiment.evaluation in method.bounded or set(experiment.activations) == {"identity"}:
        return ""
    twice = " It rounds each linear layer twice: before it adds the bias and after." if _twice(experiment) else ""
    return (
        f" The forward pass of `{experiment.method}` has other operations too, so the activations and their slopes may "
        f"round differently.{twice}"
    )


def _twice(experiment: Experiment) -> bool:
    """Whether the bias is added to a product that was rounded to 16 bits already."""
    return METHODS[experiment.method].bounded == ("batched",) and experiment.dtype in ("bfloat16", "float16")


def reading(tally: DiscrepancyTally, experiment: Experiment) -> str:
    """How to read the chart of ulps against the condition number; empty before there is any."""
    finite = tally.finite
    if tally.samples == 0:
        return ""
    if finite == 0:
        return "No component is finite in both gradients, so there is nothing to compare."
    if tally.equal == finite:
        return "Every difference is zero, so every cell is in the grey row at the bottom."
    found = words(experiment)
    return f"{found.on_paper} {found.reading} {condition_claim(tally, experiment)}"


def why_right(tally: VerdictTally, experiment: Experiment) -> Why:
    """Why either gradient is off, and what is known of that beforehand."""
    known = ""
    if tally.bound_units.value is not None:
        known = (
            " How large these errors can be is known in advance: at most m roundings of u·S each, where u is half "
            "the distance from 1 to the next float, and S adds up the sizes of all terms."
        )
    if experiment.dtype == "float64":
        more = "If you need more digits than float64 has, compute with more, for example with mpmath or Arb."
    else:
        more = "If you need more digits, compute in float64 and round once, at the end."
    return _in_words_of(
        experiment,
        "right",
        Why(
            f"Both round on the way, so either may miss the exact gradient.{known}",
            f"Do not trust the last bits of either. {more}",
            {"finfo": "type_info.html#torch.torch.finfo"},
        ),
    )


def why_there(experiment: Experiment) -> Why:
    """Where the difference arises, and what the replay of `backward()` and `functional.jacobian` shows, or how to get
    one."""
    why = _paths(experiment)
    if experiment.outputs > 1 and experiment.method not in _FORWARD:
        why = (
            "`backward()` adds up what all outputs send back, and goes on with the sum. A Jacobian keeps a row for "
            "each output, and the rows are added at the end: the same terms in another order."
        )
    needed = ["the CPU"] if experiment.device != "cpu" else []
    needed += ["per-sample evaluation"] if experiment.evaluation == "batched" else []
    needed += ["two outputs or more"] if experiment.outputs == 1 else []
    if needed:
        do = f"To see where {REPLAYED} diverge, operation by operation, choose {listed(needed)}."
    else:
        do = (
            f"In the replay of {REPLAYED}, look for the first operation after which `backward()` no longer has the "
            "exact sum of what the rows have."
        )
    return _in_words_of(experiment, "there", Why(why, do, {"numerical accuracy": "notes/numerical_accuracy.html"}))


def why_remedies(experiment: Experiment) -> Why:
    """When two ways agree for certain."""
    wider = "" if experiment.dtype == "float64" else ", or compute both in float64 and round once"
    return _in_words_of(
        experiment,
        "remedies",
        Why(
            "Two results are equal for certain if both do the same operations in the same order, or if nothing is "
            "rounded.",
            "Compare with a tolerance, as PyTorch's own tests do. Where equal values are wanted, make both sides do "
            f"the same additions in the same order{wider}.",
            {
                "assert_close": "testing.html#torch.testing.assert_close",
                "gradcheck": "generated/torch.autograd.gradcheck.gradcheck.html",
            },
        ),
    )


def why_the_sum(experiment: Experiment) -> Why:
    """Why the single call gives the sum of all rows."""
    if experiment.outputs == 1:
        do = "With one output nothing need be done: its row is the sum."
    else:
        do = (
            "Go back once for each row, in a loop or with `is_grads_batched=True`; or give each output a leaf of its "
            "own *before* the forward pass: a copy made after it is not in the graph."
        )
    return Why(
        "Gradients flow from the outputs back to the leaf, and where paths meet they are added. All outputs were "
        "computed from the one x, so at x all rows are added; however often x is asked for, that sum is all it has.",
        do,
        {"torch.autograd.grad": "generated/torch.autograd.grad.html"},
    )


_SATURATES = {
    "tanh": ": where tanh rounds to 1, 1 − tanh² is 0, and no digit of that is right",
    "sigmoid": ": where sigmoid rounds to 1, 1 − sigmoid is 0, and no digit of that is right",
}


def why_by_hand(experiment: Experiment) -> Why:
    """Why a formula by hand may have other last bits than autograd's derivative of the function."""
    function = FUNCTIONS[experiment.function]
    return Why(
        "Formulas that are equal on paper round at different steps, and so may end on different floats. Autograd has "
        f"a formula of its own for `{function.call}`, which need not be yours.",
        "Do not test your formula for equality with autograd's; allow a tolerance. And mind "
        f"[saturation](#saturation), which no tolerance in ulps covers{_SATURATES.get(experiment.function, '')}.",
        {"how autograd works": "notes/autograd.html"},
    )


def why_print_more() -> Why:
    """Why printed numbers that look alike may differ."""
    return Why(
        "What is printed is not what is stored: PyTorch prints four decimals, and a float32 has about seven digits. So "
        "two numbers may look alike and differ, and a printed number stands for many floats.",
        "Print more digits before you compare, nine for float32 and seventeen for float64, or print the difference.",
        {"set_printoptions": "generated/torch.set_printoptions.html"},
    )
