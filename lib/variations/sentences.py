"""Where the discrepancy comes from and what makes it go away, as sentences of the page, in Markdown."""

from lib.display.quantities import at_most, factor, listed
from lib.display.why import Why
from lib.experiment.query import Experiment
from lib.network.comparison import PLAIN
from lib.network.emulated import EMULATIONS, sum_of_ones
from lib.network.method_sentences import in_words_of, words
from lib.variations.agreement import NAMES, AgreementTally
from lib.variations.controls import CONTROLS, ControlsTally, point_name
from lib.variations.ladder import LINE_THROUGH, LadderTally
from lib.variations.remedies import RemediesTally
from lib.variations.scaling import SWEEPS, UNITS, Scaling, ScalingTally, table_name, tables


def agreement_claim(tally: AgreementTally, experiment: Experiment) -> str:
    """How many different answers the methods return, and which agree with `backward()`."""
    if tally.samples == 0:
        return "The first samples by every method are on their way."
    classes = tally.classes()
    kin = next(members for members in classes if "backward" in members)
    others = [f"`{name}`" for name in kin if name != "backward"]
    same = (
        f" `backward()` agrees with {listed(others)}."
        if others
        else " No method agrees with `backward()` in every value."
    )
    answers = "the same answer" if len(classes) == 1 else f"{len(classes)} different answers"
    return f"`backward()` and the {len(NAMES) - 1} methods give {answers}, compared value by value.{same}"


def bit_classes(tally: AgreementTally) -> str:
    """The classes of methods with equal values, as a list."""
    return "\n".join(f"- {', '.join(f'`{name}`' for name in members)}" for members in tally.classes())


def controls_claim(tally: ControlsTally, experiment: Experiment) -> str:
    """Whether the two gradients are equal wherever they must be."""
    if tally.samples == 0:
        return "The first samples of the controls are on their way."
    certain = [tally[point_name(name, method)] for name, control in CONTROLS.items() for method in control.certain]
    finite = [found for found in certain if found.finite]
    if not finite:
        return "No control has a finite component so far."
    wrong = sum(found.equal < found.finite for found in finite)
    if wrong:
        return f"In {wrong} of {len(finite)} comparisons the two gradients differ, though they must not."
    return f"In all {len(finite)} comparisons so far the two gradients are equal, as they must be."


def ladder_claim(tally: LadderTally, experiment: Experiment) -> str:
    """The largest discrepancy in each dtype."""
    sizes = [
        f"{at_most(rung.discrepancy.max_abs.value)} in {dtype}"
        for dtype, rung in tally.dtypes.items()
        if rung.discrepancy.max_abs.value
    ]
    if not sizes:
        if not tally.samples:
            return "The first samples in every dtype are on their way."
        finite = any(rung.discrepancy.finite for rung in tally.dtypes.values())
        return "No discrepancy in any dtype." if finite else "No component is finite in any dtype."
    return f"The same network and points, rounded to each dtype: the largest difference is {', '.join(sizes)}."


def ladder_reading(tally: LadderTally, experiment: Experiment) -> str:
    """What the line of the ladder says, and why a rung may lie off it."""
    rungs = {dtype: rung.discrepancy for dtype, rung in tally.known.items()}
    shown = [dtype for dtype, rung in tally.dtypes.items() if rung.discrepancy.max_abs.value]
    lost = [
        f"{'all' if found.finite == 0 else f'{found.nonfinite:,} of'} {found.components:,} in {dtype}"
        for dtype, found in rungs.items()
        if found.nonfinite
    ]
    said = []
    if LINE_THROUGH in shown:
        said.append(
            "On the dashed line the difference is proportional to eps, as rounding errors are within the range of a "
            "dtype."
        )
    if shown and (why := words(experiment).ladder):
        said.append(why)
    if "float16" in shown:
        said.append("The range of float16 is the narrowest: numbers that underflow lose digits, and lift its points.")
    if any(rung.discrepancy.max_abs.value for _, rung in tally.emulated):
        said.append("Hollow marks are emulated.")
    if lost:
        said.append(f"Components that are infinite or NaN are not counted: {listed(lost)}.")
    return " ".join(said)


def emulated_reading(tally: LadderTally, experiment: Experiment) -> str:
    """What is emulated and what is not, and how much more the two gradients differ with it."""
    rules = "; ".join(one.about for one in EMULATIONS.values())
    said = [
        f"Two rows emulate what a graphics card may do in a matrix product: {rules}. Their eps is that of the numbers "
        "so rounded. Not emulated are the order in which a card adds and the accumulator of its tensor cores, which "
        "does not round to nearest."
    ]
    for one, rung in tally.emulated:
        mean, plain = rung.total.mean, tally[one.dtype].total.mean
        if plain and mean >= plain:
            said.append(f"Mean difference with {one.label}: {factor(mean / plain)} times that in {one.dtype}.")
        elif plain and mean:
            said.append(f"Mean difference in {one.dtype}: {factor(plain / mean)} times that with {one.label}.")
    longest = max(experiment.widths[:-1]) + 1  # the bias is a term, too; outputs are never so many
    if tally.emulated and (total := sum_of_ones(longest)) < longest:
        said.append(
            f"In a bfloat16 accumulator a sum of ones stands still at {total:g}: {total + 1:g} lies halfway to the "
            f"next float, {total + 2:g}, and is rounded back. The longest sum here has {longest} terms."
        )
    return " ".join(said)


def scaling_claim(tally: ScalingTally, experiment: Experiment) -> str:
    """How much larger the discrepancy is at the end of each sweep than at its first point."""
    if tally.samples < Scaling.total(experiment):
        return "Networks of growing width, depth and number of outputs, one after another."
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


def remedies_claim(tally: RemediesTally, experiment: Experiment) -> str:
    """How many of the remedies leave no difference."""
    known = tally.known
    if not known:
        return "The first samples under each remedy are on their way."
    tried = {name: part for name, part in known.items() if name != PLAIN}
    gone = sum(part.equal == part.finite > 0 for part in tried.values())
    return f"Of {len(tried)} remedies, {gone} leave no difference in {tally.samples:,} samples."


def why_remedies(experiment: Experiment) -> Why:
    """When two ways of computing are certain to agree."""
    wider = "" if experiment.dtype == "float64" else ", or compute both in float64 and round once"
    return in_words_of(
        experiment,
        "remedies",
        Why(
            "Two results are certain to be equal if both take the same operations in the same order, or if nothing is "
            "rounded.",
            "A tolerance does not make a difference go away: it accepts it, as PyTorch's own tests do. For equal "
            "values, make both sides do "
            f"the same additions in the same order{wider}.",
            {
                "assert_close": "testing.html#torch.testing.assert_close",
                "gradcheck": "generated/torch.autograd.gradcheck.gradcheck.html",
            },
        ),
    )
