"""How far apart the two gradients are, how they were computed, and why they differ, as sentences of the page, in
Markdown."""

from lib.discrepancy.study import DiscrepancyTally
from lib.display.quantities import at_most, listed, percent, step_text
from lib.display.why import Why
from lib.experiment.choices import DTYPES, EVALUATIONS
from lib.experiment.devices import DEVICES, MATMULS
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.network.method_sentences import both_sides, in_words_of, words
from lib.replay.replay import method_replayed


def claim(tally: DiscrepancyTally, experiment: Experiment) -> str:
    """The claim of the page with the current figures, in Markdown."""
    compared = f"`backward()` and `{METHODS[experiment.method].summed}`"
    why = words(experiment)
    finite = tally.finite
    if tally.samples == 0:
        return f"{compared}: the first samples are on their way."
    if finite == 0:
        return f"{compared} gave no finite gradient components."
    if tally.equal == finite:
        return f"{compared} gave equal values in all {finite:,} gradient components{_because(why.equal)}."
    return (
        f"{compared} gave different values in {percent(finite - tally.equal, finite)} of {finite:,} gradient "
        f"components, and never differed by more than {at_most(tally.max_abs.value)}{_because(why.apart)}."
    )


def _because(reason: str) -> str:
    return f": {reason}" if reason else ""


def finiteness(tally: DiscrepancyTally, experiment: Experiment) -> str:
    """How many components are infinite or NaN, why, and that no other figure counts them."""
    if tally.nonfinite == 0:
        return f"All {tally.components:,} components are finite." if tally.components else ""
    return (
        f"{tally.nonfinite:,} of {tally.components:,} components are infinite or NaN in one gradient or both: "
        f"{words(experiment).nonfinite}. They are in no other figure here."
    )


def conditions(experiment: Experiment) -> str:
    """How the figures were computed: method, evaluation, dtype and device, and whether every run repeats them, in
    Markdown."""
    method, device = METHODS[experiment.method], DEVICES[experiment.device]
    products = f" Matrix products: {MATMULS[experiment.matmul].about}." if device.matmuls else ""
    step = f" The step is h = {step_text(experiment.step)}·max(1, |x|)." if "step" in experiment.options else ""
    return (
        f"`{method.api}`: {method.about}.{step} Evaluated {EVALUATIONS[experiment.evaluation].label}, in "
        f"{experiment.dtype}, on the {device.label}: {device.repeats}.{products}"
    )


def why_apart(experiment: Experiment) -> Why:
    """Why `backward()` and the experiment's method may differ."""
    return in_words_of(
        experiment,
        "apart",
        Why(
            "Floats are a fixed set of numbers, and what falls between two of them is rounded. So it matters what is "
            f"added first: (a + b) + c is not always a + (b + c), nor w·(a + b) always w·a + w·b. {_paths(experiment)}",
            "Compare gradients with a tolerance, not with `==`: the last bits depend on the kernels.",
            {
                "Tensor.backward": "generated/torch.Tensor.backward.html",
                "functional.jacobian": "generated/torch.autograd.functional.jacobian.html",
            },
        ),
    )


def _paths(experiment: Experiment) -> str:
    """How the method's way through the network differs from that of `backward()`."""
    if METHODS[experiment.method].mode == "forward":
        return (
            "`backward()` goes from the outputs to the inputs, forward mode from the inputs to the outputs, so they "
            "add and multiply in different orders."
        )
    if experiment.outputs == 1:
        return (
            "With one output the Jacobian has one row, so no rows are added up: any difference comes from the "
            f"operations on the way, whose kernels may round differently.{_other_forward(experiment)}"
        )
    return (
        "`backward()` adds up on the way what the outputs send back; a Jacobian keeps a row for each output, and its "
        f"rows are added last.{_other_forward(experiment)}"
    )


def _other_forward(experiment: Experiment) -> str:
    """What the method's forward pass changes, if it is not that of `backward()` and a slope depends on it."""
    method = METHODS[experiment.method]
    if experiment.evaluation in method.bounded or set(experiment.activations) == {"identity"}:
        return ""
    twice = " It rounds each linear layer twice: before it adds the bias and after." if _twice(experiment) else ""
    return (
        f" The forward pass of `{experiment.method}` has other operations too, so the activations and their slopes may "
        f"round differently.{twice}"
    )


def _twice(experiment: Experiment) -> bool:
    """Whether the bias is added to a product that was already rounded to 16 bits."""
    return METHODS[experiment.method].bounded == ("batched",) and DTYPES[experiment.dtype].narrow


def why_there(experiment: Experiment) -> Why:
    """Where the difference arises, and what the replay of both sides shows, or which choices it needs."""
    why = _paths(experiment)
    if experiment.outputs > 1 and METHODS[experiment.method].mode != "forward":
        why = (
            "`backward()` adds up what all outputs send back, and goes on with the sum. A Jacobian keeps a row for "
            "each output, and the rows are added at the end: the same terms in another order."
        )
    needed = ["the CPU"] if experiment.device != "cpu" else []
    needed += ["two outputs or more"] if experiment.outputs == 1 else []
    if needed:
        sides = both_sides(method_replayed(experiment))
        do = f"To see where {sides} diverge, operation by operation, choose {listed(needed)}."
    else:
        do = (
            "In the tables, look for the first operation after which `backward()` no longer has the exact sum of what "
            "the rows have."
        )
    return in_words_of(experiment, "there", Why(why, do, {"numerical accuracy": "notes/numerical_accuracy.html"}))
