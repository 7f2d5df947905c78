"""What a former experiment was, in few words: those of its choices that the present one does not share."""

from lib.experiment.choices import ACTIVATIONS, DISTRIBUTIONS, EVALUATIONS, NETWORKS, OUTPUT_ACTIVATIONS
from lib.experiment.devices import DEVICES, MATMULS
from lib.experiment.functions import FUNCTIONS, X_FROM
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
    words += [_in_words(name, former) for name in changed if name not in _SHAPE]
    return ", ".join(words[:_MOST_WORDS]) + (", …" if len(words) > _MOST_WORDS else "")


def _in_words(name: str, experiment: Experiment) -> str:
    value = getattr(experiment, name)
    match name:
        case "activation":
            return ACTIVATIONS[value].label
        case "output_activation":
            return f"{OUTPUT_ACTIVATIONS[value].label} at the output"
        case "device":
            return DEVICES[value].label
        case "method":
            return METHODS[value].label
        case "evaluation":
            return EVALUATIONS[value].label
        case "distribution":
            return f"{DISTRIBUTIONS[value].label} inputs"
        case "samples":
            return f"{value:,} sample{'s' if value > 1 else ''}"
        case "seed":
            return f"seed {value}"
        case "function":
            return FUNCTIONS[value].label
        case "x_from":
            return f"{X_FROM[value].label} x"
        case "networks":
            return f"networks: {NETWORKS[value].label}"
        case "matmul":
            return f"matrix products: {MATMULS[value].label}"
        case "step":
            return "the usual step" if value is None else f"step 2^{value}"
    return str(value)
