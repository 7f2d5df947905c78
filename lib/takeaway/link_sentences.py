"""What a link is to, in words, where it is shown without a preview."""

from lib.display.method_sentences import words
from lib.display.quantities import counted
from lib.experiment.choices import DEVICES, EVALUATIONS, METHODS
from lib.experiment.functions import FUNCTIONS, X_FROM
from lib.experiment.query import Experiment
from lib.pitfall.study import rows_method


def title(study: str, experiment: Experiment) -> str:
    """A study ("discrepancy", "pitfall" or "derivative") of the experiment in a few words, for the title of a window
    and of a link's preview."""
    if study == "derivative":
        return f"Last Bit: the derivative of {FUNCTIONS[experiment.function].call}, {experiment.dtype}"
    method = "single-call" if study == "pitfall" else experiment.method
    return f"Last Bit: {_shape(experiment)} {experiment.activation}, {experiment.dtype}, {method}"


def summary(study: str, experiment: Experiment) -> str:
    """What the study ("discrepancy", "pitfall" or "derivative") asks, and of what: one sentence of plain text."""
    device = "" if experiment.device == "cpu" else f" on {DEVICES[experiment.device].label}"
    numbers = f"in {experiment.dtype}{device}"
    if study == "derivative":
        return (
            f"Do autograd's derivative of {FUNCTIONS[experiment.function].call} and the formulas by hand give equal "
            f"values, at {experiment.samples:,} random x ({X_FROM[experiment.x_from].label}) {numbers}?"
        )
    networks = f"a {_shape(experiment)} network" if experiment.networks == "one" else f"{_shape(experiment)} networks"
    over = (
        f"over {counted(experiment.samples, 'random sample')} of {networks} ({experiment.activation}, "
        f"{experiment.output_activation}) {numbers}, {EVALUATIONS[experiment.evaluation].label}"
    )
    if study == "pitfall":
        method = METHODS[rows_method(experiment)].label
        return f"How far is one call of grad for all rows of a Jacobian from the right rows ({method}), {over}?"
    return f"{words(experiment).question}, {over}?"


def _shape(experiment: Experiment) -> str:
    return "→".join(map(str, experiment.widths))


def elsewhere(described: dict[str, str | int | bool]) -> str:
    """What a link promises on another machine, and what it does not."""
    return (
        "The link names the experiment, so it opens with the same weights and samples everywhere. On another machine "
        "the last bits may be others, and so the figures: what matters is the CPU capability, which says for what "
        f"processors the kernels are (here {described['cpu_capability']}), and the build of PyTorch (here "
        f"{described['torch']})."
    )
