"""All that the tab's picture shows: the paths that merge, and the two populations of errors."""

from collections.abc import Sequence

from lib.experiment.query import Experiment
from lib.pitfall.merging import drawings
from lib.pitfall.populations import Bar, far_apart, names, populations, times, typical_sizes
from lib.pitfall.study import PitfallTally


def picture(tally: PitfallTally, experiment: Experiment, former: Sequence[Bar] = (), former_name: str = "") -> dict:
    """Return the data of the picture: `drawings` to choose from, and `errors` with their names in words.

    `former` are the bars of the experiment before, and `former_name` is what that was.
    """
    entries = tally.right_errors.total
    widths = " → ".join(map(str, experiment.widths))
    about = f"{widths}: {entries:,} {'entry' if entries == 1 else 'entries'}, each against the exact one"
    errors = populations(tally, experiment, former) | {
        "ghost_name": f"before: {former_name}" if former else "",
        "title": "Errors in your network’s rows",
        "about": about if entries else f"{widths}: no entry has been compared so far",
        "axis": "absolute error of an entry",
        "label": _label(tally, experiment),
    }
    return {"drawings": drawings(tally.first_sample, experiment), "errors": errors}


def _label(tally: PitfallTally, experiment: Experiment) -> str:
    """What the histogram shows, in words."""
    if not tally.right_errors.total:
        return "Histogram of errors: nothing has been compared so far."
    right, single = typical_sizes(tally)
    called = names(tally, experiment)
    said = f"Histogram of errors: those of {called['right']} are typically {right}"
    if experiment.outputs == 1:
        return f"{said}, and one call gives the same row."
    more = f", {times(tally)} times as large" if far_apart(tally, experiment) else ""
    return f"{said}, those of {called['single']} {single}{more}."
