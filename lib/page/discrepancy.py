"""The tab *Why do they differ?*, from top to bottom.

`follow` starts a run or reads its state, and `tick` makes the fragment run again until the run is
finished or paused. `ask` calls a function on the thread of the runs: see `lib.page.follow`.
"""

from functools import partial

import streamlit as st

from lib.discrepancy import charts, rounding_units, sentences
from lib.discrepancy.component import Component
from lib.discrepancy.drawing import ComponentDrawing, component_and_drawing
from lib.discrepancy.histogram import histogram
from lib.discrepancy.picks import first_component, next_component, sample_and_component
from lib.discrepancy.rounding_units import RoundingUnits
from lib.discrepancy.rows import first_rows
from lib.discrepancy.small_example import small_example
from lib.discrepancy.study import Discrepancy, DiscrepancyTally
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.floats.sentences import said
from lib.page import controls, variations
from lib.page.charts import draw_chart
from lib.page.drawings import draw
from lib.page.follow import ask, follow, show_progress, tick
from lib.page.link import number_or_remove
from lib.page.shared import ROUNDING_UNIT, show_presets, show_section, show_share, show_verdict

# Plain text and the keys of controls.
SENTENCE = ("`backward()` against", "method", "for a", *controls.NETWORK)
MORE = ("output_activation", "evaluation", "distribution", "networks", "matmul", "step", "seed")

BACKWARD_CODE = "y = net(x); y.backward(torch.ones_like(y)); x.grad"
ROWS = "rows"
"""The key of the table of the first samples."""


def show() -> None:
    experiment = controls.show("discrepancy", SENTENCE, MORE)
    if experiment is None:
        return
    pick = checked_pick(experiment) or ask(first_component, experiment)
    component, drawing = ask(component_and_drawing, experiment, *pick)
    left, right = st.columns(2, gap="large")
    with left:
        # No `st.code`: on a phone it grows, and shifts the page, when its highlighter is loaded.
        st.markdown(f"`{BACKWARD_CODE}`  \n`{METHODS[experiment.method].summed}`")
        show_measured(experiment, component)
        show_presets("discrepancy", experiment)
        show_share("discrepancy", experiment)
    with right:
        show_component(experiment, component, drawing)
    show_section("Why does the order matter? Three numbers are enough", "small", show_small_example)
    show_section(
        "How far is each from the exact gradient?", "exact", partial(show_exact, experiment)
    )
    show_section(
        "Does a remedy, another dtype or another method make them equal?",
        "remedies",
        partial(variations.show, experiment),
    )
    show_section(
        "What are the results of the first samples?", "first", partial(show_rows, experiment)
    )


@st.fragment
def show_measured(experiment: Experiment, component: Component) -> None:
    """Draw how many components differ, by how much, and what that means, while the run goes on.

    Args:
        experiment: the experiment.
        component: the component in the drawing.
    """
    run = follow(Discrepancy, experiment)
    tally = run.tally
    if checked_pick(experiment) not in (None, (component.sample, component.number)):
        # Another component was picked, and the right column is outside this fragment.
        st.rerun()
    facts = sentences.facts(tally, experiment)
    st.header(said(sentences.HEADLINE, facts), anchor=False)
    st.markdown(said(sentences.REASON, facts))
    show_progress(run)
    show_histogram(experiment, tally, component.ulps)
    show_verdict(facts.verdict)
    tick("measured", run)


def show_histogram(experiment: Experiment, tally: DiscrepancyTally, ulps: int | None) -> None:
    """Draw a histogram of the distances in floats. A press on a bar shows one of its components.

    Args:
        experiment: the experiment.
        tally: the tally of its run.
        ulps: the distance of the component in the drawing, whose bar is marked.
    """

    def pick_bar(selected: object) -> None:
        # A browser may send anything.
        match selected:
            case [{"bar": int() as bar}]:
                if place := tally.first_places.places.get(bar):
                    write_pick(*sample_and_component(experiment, place))

    alt = "Histogram: how many floats apart the two results of each component are"
    draw_chart("histogram", charts.histogram(), {"bars": histogram(tally, ulps)}, alt, pick_bar)


def show_component(experiment: Experiment, component: Component, drawing: ComponentDrawing) -> None:
    """Draw one component: both results, and how each was computed. A press picks another."""
    sample = component.sample
    draw("component", drawing, height=760, on_pick=partial(write_pick, sample))
    in_block = sentences.IN_BLOCK if experiment.evaluation == "batched" else ""
    st.markdown(
        f"Sample {sample:,}, component {component.number}, at `x = {component.x}`. "
        f"{said(sentences.ENDS, component)} {in_block}"
    )
    st.button("Another example", on_click=pick_next, args=(experiment, sample, component.number))


def checked_pick(experiment: Experiment) -> tuple[int, int] | None:
    """Return the picked sample and component from the address, None if nothing is picked.

    If only one of the two is picked, the other is 0. What is not valid is removed from the address.
    """
    sample = number_or_remove("trace_sample", experiment.samples - 1)
    component = number_or_remove("trace_component", experiment.inputs - 1)
    if sample is None and component is None:
        return None
    return sample or 0, component or 0


def write_pick(sample: int, component: object) -> None:
    """Write a pick to the address. A browser may send anything, so `checked_pick` checks it."""
    st.query_params.update({"trace_sample": str(sample), "trace_component": str(component)})


def pick_next(experiment: Experiment, sample: int, component: int) -> None:
    write_pick(*ask(next_component, experiment, sample, component))


@st.fragment
def show_exact(experiment: Experiment) -> None:
    """Draw the errors of both gradients in rounding units, the bound, and which one is closer.

    The histogram comes from `RoundingUnits`, a study that starts when the section is opened, and
    the sentences from the run of the tab.
    """
    run = follow(RoundingUnits, experiment)
    measured = follow(Discrepancy, experiment)
    facts = sentences.facts(measured.tally, experiment)
    st.markdown(
        "The exact gradient is that of the stored weights, inputs and constants, without rounding."
    )
    show_progress(run)
    st.markdown("The errors, in rounding units:", help=ROUNDING_UNIT)
    alt = "Histogram of errors and discrepancy in rounding units."
    draw_chart("units", charts.units(), rounding_units.tables(run.tally), alt)
    st.markdown(said(sentences.BOUND, facts))
    st.markdown(said(sentences.LEAN, facts))
    st.caption(said(sentences.REFERENCE, facts))
    tick("exact", run, measured)


def show_small_example() -> None:
    draw("small_example", small_example(), height=520)


def show_rows(experiment: Experiment) -> None:
    """Draw the first samples as a table. A selected row shows its component in the drawing."""
    table = ask(first_rows, experiment)

    def pick_row() -> None:
        for row in st.session_state[ROWS].selection.rows:
            write_pick(*(int(table[name][row]) for name in ("sample", "component")))

    st.caption("Select a row to see how its two results come about.")
    st.dataframe(
        table,
        hide_index=True,
        key=ROWS,
        on_select=pick_row,
        selection_mode="single-row",
        alt="Table of both results for each component of the first samples",
    )
