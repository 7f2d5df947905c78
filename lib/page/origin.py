"""Section 3: where does it come from? One component, operation by operation; and which methods agree with which."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from lib.discrepancy.sentences import why_there
from lib.discrepancy.study import DiscrepancyTally
from lib.display.quantities import counted
from lib.experiment.query import Experiment
from lib.network.sampling import block_size
from lib.page.figures import draw_chart
from lib.page.live import Live, ask, follow, share
from lib.replay.replay import Replay, replay
from lib.replay.sentences import first_divergence_claim, replayed_method, verified
from lib.replay.tables import rows
from lib.run.tally import Extreme
from lib.variations import agreement, differences, scaling
from lib.variations import difference_tables as differences_tables
from lib.variations.agreement import Agreement, AgreementTally
from lib.variations.agreement_sentences import agreement_claim, bit_classes
from lib.variations.control_sentences import controls_claim
from lib.variations.controls import Controls, ControlsTally, readable
from lib.variations.difference_charts import DIFFERENCES
from lib.variations.difference_sentences import differences_claim, differences_reading
from lib.variations.differences import DifferencesTally, FiniteDifferences
from lib.variations.method_charts import AGREEMENT
from lib.variations.scaling import SAMPLES, SWEEPS, ULPS, UNITS, Scaling, ScalingTally
from lib.variations.scaling_charts import SCALING
from lib.variations.scaling_sentences import scaling_claim

MOST_SAMPLES = {"per-sample": 500, "batched": 50_000}
"""Samples that every method is run on: twelve gradients of each take their time."""


WORST: dict[str, Callable[[DiscrepancyTally], Extreme]] = {
    "difference": lambda tally: tally.max_abs,
    "ulps": lambda tally: tally.max_ulps,
    "rounding units": lambda tally: tally.verdict.max_units,
}


def show_replay(tally: DiscrepancyTally, experiment: Experiment, settled: bool) -> None:
    """The component that the visitor picks, by default that with the largest discrepancy, term by term."""
    st.header("Where does it come from?", anchor="where-from", divider="gray")
    st.markdown(why_there(experiment).markdown)
    left, middle, right = st.columns(3)
    with left:
        worst = st.segmented_control(
            "The worst by", list(WORST), default="difference", required=True, key="worst_by", bind="query-params"
        )
    with middle:
        sample = pick("Sample", "trace_sample", experiment.samples, "the worst so far")
    with right:
        component = pick("Component", "trace_component", experiment.inputs, "the worst there")
    place = WORST.get(worst, WORST["difference"])(tally).place
    if sample is None:
        sample = place.block * block_size(experiment) + place.index if place else 0
    if component is None:
        component = place.component if place else 0
    found = ask("The operations are", experiment, replay, experiment, sample, component, settled=settled)
    if found is not None:
        share((experiment.query, found.sample, found.component), draw_operations, found)


def draw_operations(found: Replay) -> None:
    st.markdown(f"**{first_divergence_claim(found)}**")
    if found.verified:
        if of_method := replayed_method(found):
            st.markdown(of_method)
        st.caption(verified(found))
        for name, table in zip(
            ("`backward()`", "`functional.jacobian`, its rows and their sum"), rows(found).values(), strict=True
        ):
            st.markdown(f"{name}: {counted(len(table), 'operation')}")
            st.dataframe(table, hide_index=True, alt=f"Table of the operations of {name}")


def pick(label: str, key: str, count: int, otherwise: str) -> int | None:
    """A whole number below `count`, or None where there is none."""
    picked = st.number_input(
        label,
        0,
        count - 1,
        None,
        step=1,
        key=key,
        placeholder=otherwise,
        help=f"Empty: {otherwise}.",
        bind="query-params",
    )
    # Not `in range`: of what is no int, None too, that asks every number of the range, a billion of them at most.
    return picked if picked is not None and 0 <= picked < count else None


def show_agreement(experiment: Experiment) -> None:
    part = st.expander(
        "Which methods agree with which, value for value?", key="agreement", on_change="rerun", bind="query-params"
    )
    if part.open:
        samples = min(experiment.samples, MOST_SAMPLES[experiment.evaluation])
        any_method = replace(experiment, method=Experiment.method, samples=samples)  # all of them are compared
        with part:
            follow(Live(Agreement, "samples", agreement_claim, draw), any_method)


def show_controls(experiment: Experiment) -> None:
    part = st.expander(
        "The controls: where the difference must be zero", key="controls", on_change="rerun", bind="query-params"
    )
    if part.open:
        with part:
            follow(Live(Controls, "samples", controls_claim, draw_controls), replace(experiment, networks="one"))


def draw_controls(tally: ControlsTally, experiment: Experiment, settled: bool) -> None:
    st.table(readable(tally), hide_index=True, alt="Table of the controls: equal components by method")


def show_scaling(experiment: Experiment) -> None:
    part = st.expander(
        "How it changes with width, depth and outputs", key="scaling", on_change="rerun", bind="query-params"
    )
    if part.open:
        with part:
            follow(Live(Scaling, "samples", scaling_claim, draw_scaling), replace(experiment, networks="one"))


def draw_scaling(tally: ScalingTally, experiment: Experiment, settled: bool) -> None:
    st.caption(
        f"{SAMPLES} samples at each point, a network each. Both axes are logarithmic; the dashed lines grow as √n and "
        "as n. In ulps, cancellation makes the growth uneven."
    )
    data = scaling.tables(tally)
    for quantity in (UNITS, ULPS):
        for column, sweep in zip(st.columns(3), SWEEPS, strict=True):
            drawn = SCALING[sweep, quantity]
            if any(len(data[name]) for name in drawn.tables):
                with column:
                    draw_chart(f"{sweep} {quantity}", drawn, data, f"Curve of the discrepancy, {quantity}, by {sweep}")


def show_differences(experiment: Experiment) -> None:
    part = st.expander(
        "Which step? The error of finite differences", key="differences", on_change="rerun", bind="query-params"
    )
    if part.open:
        with part:
            follow(
                Live(FiniteDifferences, "differences", differences_claim, draw_differences),
                differences.subject(experiment),
            )


def draw_differences(tally: DifferencesTally, experiment: Experiment, settled: bool) -> None:
    st.caption(differences_reading(tally, experiment))
    data = differences_tables.tables(tally, experiment)
    for place, dtype in enumerate(differences.dtypes(experiment)):
        if place % 2 == 0:
            columns = st.columns(2)
        with columns[place % 2]:
            st.markdown(f"**{dtype}**")
            draw_chart(f"steps {dtype}", DIFFERENCES[dtype], data, f"Curve of the error against the step in {dtype}")
    table = differences_tables.readable(tally, experiment)
    st.table(table, hide_index=True, alt="Table of the best step and the step used, by dtype")


def draw(tally: AgreementTally, experiment: Experiment, settled: bool) -> None:
    if tally.samples == 0:
        return
    takeaway = agreement_claim(tally, experiment).replace("`", "").rstrip(".") if settled else None
    st.caption(
        f"Share of components with equal values, {experiment.evaluation} in {experiment.dtype}: the stronger, the "
        "more. Grey: in no component different so far. `summed-output` is the same pass as `backward()`."
    )
    draw_chart("agreement", AGREEMENT, agreement.tables(tally), "Heat map of methods against methods", takeaway)
    st.markdown("Equal in every component so far:")
    st.markdown(bit_classes(tally))
