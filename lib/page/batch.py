"""Why does the batch change it? Each sample alone against the same sample as a row of a batch."""

import streamlit as st

from lib.batch.arrangements import SIZES
from lib.batch.example import Example, example
from lib.batch.find_example import another, first_example
from lib.batch.opening import opening
from lib.batch.sentences import BUG, EXAMPLE, HEADLINE, REASON, REMEDY, RIGHT, WHY, Facts
from lib.batch.stairs import shares
from lib.batch.study import Batch, BatchTally
from lib.batch.tables import closer, conditions, orders
from lib.display.sentences import said
from lib.experiment.query import Experiment
from lib.page import acts, batch_picks, ghost
from lib.page.elements import Card, keep_place, show_cards, show_environment, show_table, unfold
from lib.page.frame import MORE, NETWORK, open_tab
from lib.page.live import Live, follow
from lib.page.picture import draw_picture
from lib.page.shared import ask, share

PICTURE = "batch"

state = st.session_state


def show() -> None:
    state.pop("batch picked", None)  # this run of the whole page is the one that the pick waits for
    of_gradient = ("gradient", "method", "step") if state.gradient == "method" else ("gradient",)
    more = (*of_gradient, *(name for name in MORE if name not in ("evaluation", "step")))
    opening = open_tab(*NETWORK, batch_picks.show_size, study="batch", more=more, follow=batch_picks.follow)
    experiment = opening.experiment
    part = Live(Batch, claim, draw, draw_first=draw_first, draw_seldom=draw_sections, why=why)
    follow(part, experiment, opening)
    if part.arriving:
        return
    unfold("In which orders does this machine add?", "batch_orders", show_orders, experiment)
    unfold("Why? And what to do", "batch_why", show_why, experiment)


def claim(tally: BatchTally, experiment: Experiment) -> str:
    return said(HEADLINE, Facts.of(tally, experiment, batch_picks.size()))


def why(tally: BatchTally, experiment: Experiment) -> str:
    return said(REASON, Facts.of(tally, experiment, batch_picks.size()))


def draw_first(tally: BatchTally, experiment: Experiment, settled: bool) -> None:
    """Draw the picture alone, as the page arrives. What it waits for is said below it, so that nothing shifts."""
    with st.container(gap="xsmall"):  # as in `draw`: elsewhere on the page the picture would be another element
        picture = st.container(key="picture_of_batches")
        keep_place(picture)
        with st.container(key="under_batches"):
            shown = current(experiment, settled)
        with picture:
            draw_orders(tally, experiment, shown)


def draw(tally: BatchTally, experiment: Experiment, settled: bool) -> None:
    if state.pop("batch picked", False):
        st.rerun()  # the control of the size lies outside, and the link is written there
    with st.container(gap="xsmall"):
        picture = st.container(key="picture_of_batches")
        keep_place(picture)
        with st.container(key="under_batches", horizontal=True, vertical_alignment="center"):
            with st.container(width="stretch"):
                shown = current(experiment, settled)
                if shown:
                    st.markdown(said(EXAMPLE, shown))
            st.button(
                "Another",
                key="another in a batch",
                on_click=look_for_another,
                args=(experiment, shown),
                disabled=shown is None,
                help="The next component that a batch of this size changes",
                icon=":material/casino:",
                width=130,
            )
        take_another(experiment, settled)
        with picture:
            draw_orders(tally, experiment, shown)


def draw_orders(tally: BatchTally, experiment: Experiment, shown: Example | None) -> None:
    former = ghost.of(PICTURE, experiment, shares(tally) if tally.samples else None)
    data = opening(tally, batch_picks.size(), shown, former and (former.name, former.data))
    draw_picture(PICTURE, data, key="batch_picture", on_pick_change=keep_size)


def draw_sections(tally: BatchTally, experiment: Experiment, settled: bool) -> None:
    """Draw what changes less often than the picture."""
    facts = Facts.of(tally, experiment, batch_picks.size())
    show_cards(
        [
            Card("Is it a bug?", said(BUG, facts), "Why, and what to do", "batch_why"),
            Card("Which one is right?", said(RIGHT, facts), "Who is closer, size by size", "batch_closer"),
            Card("What do I do?", said(REMEDY, facts), "What else matters", "batch_conditions"),
        ]
    )
    unfold("Who is closer, size by size?", "batch_closer", show_closer, tally, experiment, settled)
    unfold(
        "The row's place, its neighbours, a slice: what else matters?",
        "batch_conditions",
        show_conditions,
        tally,
        experiment,
        settled,
    )


def show_closer(tally: BatchTally, experiment: Experiment, settled: bool) -> None:
    share((experiment.query, tally.samples, settled), draw_closer, tally)
    show_environment(experiment)


def draw_closer(tally: BatchTally) -> None:
    st.caption("Each cell: the share of the components judged, by which side is closer to the exact value.")
    show_table(closer(tally), "Table of which side is closer to the exact value, by batch size")


def show_conditions(tally: BatchTally, experiment: Experiment, settled: bool) -> None:
    share((experiment.query, tally.samples, settled), draw_conditions, tally)


def draw_conditions(tally: BatchTally) -> None:
    st.caption("Each cell: the share of outputs, and of the gradient's components, whose bits this changes.")
    show_table(conditions(tally), "Table of the components that each condition changes, by batch size")


def show_orders(experiment: Experiment) -> None:
    size = batch_picks.size()
    found = ask("The orders are", (experiment, size), orders, experiment, size, settled=True)
    if found is None:
        return
    st.caption(
        f"Alone and in batches of {size}. Brackets show what is added first; a dot marks a product that is fused into "
        "its addition, a tilde a sum that is rounded to 16 bits."
    )
    st.dataframe(found, hide_index=True, alt="Table of the orders in which the layers add")


def show_why(experiment: Experiment) -> None:
    st.markdown(WHY.markdown)


def current(experiment: Experiment, settled: bool) -> Example | None:
    """Return the component that is picked, or a first example; None as long as the worker has not computed it."""
    size = batch_picks.size()
    place = batch_picks.place() or ask(
        "An example is", (experiment, size), first_example, experiment, size, settled=settled
    )
    if place is None:
        return None
    return ask("The component is", (experiment, size), example, experiment, place, settled=settled)


def keep_size() -> None:
    """Take the size that was picked on the staircase."""
    picked = state.batch_picture.get("pick")
    if picked in SIZES and type(picked) is int:  # whatever a browser sends
        acts.show("batch", picked)
        state["batch picked"] = True


def look_for_another(experiment: Experiment, shown: Example) -> None:
    state["batch search"] = experiment, shown.place


def take_another(experiment: Experiment, settled: bool) -> None:
    """Pick the next component that changes, as soon as the worker has found it."""
    question = state.get("batch search")
    if question is None:
        return
    if question[0] != experiment or question[1].size != batch_picks.size():
        del state["batch search"]
        return
    found = ask("Another one is", question, another, *question, settled=settled)
    if found is None:
        return
    del state["batch search"]
    if found == question[1]:
        st.toast("No other component that changes was found.")
        return
    batch_picks.choose(found)
    st.rerun()  # the link is written by a run of the whole page
