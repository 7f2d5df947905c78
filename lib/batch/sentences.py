"""What a batch changes, who is closer, and what besides its size matters, as sentences of the page, in Markdown."""

from itertools import pairwise

from lib.batch.conditions import CONDITIONS, SIZES
from lib.batch.evaluated import QUANTITIES
from lib.batch.study import BatchTally
from lib.batch.tables import NAMES
from lib.display.quantities import listed, percent
from lib.display.why import Why
from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment

_INVARIANT = "https://thinkingmachines.ai/blog/defeating-nondeterminism-in-llm-inference/"


def batch_claim(tally: BatchTally) -> str:
    """The claim of the study with the current figures, of the largest batch that changes anything."""
    if tally.samples == 0:
        return "Alone and in a batch: the first samples are on their way."
    size = next((n for n in reversed(SIZES) if tally.changes(n)), None)
    if size is None:
        return f"In batches of 1 to {_largest(tally)}, outputs and gradients are equal to those of each sample alone."
    outputs, gradient = (
        percent(tally.changed(quantity, size), tally.at(quantity, size).components) for quantity in QUANTITIES
    )
    return f"In a batch of {size}, {outputs} of the outputs and {gradient} of the gradient's components change."


def steps_claim(tally: BatchTally) -> str:
    """Say at which batch sizes the share of changed components steps."""
    if tally.samples == 0:
        return ""
    steps = {quantity: _steps(tally, quantity) for quantity in QUANTITIES}
    if not any(steps.values()):
        return "The share of components that change is the same in batches of all sizes."
    found = (f"the {NAMES[quantity]} at {listed(map(str, sizes))}" for quantity, sizes in steps.items() if sizes)
    return f"The share steps with the batch size: {listed(found)}."


def closer_claim(tally: BatchTally) -> str:
    """Say how often each side is closer to the exact value, in the largest batch."""
    size = _largest(tally)
    alone, batch = tally.closer(size).values()
    if not alone + batch:
        return ""
    return (
        f"Where a batch of {size} differs, the sample alone is closer to the exact value in {alone:,} components and "
        f"the batch in {batch:,}."
    )


def conditions_claim(tally: BatchTally) -> str:
    """Say what besides the size of the batch changes a component, and what does not."""
    if tally.samples == 0:
        return ""
    matter = {name: any(tally.changes(size, name) for size in SIZES) for name in CONDITIONS}
    some, others = ([CONDITIONS[name].label for name in CONDITIONS if matter[name] == is_so] for is_so in (True, False))
    if not some:
        return f"Among the samples tried, nothing else changed a component: {_either(others, 'nor')} did."
    rest = f", but not {_either(others, 'or')}" if others else ""
    return f"Among the samples tried, this changed components, too: {listed(some)}{rest}."


def why_the_batch(experiment: Experiment) -> Why:
    """Why a batch changes the last bits, and what to do."""
    narrow = DTYPES[experiment.dtype].narrow and experiment.device == "cpu"
    hidden = " In 16 bits a sum is kept in float32 and rounded at its end, so the order seldom shows." if narrow else ""
    wider = "" if experiment.dtype == "float64" else " In float64 the difference shrinks, but it does not vanish."
    return Why(
        "A sum in floats depends on the order of its additions. A matrix product has several kernels, and the library "
        "picks one by the shape of the batch and by where its rows lie in memory. Kernels of activations compute "
        f"several numbers at once, and what is left over one by one.{hidden}",
        "Compare with a tolerance. Pad to a batch of fixed size if you need the same bits every time: that helps where "
        "the row's place does not matter. Or use one kernel for all sizes, "
        f"[batch-invariant kernels]({_INVARIANT}): in a test published with them, a server of a language model took 42 "
        f"seconds instead of 26. Deterministic algorithms are another matter: they repeat the same call bit for bit, "
        f"but other batch sizes are other calls.{wider}",
        {"Numerical accuracy": "notes/numerical_accuracy.html", "Reproducibility": "notes/randomness.html"},
    )


def _either(names: list[str], last: str) -> str:
    *some, end = names
    start = f"{', '.join(some)} {last} " if some else ""
    return f"{'neither ' if some and last == 'nor' else ''}{start}{end}"


def _largest(tally: BatchTally) -> int:
    return next((size for size in reversed(SIZES) if tally.at("output", size).components), SIZES[-1])


def _steps(tally: BatchTally, quantity: str) -> list[int]:
    """The sizes at which more components begin or cease to change than were left over."""
    counts = [(tally.changed(quantity, size), tally.at(quantity, size).components) for size in SIZES]
    return [
        size
        for size, ((before, of), (after, now)) in zip(SIZES[1:], pairwise(counts), strict=True)
        if abs(after - before) > abs(now - of)
    ]
