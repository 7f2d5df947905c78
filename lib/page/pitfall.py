"""The tab *Why are all rows the same?*: the rows that merge, two populations of errors, the fixes and their costs."""

from typing import Any

import streamlit as st

from lib.experiment.query import LAYERS
from lib.floats.quantities import counted
from lib.floats.sentences import said
from lib.page import live
from lib.page.elements import draw_chart, show_table
from lib.page.live import Live, Seen
from lib.page.runs import ask, runs
from lib.page.session import session
from lib.page.tab import Section, Tab
from lib.pitfall.costs import COSTS as TIMED
from lib.pitfall.costs import FASTEST, Costs, findings, readable, subject, summary, time_chart, times
from lib.pitfall.fixes import ATTEMPTS, fix_rows
from lib.pitfall.populations import bars, picture
from lib.pitfall.sentences import FIX, HEADLINE, NOTICE, REASON, ROUNDING, WHY, facts
from lib.pitfall.study import Pitfall, attempts

KEY = "pitfall"
SENTENCE = (
    *("One call of `grad` for all rows of a", LAYERS, "network of", "activation", "in", "dtype", "on", "device"),
    *("with", "samples", "random x"),
)
MORE = ("output_activation", "method", "evaluation", "distribution", "networks", "matmul", "seed")


def message(seen: Seen) -> dict[str, Any]:
    tally, experiment = seen.tally, seen.experiment
    found = facts(tally, experiment)
    cards = [
        ["Is it rounding?", said(ROUNDING, found), "", ""],
        ["What is the fix?", said(FIX, found), "fixes", "See every fix run"],
        ["How do I notice?", said(NOTICE, found), "", ""],
    ]
    return {
        "claim": said(HEADLINE, found),
        "why": said(REASON, found),
        "drawing": picture(tally, experiment, session().ghost(KEY, experiment, bars(tally, experiment) or None)),
        # With one output nothing is wrong, and there is nothing to fix.
        "cards": [card for card in cards if card[1] or found.several],
    }


def show_fixes(seen: Seen) -> None:
    """Show what every attempt gives on the sample that the visitor picks, by default the worst so far."""
    experiment = seen.experiment
    picked = st.number_input(
        "Sample", 0, experiment.samples - 1, None, 1, key="look_at", placeholder="the worst so far", bind="query-params"
    )
    number = picked if picked is not None else seen.tally.worst_number(experiment)
    outcomes = ask(attempts, experiment, number)
    if outcomes is None:
        return
    st.markdown(f"Every attempt, run on sample {number}. The same letter means equal values in every entry.")
    show_table(fix_rows(outcomes), "Table of the attempts and what each gave")
    with st.expander("The lines of each attempt"):
        st.code("\n\n".join(f"# {name}\n{code}" for name, code in ATTEMPTS.items()), language="python")
    st.markdown(WHY.markdown)


def show_costs(seen: Seen) -> None:
    live.show(COSTS, subject(seen.experiment))


def _cost_message(seen: Seen) -> dict[str, object]:
    return {"claim": said(FASTEST, findings(summary(seen.tally), seen.experiment))}


def _draw_costs(seen: Seen) -> None:
    costs, outputs = summary(seen.tally), seen.experiment.outputs
    bars = times(costs, outputs)
    if bars.empty:  # A chart that begins without bars never tells a screen reader of those that come.
        return
    st.markdown(said(TIMED, findings(costs, seen.experiment)))
    alt = f"Bars of the time of one Jacobian by each method, with {counted(outputs, 'output')}."
    draw_chart("time", time_chart(), {"time": bars}, alt)
    st.caption("The bar is the median of a method's timings, the line across its end their middle half. By outputs:")
    st.dataframe(readable(costs), alt="Table of the median times by method and number of outputs")
    if seen.over:
        st.button("Measure again", on_click=runs().forget, args=(Costs, seen.experiment))


COSTS = Live("costs", Costs, _cost_message, unit="turns", below=_draw_costs)
PART = Live(KEY, Pitfall, message, "pitfall", room=647, own=("rows all the same", "Check my matrix"))
TAB = Tab(
    PART,
    SENTENCE,
    MORE,
    (Section("What fixes it? Every attempt, run on one sample", "fixes", show_fixes),),
    (Section("What does each method cost?", "costs", show_costs),),
)
