"""Why some components are many ulps apart, as sentences of the page.

NOTE [the line]: an ulp of g = ±t·2**e, with t from 1 up to 2, is 2u·2**e = 2u·abs(g)/t. So r rounding units, r·u·S,
are r·S/abs(g)·t/2 ulps of g: at least half of r times the condition number, and less than that product. On log–log axes
each r has a line of slope one, and where the distance in ulps is the condition number itself, r is between 1 and 2.
This assumes that g is not subnormal and that both values lie in its binade: if rounding moves g by its own size, the
ulps between the values have other lengths.
"""

from math import log2

from lib.discrepancy.study import INFINITE_BINADE, DiscrepancyTally
from lib.display.quantities import counted, percent, power_of_two
from lib.experiment.query import Experiment
from lib.network.method_sentences import words
from lib.reference.bounds import unit_roundoff


def line_claim(tally: DiscrepancyTally) -> str:
    """How many of the components with a finite condition number lie on the line of NOTE [the line] or below it."""
    total, infinite = tally.pairs.total, _infinite(tally)
    if total == 0:
        return "No component has a condition number."
    if total == infinite:
        return f"S/|g| is infinite for {'the only component' if total == 1 else f'all {total:,} components'}."
    known = counted(total - infinite, "component") + (" with a finite S/|g|" if infinite else "")
    return f"In {percent(tally.within, total - infinite)} of {known} the two values are at most S/|g| floats apart."


def _infinite(tally: DiscrepancyTally) -> int:
    condition, _, counts = tally.binades()
    return int(counts[condition == INFINITE_BINADE].sum())


def condition_claim(tally: DiscrepancyTally, experiment: Experiment) -> str:
    """How many components lie on the line or below, how many are so ill-conditioned that rounding alone can make every
    digit wrong, and how many have no condition number."""
    claims = [line_claim(tally)]
    condition, _, counts = tally.binades()
    limit = round(-log2(unit_roundoff(experiment)))
    beyond = int(counts[condition >= limit].sum())
    if beyond:
        claims.append(
            f"In {beyond:,} the condition number is 1/u = {power_of_two(limit)} or more: there, rounding alone can "
            "make every digit wrong."
        )
    return " ".join([*claims, *_in_no_cell(tally)])


def _in_no_cell(tally: DiscrepancyTally) -> list[str]:
    without = tally.finite - tally.pairs.total
    return [f"S is 0 for {without:,}, which have no condition number and are in no cell."] if without else []


def reading(tally: DiscrepancyTally, experiment: Experiment) -> str:
    """How to read the chart of ulps against the condition number; empty before the first samples."""
    finite = tally.finite
    if tally.samples == 0:
        return ""
    if finite == 0:
        return "No component is finite in both gradients, so there is nothing to compare."
    if tally.equal == finite:
        if not tally.pairs.total:
            return "Every difference is zero, and S is 0 for every component: none has a condition number or a cell."
        return " ".join(
            ["Every difference is zero, so every cell is in the grey row at the bottom.", *_in_no_cell(tally)]
        )
    found = words(experiment)
    said = [found.on_paper, found.reading]
    if experiment.dtype == "float16" and experiment.output_activation != "softmax":
        said.append("Components below 2⁻¹⁴ in size lie lower: there the floats of float16 are evenly spaced.")
    return " ".join([*said, condition_claim(tally, experiment)])
