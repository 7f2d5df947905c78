"""The tab *Why does the batch change it?*: the same sum in two orders, the staircase of sizes, what else matters."""

import re
from typing import Any

import streamlit as st

from lib.batch.arrangements import SIZES, Pick, is_compared
from lib.batch.example import Example, example
from lib.batch.find_example import another, kept_example
from lib.batch.findings import HEADLINE, REASON, REMEDY, WHY, conditions, facts
from lib.batch.opening import opening, shares
from lib.batch.study import Batch, BatchTally
from lib.experiment.query import LAYERS, Experiment
from lib.floats.sentences import said
from lib.page import controls, link
from lib.page.elements import show_table
from lib.page.live import Act, Live, Seen
from lib.page.runs import AT_REST, ask
from lib.page.session import session
from lib.page.tab import Section, Tab

KEY = "batch"
DEFAULT_SIZE = 4
COMPONENT = re.compile(r"(output|gradient)-([0-9]{1,3})")
PICKS: link.Picks = {
    "batch_sample": lambda text, of: link.number(text, of.samples - 1),
    "batch_component": lambda text, of: COMPONENT.fullmatch(text),
}


def size() -> int:
    found = st.session_state.get("batch", link.number(st.query_params.get("batch"), max(SIZES)))
    return found if found in SIZES else DEFAULT_SIZE


def show_size() -> None:
    st.radio("Samples computed together", SIZES, SIZES.index(DEFAULT_SIZE), key="batch", **controls.BOUND)


SENTENCE = (
    *("Each sample alone and in a batch of", controls.Extra("size", lambda: str(size()), show_size)),
    *("through a", LAYERS, "network of", "activation", "in", "dtype", "on", "device", "with", "samples", "random x"),
)
MORE = ("output_activation", "gradient", "method", "distribution", "networks", "matmul", "step", "seed")


def message(seen: Seen) -> dict[str, Any]:
    tally, experiment, of = seen.tally, seen.experiment, size()
    shown = current(seen)
    ghost = session().ghost(KEY, experiment, shares(tally) if tally.samples else None)
    found = facts(tally, experiment, of)
    return {
        "claim": said(HEADLINE, found),
        "why": said(REASON, found),
        "drawing": opening(tally, of, shown, ghost),
        "cards": [
            ["Is it a bug?", found.cards.bug, "batch_why", "Why, and what to do"],
            ["Which one is right?", found.cards.right, "", ""],
            ["What do I do?", said(REMEDY, found), "batch_conditions", "What else matters"],
        ],
    }


def picked(experiment: Experiment) -> Pick | None:
    """Return the component that is picked, None if none is, or one that is not compared in batches of this size."""
    pick = session().picks.get(KEY, {})
    sample = link.number(pick.get("batch_sample"), experiment.samples - 1)
    found = COMPONENT.fullmatch(pick.get("batch_component", ""))
    place = Pick(size(), sample, found[1], int(found[2])) if found and sample is not None else None
    return place if place and is_compared(experiment, place) else None


def current(seen: Seen) -> Example | None:
    place = picked(seen.experiment) or ask(kept_example, seen.experiment, size(), DEFAULT_SIZE, patience=seen.patience)
    return None if place is None else ask(example, seen.experiment, place, patience=seen.patience)


def take_size(tally: BatchTally, experiment: Experiment, chosen: object) -> None:
    if type(chosen) is int and chosen in SIZES:  # whatever a browser sends
        st.session_state["batch"] = chosen


def take_another(tally: BatchTally, experiment: Experiment, _: object) -> None:
    place = picked(experiment) or ask(kept_example, experiment, size(), DEFAULT_SIZE, patience=AT_REST)
    found = place and ask(another, experiment, place, patience=AT_REST)
    if found:
        session().picks[KEY] = dict(zip(PICKS, (f"{found.sample}", f"{found.quantity}-{found.component}"), strict=True))


def show_conditions(seen: Seen) -> None:
    st.caption("Each cell: the share of outputs, and of the gradient's components, whose bits this changes.")
    show_table(conditions(seen.tally), "Table of the components that each condition changes, by batch size")


ACTS: dict[str, Act] = {"pick": take_size, "another": take_another}
PART = Live(KEY, Batch, message, "batch", acts=ACTS, room=698, own=("differs in a batch", "Check my batch"))
TAB = Tab(
    PART,
    SENTENCE,
    MORE,
    (
        Section("Why? And what to do", "batch_why", lambda seen: st.markdown(WHY.markdown)),
        Section(
            "The row's place, its neighbours, a slice, vmap: what else matters?", "batch_conditions", show_conditions
        ),
    ),
    picks=PICKS,  # another size shows the same sum
)
