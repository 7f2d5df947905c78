"""A link in words: its title, its summary, and what it promises on another machine."""

from lib.display.quantities import counted
from lib.experiment.choices import EVALUATIONS, X_FROM
from lib.experiment.devices import DEVICES
from lib.experiment.functions import FUNCTIONS
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.network.method_sentences import words
from lib.pitfall.study import rows_method


def discrepancy_title(experiment: Experiment) -> str:
    """Return the experiment in a few words, as the title of a window or of a link."""
    return _network_title(experiment, experiment.method)


def pitfall_title(experiment: Experiment) -> str:
    """Return the same for the pitfall, which has only one method."""
    return _network_title(experiment, "single-call")


def batch_title(experiment: Experiment) -> str:
    """Return the same for the study of batches."""
    return _network_title(experiment, "alone and in a batch")


def derivative_title(experiment: Experiment) -> str:
    """Return the same for the function of the derivative study."""
    return f"Last Bit: the derivative of {FUNCTIONS[experiment.differentiated].call}, {experiment.dtype}"


def discrepancy_summary(experiment: Experiment) -> str:
    """Say what the study asks, and about which samples, in one sentence of plain text."""
    return f"{words(experiment).question}, {_over_samples(experiment)}?"


def pitfall_summary(experiment: Experiment) -> str:
    """Say the same about the pitfall."""
    method = METHODS[rows_method(experiment)].label
    samples = _over_samples(experiment)
    return f"How far is one call of grad for all rows of a Jacobian from the right rows ({method}), {samples}?"


def batch_summary(experiment: Experiment) -> str:
    """Say the same about batches."""
    by = "backward()" if experiment.gradient == "backward" else METHODS[experiment.method].label
    return (
        f"Do the outputs of a sample and its gradient by {by} have other last bits in a batch than alone, "
        f"{_over_samples_of(experiment)}?"
    )


def derivative_summary(experiment: Experiment) -> str:
    """Say the same about the derivative."""
    return (
        f"Do autograd's derivative of {FUNCTIONS[experiment.differentiated].call} and the formulas by hand give equal "
        f"values, at {experiment.samples:,} random x ({X_FROM[experiment.x_from].label}) {_numbers(experiment)}?"
    )


def _network_title(experiment: Experiment, method: str) -> str:
    return f"Last Bit: {_shape(experiment)} {experiment.activation}, {experiment.dtype}, {method}"


def _over_samples(experiment: Experiment) -> str:
    return f"{_over_samples_of(experiment)}, {EVALUATIONS[experiment.evaluation].label}"


def _over_samples_of(experiment: Experiment) -> str:
    networks = f"a {_shape(experiment)} network" if experiment.networks == "one" else f"{_shape(experiment)} networks"
    return (
        f"over {counted(experiment.samples, 'random sample')} of {networks} ({experiment.activation}, "
        f"{experiment.output_activation}) {_numbers(experiment)}"
    )


def _numbers(experiment: Experiment) -> str:
    device = "" if experiment.device == "cpu" else f" on {DEVICES[experiment.device].label}"
    return f"in {experiment.dtype}{device}"


def _shape(experiment: Experiment) -> str:
    return "→".join(map(str, experiment.widths))


def elsewhere(described: dict[str, str | int | bool]) -> str:
    """Say what a link promises on another machine, and what it does not."""
    return (
        "The link opens the same weights and samples everywhere. On another machine the last bits may differ, and the "
        f"figures with them: they depend on the kernels that the CPU's capability selects (here "
        f"{described['cpu_capability']}), and on the build of PyTorch (here {described['torch']})."
    )
