"""Figures as the sentences and short texts of the page."""

import re
from decimal import ROUND_CEILING, Context

from lib.choices import DEVICES, EVALUATIONS, METHODS
from lib.experiment import Experiment, QueryError
from lib.studies.discrepancy import DiscrepancyTally


def claim(tally: DiscrepancyTally, experiment: Experiment) -> str:
    """The claim of the page with the figures as they stand, in Markdown."""
    compared = f"`backward()` and `{METHODS[experiment.method].call}.sum(0)`"
    finite = tally.components - tally.nonfinite
    if tally.samples == 0:
        return f"{compared}: the first samples are on their way."
    if finite == 0:
        return f"{compared} gave no finite gradient components."
    if tally.equal == finite:
        return f"{compared} gave the same bits in all {finite:,} gradient components."
    return (
        f"{compared} gave different bits in {percent(finite - tally.equal, finite)} of {finite:,} gradient components, "
        f"and never differed by more than {at_most(tally.max_abs.value)}."
    )


def conditions(experiment: Experiment) -> str:
    """What the figures are from: method, evaluation, dtype and device, in Markdown."""
    method = METHODS[experiment.method]
    return (
        f"`{method.api}`: {method.about}. Evaluated {EVALUATIONS[experiment.evaluation].label}, in {experiment.dtype}, "
        f"on the {DEVICES[experiment.device].label}."
    )


def finiteness(tally: DiscrepancyTally) -> str:
    """How many components are infinite or NaN, and where they are not counted."""
    if tally.nonfinite == 0:
        return f"All {tally.components:,} components are finite."
    return (
        f"{tally.nonfinite:,} of {tally.components:,} components are infinite or NaN in one gradient or both: a number "
        "on the way overflowed the range of the dtype. They are in no other figure here."
    )


def refusal(error: QueryError) -> str:
    """The sentence of a bad query in Markdown, with what was sent as code: no link or picture in it comes to life."""
    if not error.shown:
        return str(error)
    fence = "`" * (1 + max(map(len, re.findall("`+", error.shown)), default=0))
    return str(error).replace(error.shown, f"{fence} {error.shown} {fence}", 1)


def progress(samples: int, experiment: Experiment, rate: float, paused: bool) -> str:
    """How far a run is, at how many samples per second, and the time that is left at that rate."""
    done = f"{samples:,} of {experiment.samples:,} samples"
    if samples >= experiment.samples:
        return done
    if paused:
        return f"{done} · paused"
    if rate == 0:
        return f"{done} · starting"
    return f"{done} · {rate:,.0f} samples/s · {duration((experiment.samples - samples) / rate)} left"


def at_most(value: float) -> str:
    """A bound in two digits: rounded up, so that the value is never above it."""
    return f"{float(Context(prec=2, rounding=ROUND_CEILING).create_decimal(value)):.1e}"


def percent(part: int, whole: int) -> str:
    """A share in per cent, never rounded to none or to all of the whole unless it is."""
    share = part / max(whole, 1)
    if part not in (0, whole) and not 0.005 <= share < 0.995:
        return "less than 1%" if share < 0.5 else "more than 99%"
    return f"{share:.0%}"


def distance(ulps: int) -> str:
    """A distance in ulps, in full or, where that would be long, in two digits."""
    return f"{ulps:,} ulp" if ulps < 100_000 else f"{ulps:.1e} ulp"


def duration(seconds: float) -> str:
    """A time to wait in its largest fitting unit."""
    for unit, length in (("days", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"
