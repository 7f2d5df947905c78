"""What one Jacobian costs by each method as the number of outputs grows, measured when the section is opened."""

import streamlit as st

from lib.experiment.query import Experiment
from lib.page.elements import draw_chart, unfold
from lib.page.live import Live, follow
from lib.page.shared import runs
from lib.pitfall import charts
from lib.pitfall.cost_sentences import cost_claim, cost_spread, vmap_claim
from lib.pitfall.cost_tables import FAMILIES, readable, tables
from lib.pitfall.costs import Costs, CostTally, sizes, subject, summary


def show(experiment: Experiment) -> None:
    part = Live(Costs, claim, draw, "turns")
    label = "What does each method cost? Time and memory of one Jacobian, measured here and now"
    unfold(label, "costs", follow, part, subject(experiment))


def claim(tally: CostTally, experiment: Experiment) -> str:
    return cost_claim(summary(tally), experiment)


def draw(tally: CostTally, experiment: Experiment, settled: bool) -> None:
    costs = summary(tally)
    if not costs:
        return
    st.markdown(vmap_claim(costs))
    st.caption(cost_spread(costs))
    data = tables(costs, sizes(experiment))
    takeaway = claim(tally, experiment) if settled else None
    draw_chart(
        "time", charts.time(), data, "Curves of the time by the number of outputs, one for each method", takeaway
    )
    draw_chart(
        "memory", charts.memory(), data, "Curves of the peak memory by the number of outputs, one for each method"
    )
    st.caption(
        "Both axes are logarithmic. Methods with the same dashes cost alike; violet ones do not return the rows: "
        + "; ".join(f"{family} ({', '.join(methods)})" for family, methods in FAMILIES.items())
        + "."
    )
    with st.expander("All figures"):
        st.markdown("Median time of one Jacobian, by method and number of outputs")
        st.dataframe(readable(costs, "seconds"), alt="Table of the median times")
        st.markdown("Peak memory")
        st.dataframe(readable(costs, "peak"), alt="Table of the peak memory")
    if settled:
        st.button("Measure again", on_click=runs().forget, args=(Costs, experiment))
