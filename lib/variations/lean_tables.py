"""The leans as tables: by the number of outputs for the chart, and with mechanisms switched off as a table to read."""

import numpy as np
import pandas as pd

from lib.discrepancy.verdict import VerdictTally
from lib.display.quantities import signed_percent
from lib.display.tables import COUNT, NUMBER, TEXT, UNKNOWN, text_table, typed
from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from lib.network.comparison import PLAIN
from lib.variations.lean import LeanTally, Point, points
from lib.variations.mechanisms import MECHANISMS

_APART = 0.08  # the distance between the marks of two dtypes at one number of outputs, in powers of two


def tables(tally: LeanTally, experiment: Experiment) -> dict[str, pd.DataFrame]:
    """The table, by the name that the chart uses.

    `leans` has a row for each point with an interval: dtype, outputs, x (the outputs as a power of two, shifted a
    little so that no dtype hides another), lean, low and high (the ends of the 95 % interval), interval (as a text),
    networks.
    """
    rows = []
    for point in points(experiment):
        dtype, outputs = point.experiment.dtype, point.experiment.outputs
        found = tally.at(dtype, outputs)
        lean, interval = found.lean_of_networks(), found.interval_of_networks()
        if lean and interval:
            x = np.log2(outputs) + _APART * (list(DTYPES).index(dtype) - (len(DTYPES) - 1) / 2)
            rows.append((dtype, outputs, x, lean[0], *interval, text_of(found), found.networks))
    types = {"dtype": TEXT, "outputs": COUNT, "x lean low high": NUMBER, "interval": TEXT, "networks": COUNT}
    return {"leans": typed(types, rows)}


def readable(tally: LeanTally, experiment: Experiment) -> pd.DataFrame:
    """A table to read with a row for each mechanism: what is switched off, how, the code, and the lean by dtype, at the
    points with the most outputs. A dash stands for what is not known."""
    last = last_points(experiment)
    return text_table(
        {"switched off": mechanism.label, "how": mechanism.how, "code": mechanism.code}
        | {dtype: text_of(tally.at(dtype, point.experiment.outputs, name)) for dtype, point in last.items()}
        for name, mechanism in MECHANISMS.items()
    )


def last_points(experiment: Experiment) -> dict[str, Point]:
    """The points with the most outputs, by dtype."""
    return {point.experiment.dtype: point for point in points(experiment) if len(point.compared) > 1}


def text_of(tally: VerdictTally) -> str:
    """A lean over networks with its interval, as a text."""
    if all_ties(tally):
        return "all ties"
    lean, interval = tally.lean_of_networks(), tally.interval_of_networks()
    if lean is None or interval is None:
        return UNKNOWN
    return f"{signed_percent(lean[0])} ({signed_percent(interval[0])} to {signed_percent(interval[1])})"


def all_ties(tally: VerdictTally) -> bool:
    """Whether something was judged, and every verdict is a tie."""
    return tally.closer["tie"] == sum(tally.closer.values()) > 0


def moved(tally: LeanTally, point: Point) -> dict[str, VerdictTally]:
    """The tallies of the mechanisms that move the lean, by name: the interval is disjoint from that of the plain
    comparison, or only ties are left."""
    dtype, outputs = point.experiment.dtype, point.experiment.outputs
    plain = tally.at(dtype, outputs, PLAIN).interval_of_networks()
    found = {}
    for name in point.compared if plain else ():
        other = tally.at(dtype, outputs, name)
        interval = other.interval_of_networks()
        if all_ties(other) or (interval and (plain[1] < interval[0] or interval[1] < plain[0])):
            found[name] = other
    return found
