"""What a former experiment was, in few words: those of its choices that the present one does not share."""

from collections.abc import Callable

from lib.experiment.choices import (
    ACTIVATIONS,
    DISTRIBUTIONS,
    EVALUATIONS,
    GRADIENTS,
    NETWORKS,
    OUTPUT_ACTIVATIONS,
    X_FROM,
)
from lib.experiment.devices import DEVICES, MATMULS
from lib.experiment.expressions import on_paper
from lib.experiment.functions import FUNCTIONS
from lib.experiment.methods import METHODS
from lib.experiment.query import FIELDS, Experiment

_SHAPE = ("inputs", "hidden", "outputs")
_MOST_WORDS = 3  # choices that a name holds before it says that there are more


def what_it_was(former: Experiment, present: Experiment) -> str:
    """Return the name of a former experiment beside the present one, such as "float64" or "5 → 20 → 2, ReLU".

    The name is empty if they are equal.
    """
    changed = [name for name in FIELDS if getattr(former, name) != getattr(present, name)]
    words = [" → ".join(map(str, former.widths))] if set(changed) & set(_SHAPE) else []
    words += [_IN_WORDS.get(name, str)(getattr(former, name)) for name in changed if name not in _SHAPE]
    return ", ".join(words[:_MOST_WORDS]) + (", …" if len(words) > _MOST_WORDS else "")


_IN_WORDS: dict[str, Callable[..., str]] = {
    "activation": lambda name: ACTIVATIONS[name].label,
    "output_activation": lambda name: f"{OUTPUT_ACTIVATIONS[name].label} at the output",
    "device": lambda name: DEVICES[name].label,
    "method": lambda name: METHODS[name].label,
    "evaluation": lambda name: EVALUATIONS[name].label,
    "distribution": lambda name: f"{DISTRIBUTIONS[name].label} inputs",
    "samples": lambda number: f"{number:,} sample{'s' if number > 1 else ''}",
    "seed": lambda number: f"seed {number}",
    "function": lambda name: FUNCTIONS[name].label,
    "f": lambda text: on_paper(text) or "a listed function",
    "df": lambda text: f"f′ = {on_paper(text)}" if text else "no f′ by hand",
    "x_from": lambda name: f"{X_FROM[name].label} x",
    "networks": lambda name: f"networks: {NETWORKS[name].label}",
    "matmul": lambda name: f"matrix products: {MATMULS[name].label}",
    "gradient": lambda name: f"gradient: {GRADIENTS[name].label}",
    "step": lambda exponent: "the usual step" if exponent is None else f"step 2^{exponent}",
}
"""How each choice is named; any other is named by its value."""
