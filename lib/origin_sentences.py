"""Where the discrepancy comes from and what makes it go away, as sentences of the page, in Markdown."""

import torch

from lib.experiment import Experiment
from lib.floats import shortest
from lib.replay import Replay
from lib.studies.agreement import NAMES, AgreementTally
from lib.studies.controls import ControlsTally
from lib.studies.ladder import LadderTally
from lib.studies.remedies import RemediesTally
from lib.studies.scaling import SWEEPS, UNITS, Scaling, ScalingTally, table_name, tables

_HAPPENED = {
    "product": "a product is rounded",
    "sum": "an addition is rounded",
    "rounding": "the sum is rounded to 16 bits",
    "slope": "the slope of the activation is multiplied in",
    "sum of rows": "the rows are added",
}


def parting_claim(replay: Replay) -> str:
    """Where the two evaluations of a component part, or why that is not shown."""
    of = f"component {replay.component} of sample {replay.sample:,}"
    if not replay.verified:
        return f"The {of} is not replayed on this machine. {replay.reason}"
    dtype = getattr(torch, replay.dtype)
    results = f"`{shortest(replay.backward_result, dtype)}` and `{shortest(replay.jacobian_result, dtype)}`"
    if replay.parting is None:
        return f"In {of} the two evaluations never part: both give {results.partition(' and ')[0]}."
    parting = replay.parting
    what = _HAPPENED[parting.operation]
    rows = " + ".join(f"`{shortest(row, dtype)}`" for row in parting.rows[:4])
    rows += " + …" if len(parting.rows) > 4 else ""
    return (
        f"In {of} they first part where, in the gradient of {parting.unit}, {what}: `backward()` then has "
        f"`{shortest(parting.backward, dtype)}`, and the rows {rows}, which is {float(parting.exact)!r} in all. "
        f"The results are {results}."
    )


def verified(replay: Replay) -> str:
    """That a replay has PyTorch's bits, and in which orders it adds."""
    return (
        f"Replayed, with the bits of PyTorch in every gradient on the way. Dot products are added {replay.dot_order}, "
        f"rows {replay.sum_order}. An exact sum with ≈ is given to 17 digits; errors are in ulps."
    )


def agreement_claim(tally: AgreementTally, experiment: Experiment) -> str:
    """How many different answers the methods give."""
    if tally.samples == 0:
        return "The first samples by every method are on their way."
    classes = tally.classes()
    kin = next(members for members in classes if "backward" in members)
    others = [f"`{name}`" for name in kin if name != "backward"]
    same = (
        f" `backward()` has the bits of {' and '.join(others)}." if others else " Nobody has the bits of `backward()`."
    )
    return f"Backward and the {len(NAMES) - 1} methods give {len(classes)} different answers, bit by bit.{same}"


def bit_classes(tally: AgreementTally) -> str:
    """The classes of equal bits, as a list."""
    return "\n".join(f"- {', '.join(f'`{name}`' for name in members)}" for members in tally.classes())


def controls_claim(tally: ControlsTally, experiment: Experiment) -> str:
    """Whether the two gradients are equal wherever they must be."""
    rows = tally.figures()["controls"]
    methods = [method for row in rows for method in row["methods"] if method["certain"] and method["components"]]
    if not methods:
        return "The first samples of the controls are on their way."
    wrong = sum(method["equal"] < method["components"] for method in methods)
    if wrong:
        return f"In {wrong} of {len(methods)} controls the two gradients differ, where they must not."
    return f"In all {len(methods)} controls so far the two gradients have the same bits, as they must."


def scaling_claim(tally: ScalingTally, experiment: Experiment) -> str:
    """How much larger the discrepancy is at the end of each sweep than at its first point."""
    if tally.samples < Scaling.total(experiment):
        return "Networks of growing width, depth and number of outputs, one after the other."
    data = tables(tally)
    ends = {sweep: data[table_name(sweep, UNITS, "points")] for sweep in SWEEPS}
    grown = [
        f"{2 ** (rows['y'].iloc[-1] - rows['y'].iloc[0]):.1f} with {sweep}" for sweep, rows in ends.items() if len(rows)
    ]
    growth = ", ".join(grown)
    return (
        f"From the first to the last point, the largest discrepancy in rounding units changes by a factor of {growth}."
    )


def ladder_claim(tally: LadderTally, experiment: Experiment) -> str:
    """That the discrepancy goes with eps, as far as it does."""
    sizes = [
        f"{rung.discrepancy.max_abs.value:.1e} in {dtype}"
        for dtype, rung in tally.rungs.tallies.items()
        if rung.discrepancy.max_abs.value
    ]
    if not sizes:
        return "No discrepancy in any dtype." if tally.samples else "The first samples in every dtype are on their way."
    return f"The same network, the same points: the largest difference is {', '.join(sizes)}."


def remedies_claim(tally: RemediesTally, experiment: Experiment) -> str:
    """How many of the remedies leave no difference."""
    known = tally.remedies.tallies
    if not known:
        return "The first samples under each remedy are on their way."
    tried = {name: part for name, part in known.items() if name != next(iter(known))}
    gone = sum(part.equal == part.ulps.total for part in tried.values())
    return f"Of {len(tried)} remedies, {gone} leave no difference in {tally.samples:,} samples."
