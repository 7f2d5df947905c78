"""The tab *Why are all rows the same?*, from top to bottom.

`follow` starts a run or reads its state, and `tick` makes the fragment run again until the run is
finished or paused. `ask` calls a function on the thread of the runs: see `lib.page.follow`.
"""

import re
from functools import partial

import streamlit as st

from lib.experiment.query import Experiment
from lib.floats.quantities import counted
from lib.floats.sentences import said
from lib.page import controls, link
from lib.page.charts import draw_chart
from lib.page.drawings import draw
from lib.page.follow import ask, follow, show_progress, tick
from lib.page.shared import show_answers, show_presets, show_section, show_share
from lib.pitfall import sentences
from lib.pitfall.costs import measure, time_chart
from lib.pitfall.fixes import EXAMPLE_X, attempts, with_results
from lib.pitfall.merging import FURTHEST, drawings, first_sample
from lib.pitfall.populations import axis_ends, medians, names, populations, populations_chart
from lib.pitfall.study import Pitfall

SENTENCE = ("One call of `grad` for all Jacobian rows of a", *controls.NETWORK)
MORE = ("output_activation", "method", "evaluation", "distribution", "networks", "matmul", "seed")


def show() -> None:
    experiment = controls.show("pitfall", SENTENCE, MORE)
    if experiment is None:
        return
    method = controls.value_of("method")
    if method != experiment.method:
        st.caption(f"This tab uses `{experiment.method}` instead of `{method}`.")
    left, right = st.columns([9, 11], gap="large")
    with left:
        show_measured(experiment)
    with right:
        merging = drawings(ask(first_sample, experiment), experiment, example_x())
        draw("pitfall", merging, height=550, on_pick=pick_x)
        show_presets("pitfall", experiment)
        show_share("pitfall", experiment)
    # With one output nothing is wrong, and there is nothing to fix.
    if experiment.outputs > 1:
        show_section(
            "What fixes it? Every attempt, run on the first sample",
            "fixes",
            partial(show_fixes, experiment),
        )
    show_section(
        "For specialists: what does each method cost?", "costs", partial(show_costs, experiment)
    )


def example_x() -> tuple[int, int]:
    """Return the x of the small example: the one in the address, or else the default."""
    # One digit each: `FURTHEST` is 9.
    chosen = re.fullmatch("(-?[0-9]) (-?[0-9])", st.query_params.get("example_x", ""))
    return (int(chosen[1]), int(chosen[2])) if chosen else EXAMPLE_X


def pick_x(x: object) -> None:
    """Write the x of the small example to the address, or remove the key if x is not valid."""
    link.remove("example_x")
    # A browser may send anything.
    match x:
        case [int(first), int(second)] if max(abs(first), abs(second)) <= FURTHEST:
            # True is an int too: `:d` writes it as 1.
            st.query_params["example_x"] = f"{first:d} {second:d}"


@st.fragment
def show_measured(experiment: Experiment) -> None:
    """Draw whether all rows are the sum, and their errors, while the run goes on."""
    run = follow(Pitfall, experiment)
    facts = sentences.facts(run.tally, experiment)
    st.header(said(sentences.HEADLINE, facts), anchor=False)
    st.markdown(said(sentences.REASON, facts))
    show_progress(run)
    chart = populations_chart(axis_ends(run.tally, experiment), *names(experiment))
    summary = medians(run.tally, experiment)
    alt = f"Histogram of the errors of the entries. {summary}"
    data = {"populations": populations(run.tally, experiment)}
    draw_chart("populations", chart, data, alt)
    st.caption(summary or "So far no exact value is known.")
    show_answers(
        {
            "Is it rounding?": said(sentences.ROUNDING, facts),
            "What is the fix?": said(sentences.FIX, facts),
            "How do I notice?": said(sentences.NOTICE, facts),
        }
    )
    tick("measured", run)


def show_fixes(experiment: Experiment) -> None:
    """Draw the results and the code of all attempts at the first sample."""
    st.code(with_results(ask(attempts, experiment)), language="python", wrap_lines=True)
    st.markdown(sentences.WHY)


def show_costs(experiment: Experiment) -> None:
    """Draw the time that each method takes for one Jacobian."""
    times = ask(measure, experiment)
    outputs = counted(experiment.outputs, "output")
    alt = f"Points: the time of one Jacobian by each method, with {outputs}."
    draw_chart("time", time_chart(), {"time": times}, alt)
    st.caption("The shortest of several timings of each method on this machine.")
