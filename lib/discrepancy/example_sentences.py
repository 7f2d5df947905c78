"""Where the two values of one component end on the float line, in one or two sentences, in Markdown."""

from math import copysign

from lib.discrepancy.example import Example
from lib.display.quantities import distance
from lib.experiment.query import Experiment
from lib.network.method_sentences import words


def example_claim(example: Example, experiment: Experiment) -> str:
    """How far apart the two values are, and which of them is the float nearest to the exact value."""
    if not example.finite:
        return "At least one value is infinite or NaN, so they have no distance."
    side = words(experiment).side
    if example.ulps == 0:
        return _same(example)
    apart = abs(example.ulps or 0)
    start = f"They end {'on **neighbouring floats**' if apart == 1 else f'**{distance(apart)} apart**'}"
    if example.exact is None:
        return f"{start}. {example.unknown}"
    on_float = example.exact == example.nearest
    if example.hit == "both":
        return f"{start}, and the exact value lies midway between them."
    if example.hit == "none":
        return f"{start}. {_missed(example, side, on_float)}"
    off = f"{'one float' if apart == 1 else distance(apart)} off"
    right = "exact" if on_float else "the float nearest to the exact value"
    one, other = (right, off) if example.hit == "backward" else (off, right)
    return f"{start}. `backward()` is {one}, {side} is {other}."


def _same(example: Example) -> str:
    """Of two values that are equal."""
    if copysign(1, example.backward) != copysign(1, example.jacobian):
        return "They end on **+0 and −0**, which are equal."
    start = "Both end on **the same float**"
    if example.exact is None:
        return f"{start}. {example.unknown}"
    on_float = example.exact == example.nearest
    if example.hit == "none":
        return f"{start}, but {'the exact value is another' if on_float else 'another is nearer to the exact value'}."
    return f"{start}, and {'it is exact' if on_float else 'none is nearer to the exact value'}."


def _missed(example: Example, side: str, on_float: bool) -> str:
    """Of two values of which neither is the nearest float."""
    missed = "is itself a float: both miss it" if on_float else "lies between two floats: neither result is the nearest"
    closer = {"backward": "but `backward()` is closer", "jacobian": f"but {side} is closer"}
    return f"The exact value {missed}, {closer.get(example.closer or '', 'and both are equally far off')}."
