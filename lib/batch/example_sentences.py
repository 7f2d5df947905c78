"""One component alone and in a batch, in words: its orders, where its two values end, and why they differ."""

from lib.batch.example import Example
from lib.batch.traced_sum import TracedSum
from lib.display.float_line import value_text
from lib.display.quantities import counted, distance
from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment

HINT = "Point at a node above to see what it adds."

_BUT = ", but"

_PRODUCTS = {
    "rounded": "each product is rounded",
    "fused": "products are fused into their additions",
    "some fused": "some products are fused into their additions",
    "exact": "products are exact in float32",
}


def order_note(example: Example, traced: TracedSum, beside: TracedSum | None = None, underlined: bool = False) -> str:
    """What a tree adds up, in which way and, next to another tree, what is the same.

    `underlined` says whether terms are marked that stand in another place.
    """
    tree = traced.tree
    products = _PRODUCTS[tree.products] if DTYPES[example.dtype].narrow or tree.fused is not None else ""
    terms = (
        f"{_of(example)}: {counted(tree.terms, 'term')}" if beside is None else _compared(traced, beside, underlined)
    )
    if not products:
        return f"{terms}."
    return f"{terms} {products}." if terms.endswith(_BUT) else f"{terms}; {products}."


def _of(example: Example) -> str:
    assert example.sum
    backward = example.origin is not None and example.origin.direction == "backward" and example.step != "activation"
    return f"The gradient at {example.sum.name}" if backward else f"The sum for {example.sum.name}"


def _compared(traced: TracedSum, beside: TracedSum, underlined: bool) -> str:
    moved = ", moved ones underlined" if underlined else ""
    if traced.terms != beside.terms:
        return f"Other terms, but the same sum{moved}"
    if traced.tree.sums != beside.tree.sums:
        return f"The same terms in another order{moved}"
    return "The same order" if traced.tree.fused == beside.tree.fused else f"The same order{_BUT}"


def tree_label(heading: str, example: Example, traced: TracedSum) -> str:
    """What a screen reader says of a tree."""
    assert example.sum
    return f"{heading}: the order in which {counted(traced.tree.terms, 'term')} of {example.sum.name} are added."


def sum_title(example: Example, experiment: Experiment) -> str:
    """What the float line shows."""
    shared = example.shown
    if shared:
        same = shared.alone.result == shared.batch.result
        return f"{_of(example)} ends on {'the same float' if same else 'two floats'}"
    if example.step == "activation":
        return f"Equal sums, but {_activation(example, experiment)} gives other bits"
    if example.alone == example.batch:
        return "Both end on the same float"
    return "The component ends on two floats"


def _activation(example: Example, experiment: Experiment) -> str:
    assert example.origin
    return f"the kernel of {experiment.activations[example.origin.at // 2]}"


def batch_example_claim(example: Example, experiment: Experiment) -> str:
    """What becomes of the component, which value is closer to the exact one, and why the two differ."""
    place = example.place
    names = {"output": f"Output {place.component}", "gradient": f"Component {place.component} of the gradient"}
    start = f"{names[place.quantity]} of sample {place.sample}"
    if example.ulps is None:
        return f"{start}: at least one value is infinite or NaN, so the two have no distance."
    if example.ulps == 0:
        return f"{start}: **the same float** alone and in the batch.{_lost(example)}"
    alone, batch = (value_text(value, example.dtype) for value in (example.alone, example.batch))
    apart = f"{start}: **{distance(example.ulps)} apart**, {alone} alone and {batch} in the batch"
    return f"{apart}{_cause(example, experiment)}. {_closer(example)}{_without_effect(example)}"


_CLOSER = {
    "alone": "the one alone is closer to the exact value.",
    "batch": "the one in the batch is closer to the exact value.",
    "tie": "the exact value lies midway between the two.",
}


def _closer(example: Example) -> str:
    """Which of the component's two values is closer to the exact one; the sum that is shown may have another answer."""
    if example.closer is None:
        return "The component's exact value is not known."
    shared = example.shown
    later = shared and (shared.alone.result, shared.batch.result) != (example.alone, example.batch)
    return f"{'After all later roundings' if later else 'Of these two'}, {_CLOSER[example.closer]}"


def _lost(example: Example) -> str:
    """Of a component that is equal though something on the way to it is not."""
    if example.step == "":
        return ""
    return " What differs on the way does not reach it."


def _cause(example: Example, experiment: Experiment) -> str:
    """Why the two values differ, as far as it is shown."""
    if not example.effect or example.step == "sum" and not example.sum:
        return ""
    start = ", since " if example.effect == "all" else ", in part since "
    if example.step == "activation":
        return f"{start}{_activation(example, experiment)} rounds equal sums in two ways"
    shared = example.sum
    assert shared
    one, other = shared.alone.tree, shared.batch.tree
    if one.sums == other.sums:
        return f"{start}different products in {shared.name} are fused into their additions"
    rounded = "" if one.products == other.products else ", and products are rounded differently"
    return f"{start}the terms of {shared.name} are added in another order{rounded}"


def _without_effect(example: Example) -> str:
    """Of an operation that is shown though it does not explain the difference."""
    if not example.step or example.effect:
        return ""
    return " Several operations differ first; of those tried, none alone changes this component, and one is shown."
