"""The tab *Why does the batch change it?*, from top to bottom.

`follow` starts a run or reads its state, and `tick` makes the fragment run again until the run is
finished or paused. `ask` calls a function on the thread of the runs: see `lib.page.follow`.
"""

import re
from functools import partial

import streamlit as st

from lib.batch import sentences
from lib.batch.arrangements import DEFAULT_SIZE, SIZES, Pick, is_compared
from lib.batch.drawing import BatchDrawing, batch_drawing
from lib.batch.example import example
from lib.batch.find_example import first_example, next_pick
from lib.batch.sizes import changed_by_size, sizes_chart
from lib.batch.study import Batch
from lib.experiment.query import Experiment
from lib.floats.sentences import said
from lib.page import controls
from lib.page.charts import draw_chart, show_table
from lib.page.drawings import draw
from lib.page.follow import ask, follow, show_progress, tick
from lib.page.link import number_or_remove
from lib.page.shared import show_presets, show_section, show_share, show_verdict

COMPONENT = re.compile(r"(output|gradient)-([0-9]{1,3})")
"""A component in the address, such as "gradient-3"."""

SENTENCE = ("Each sample alone and in a batch, through a", *controls.NETWORK)
MORE = (
    "output_activation",
    "gradient",
    "method",
    "distribution",
    "networks",
    "matmul",
    "step",
    "seed",
)


def show() -> None:
    experiment = controls.show("batch", SENTENCE, MORE)
    if experiment is None:
        return
    size = choose_size()
    left, right = st.columns([9, 11], gap="large")
    with left:
        show_measured(experiment, size)
    with right:
        show_example(experiment, size)
        show_presets("batch", experiment)
        show_share("batch", experiment)
    show_section(
        "Why, what else changes results, and what to do?",
        "batch_why",
        partial(show_why, experiment),
    )


def choose_size() -> int:
    """Draw a slider for the batch size, and return the chosen one."""
    with st.container(horizontal=True, vertical_alignment="center"):
        # The label is beside the slider: above it, it would arrive late and shift the page.
        st.markdown("Samples in a batch", width="content")
        size = st.select_slider(
            "Samples in a batch",
            SIZES,
            DEFAULT_SIZE,
            key="batch",
            label_visibility="collapsed",
            **controls.BOUND,
        )
    # A hostile browser may send anything.
    return size if size in SIZES else DEFAULT_SIZE


@st.fragment
def show_measured(experiment: Experiment, size: int) -> None:
    """Draw how many results change their values, by batch size, while the run goes on.

    Args:
        experiment: the experiment.
        size: the batch size of the drawing.
    """
    chosen = st.session_state["batch"]
    if chosen in SIZES and chosen != size:
        # The slider and the drawing are outside this fragment.
        st.rerun()
    run = follow(Batch, experiment)
    facts = sentences.facts(run.tally, experiment, size)
    st.header(said(sentences.HEADLINE, facts), anchor=False)
    st.markdown(said(sentences.REASON, facts))
    show_progress(run)
    alt = "Points: the share of outputs and of the gradient's components that change, by batch size"
    data = {"sizes": changed_by_size(run.tally, size)}
    draw_chart("sizes", sizes_chart(), data, alt, pick_size)
    show_verdict(facts.verdict)
    tick("measured", run)


def pick_size(selected: object) -> None:
    # A browser may send anything.
    match selected:
        case [{"size": size}] if size in SIZES:
            st.session_state["batch"] = size


def show_example(experiment: Experiment, size: int) -> None:
    """Draw one sum in both orders, and both results."""
    pick = checked_pick(experiment, size) or ask(first_example, experiment, size)
    draw("batch", ask(example_drawing, experiment, pick), height=490)
    st.button("Another example", on_click=pick_next, args=(experiment, pick))


def example_drawing(experiment: Experiment, pick: Pick) -> BatchDrawing:
    """Return the drawing of a component. `ask` lets the worker call this function."""
    return batch_drawing(example(experiment, pick))


def checked_pick(experiment: Experiment, size: int) -> Pick | None:
    """Return the picked component from the address.

    It is None if nothing is picked, or if the study does not compare it in batches of this size. A
    sample that is not valid is removed from the address.
    """
    sample = number_or_remove("batch_sample", experiment.samples - 1)
    match = COMPONENT.fullmatch(st.query_params.get("batch_component", ""))
    if match is None or sample is None:
        return None
    pick = Pick(size, sample, match[1], int(match[2]))
    return pick if is_compared(experiment, pick) else None


def pick_next(experiment: Experiment, pick: Pick) -> None:
    following = ask(next_pick, experiment, pick)
    component = f"{following.quantity}-{following.component}"
    st.query_params.update({"batch_sample": str(following.sample), "batch_component": component})


@st.fragment
def show_why(experiment: Experiment) -> None:
    """Draw why the batch size matters, and how many results other conditions change."""
    run = follow(Batch, experiment)
    st.markdown(sentences.WHY)
    st.caption(
        "The share of outputs and gradient components that change in each case, by batch size:"
    )
    table = sentences.conditions(run.tally)
    show_table(table, "Table of the components that each condition changes, by batch size")
    tick("why", run)
