"""How the discrepancy grows with the network, as a sentence of the page, in Markdown."""

from lib.experiment.query import Experiment
from lib.variations.scaling import SWEEPS, UNITS, Scaling, ScalingTally, table_name, tables


def scaling_claim(tally: ScalingTally, experiment: Experiment) -> str:
    """How much larger the discrepancy is at the end of each sweep than at its first point."""
    if tally.samples < Scaling.total(experiment):
        return "Networks of growing width, depth and number of outputs, one after the other."
    data = tables(tally)
    ends = {sweep: data[table_name(sweep, UNITS, "points")] for sweep in SWEEPS}
    grown = [
        f"{2 ** (rows['y'].iloc[-1] - rows['y'].iloc[0]):.1f} with {sweep}"
        for sweep, rows in ends.items()
        if len(rows) > 1
    ]
    if not grown:
        return "In no sweep do two points have a discrepancy."
    return (
        "From the first to the last point with a discrepancy, the largest one in rounding units changes by a factor of "
        f"{', '.join(grown)}."
    )
