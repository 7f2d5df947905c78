"""The discrepancy in every dtype, as sentences of the page, in Markdown."""

from lib.display.method_sentences import words
from lib.display.quantities import at_most, listed
from lib.experiment.query import Experiment
from lib.variations.ladder import LINE_THROUGH, LadderTally


def ladder_claim(tally: LadderTally, experiment: Experiment) -> str:
    """The largest discrepancy in each dtype."""
    sizes = [
        f"{at_most(rung.discrepancy.max_abs.value)} in {dtype}"
        for dtype, rung in tally.known.items()
        if rung.discrepancy.max_abs.value
    ]
    if not sizes:
        if not tally.samples:
            return "The first samples in every dtype are on their way."
        finite = any(rung.discrepancy.finite for rung in tally.known.values())
        return "No discrepancy in any dtype." if finite else "No component is finite in any dtype."
    return f"The same network and points, rounded to each dtype: the largest difference is {', '.join(sizes)}."


def ladder_reading(tally: LadderTally, experiment: Experiment) -> str:
    """What the line of the ladder says, and why a rung may lie off it."""
    rungs = {dtype: rung.discrepancy for dtype, rung in tally.known.items()}
    shown = [dtype for dtype, found in rungs.items() if found.max_abs.value]
    lost = [
        f"{'all' if found.finite == 0 else f'{found.nonfinite:,} of'} {found.components:,} in {dtype}"
        for dtype, found in rungs.items()
        if found.nonfinite
    ]
    said = []
    if LINE_THROUGH in shown:
        said.append(
            "On the dashed line the difference is proportional to eps, as rounding errors are while the range holds."
        )
    if shown and (why := words(experiment).ladder):
        said.append(why)
    if "float16" in shown:
        said.append("The range of float16 is the narrowest: numbers that underflow lose digits, and lift its points.")
    if lost:
        said.append(f"Components that are infinite or NaN are not counted: {listed(lost)}.")
    return " ".join(said)
