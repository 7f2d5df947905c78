"""Sentences of the page about the data to take along."""

from lib.experiment.query import Experiment
from lib.takeaway.component_tables import SCHEMAS
from lib.takeaway.files import FilesTally, first
from lib.takeaway.plots import Plot


def files_claim(tally: FilesTally, experiment: Experiment) -> str:
    """Say what the files hold; `experiment` has only as many samples as they do."""
    components = f"{experiment.samples * experiment.inputs:,} components of {experiment.samples:,} samples"
    if not tally.csv:
        return f"{components} are on their way."
    return f"{components}: {_size(tally.csv)} of CSV, {_size(tally.parquet)} of Parquet."


def files_limit(experiment: Experiment) -> str:
    """Say how many samples the files hold, and how to write all of them."""
    samples = first(experiment).samples
    if samples == experiment.samples:
        return "The command line writes the same files:"
    return (
        f"The page holds the first {samples:,} of the {experiment.samples:,} samples, no more, since it has many "
        "visitors. The command line writes all of them:"
    )


def files_command(experiment: Experiment) -> str:
    """Return the command that writes all samples."""
    return f'python -m lib "{experiment.query}" --csv components.csv --parquet components.parquet'


def files_columns() -> str:
    """Describe the columns of the files in Markdown."""
    return "\n".join(f"- `{field.name}`: {field.metadata[b'about'].decode()}" for field in SCHEMAS["discrepancy"])


def plot_columns(plot: Plot) -> str:
    """Describe the columns of a chart's table in Markdown."""
    return "\n".join(f"- `{name}`: {about}" for name, about in plot.columns.items())


def _size(content: bytes) -> str:
    return f"{len(content) / 1e6:.1f} MB"
