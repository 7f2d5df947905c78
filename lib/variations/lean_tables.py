"""The leans as tables: against the number of outputs for the chart, and with mechanisms switched off to read."""

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

_APART = 0.08  # between the marks of two dtypes at one number of outputs, in powers of two


def tables(tally: LeanTally, experiment: Experiment) -> dict[str, pd.DataFrame]:
    """The table by the name under which the chart knows it.

    `leans`, a row for each point that has an interval: dtype, outputs, x (its power of two, and a little beside it, so
    that no dtype hides another), lean, low, high (the ends of its 95 % interval), interval (these as a text), networks.
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
    """A row for each mechanism at the points with the most outputs: what is switched off and how, the code, and the
    lean by dtype; a dash where nothing is known."""
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
    """A lean over networks with its interval."""
    if all_ties(tally):
        return "all ties"
    lean, interval = tally.lean_of_networks(), tally.interval_of_networks()
    if lean is None or interval is None:
        return UNKNOWN
    return f"{signed_percent(lean[0])} ({signed_percent(interval[0])} to {signed_percent(interval[1])})"


def all_ties(tally: VerdictTally) -> bool:
    """Whether something was measured, and all of it is known to be a tie."""
    return tally.closer["tie"] == sum(tally.closer.values()) > 0


def moved(tally: LeanTally, point: Point) -> dict[str, VerdictTally]:
    """What was measured by mechanism, where it moves the lean: the interval has nothing in common with that of the
    plain comparison, or nothing but ties is left."""
    dtype, outputs = point.experiment.dtype, point.experiment.outputs
    plain = tally.at(dtype, outputs, PLAIN).interval_of_networks()
    found = {}
    for name in point.compared if plain else ():
        other = tally.at(dtype, outputs, name)
        interval = other.interval_of_networks()
        if all_ties(other) or (interval and (plain[1] < interval[0] or interval[1] < plain[0])):
            found[name] = other
    return found
