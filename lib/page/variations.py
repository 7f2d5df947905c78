"""Sections on the discrepancy under other conditions, each a study that starts when it is opened."""

from dataclasses import replace

import streamlit as st

from lib.experiment.query import Experiment
from lib.page.elements import draw_chart, show_table, unfold
from lib.page.live import Live, follow
from lib.variations import agreement, charts, controls, scaling
from lib.variations.agreement import Agreement, AgreementTally
from lib.variations.controls import Controls, ControlsTally
from lib.variations.scaling import SAMPLES, SWEEPS, ULPS, UNITS, Scaling, ScalingTally
from lib.variations.sentences import agreement_claim, bit_classes, controls_claim, scaling_claim

MOST_SAMPLES = {"per-sample": 500, "batched": 50_000}
"""How many samples every method is run on, by evaluation: twelve gradients of each sample take a while."""


def show(experiment: Experiment) -> None:
    one_network = replace(experiment, networks="one")
    samples = min(experiment.samples, MOST_SAMPLES[experiment.evaluation])
    any_method = replace(experiment, method=Experiment.method, samples=samples)  # every method is compared
    controls_part = Live(Controls, controls_claim, draw_controls)
    unfold("The controls: where the difference must be zero", "controls", follow, controls_part, one_network)
    agreement_part = Live(Agreement, agreement_claim, draw_agreement)
    unfold("Which methods agree with which, value for value?", "agreement", follow, agreement_part, any_method)
    scaling_part = Live(Scaling, scaling_claim, draw_scaling)
    unfold("How it changes with width, depth and outputs", "scaling", follow, scaling_part, one_network)


def draw_controls(tally: ControlsTally, experiment: Experiment, settled: bool) -> None:
    show_table(controls.readable(tally), "Table of the controls: equal components by method")


def draw_agreement(tally: AgreementTally, experiment: Experiment, settled: bool) -> None:
    if tally.samples == 0:
        return
    takeaway = agreement_claim(tally, experiment) if settled else None
    st.caption(
        f"Share of components with equal values, {experiment.evaluation} in {experiment.dtype}: the darker, the "
        "more. A violet edge: different in some component. `summed-output` is the same pass as `backward()`."
    )
    draw_chart(
        "agreement", charts.agreement(), agreement.tables(tally), "Heat map of methods against methods", takeaway
    )
    st.markdown("Equal in every component so far:")
    st.markdown(bit_classes(tally))


def draw_scaling(tally: ScalingTally, experiment: Experiment, settled: bool) -> None:
    st.caption(
        f"{SAMPLES} samples at each point, a network each. Both axes are logarithmic; the dashed lines grow as √n and "
        "as n. In ulps, cancellation makes the growth uneven."
    )
    data = scaling.tables(tally)
    for quantity in (UNITS, ULPS):
        for column, sweep in zip(st.columns(3), SWEEPS, strict=True):
            drawn = charts.growth(sweep, quantity)
            if any(len(data[name]) for name in drawn.tables):
                with column:
                    draw_chart(f"{sweep} {quantity}", drawn, data, f"Curve of the discrepancy, {quantity}, by {sweep}")
