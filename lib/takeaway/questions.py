"""What each study asks of an experiment, in one sentence of plain text: the first line of scripts and reports."""

from lib.display.quantities import counted
from lib.experiment.choices import DEVICES, EVALUATIONS, X_FROM
from lib.experiment.functions import FUNCTIONS
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.pitfall.study import rows_method


def discrepancy(experiment: Experiment) -> str:
    """Say what the study asks, and about which samples, in one sentence of plain text."""
    method = METHODS[experiment.method].label
    return f"Do backward() and the summed Jacobian ({method}) give equal values, {_over_samples(experiment)}?"


def pitfall(experiment: Experiment) -> str:
    """Say the same about the pitfall."""
    method = METHODS[rows_method(experiment)].label
    samples = _over_samples(experiment)
    return f"How far is one call of grad for all rows of a Jacobian from the right rows ({method}), {samples}?"


def batch(experiment: Experiment) -> str:
    """Say the same about batches."""
    by = "backward()" if experiment.gradient == "backward" else METHODS[experiment.method].label
    return (
        f"Do the outputs of a sample and its gradient by {by} have other last bits in a batch than alone, "
        f"{_over_samples_of(experiment)}?"
    )


def derivative(experiment: Experiment) -> str:
    """Say the same about the derivative."""
    return (
        f"Do autograd's derivative of {FUNCTIONS[experiment.differentiated].call} and the formulas by hand give equal "
        f"values, at {experiment.samples:,} random x ({X_FROM[experiment.x_from].label}) {_numbers(experiment)}?"
    )


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
