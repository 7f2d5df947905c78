"""The tab *Why do they differ?*: one component as a picture, three cards, and the sections that open."""

from typing import Any

import streamlit as st

from lib.discrepancy.component import Component, component_of
from lib.discrepancy.frequencies import BARS, Ghost, growth, shares
from lib.discrepancy.opening import NAMES, opening
from lib.discrepancy.picks import WORST, first_component, next_component, sample_and_component
from lib.discrepancy.sentences import BUG, ENDS, HEADLINE, REASON, REMEDY, RIGHT, Facts
from lib.discrepancy.small_example import small_example
from lib.discrepancy.study import Discrepancy, DiscrepancyTally
from lib.experiment.query import FIELDS, LAYERS, Experiment
from lib.experiment.studies import STUDIES
from lib.floats.sentences import said
from lib.page import controls, link, live, menu
from lib.page.elements import Section, opened, show_open, unfold
from lib.page.live import Act, Live, Seen
from lib.page.runs import AT_REST, ask
from lib.page.session import session

TAB = "discrepancy"
SENTENCE = (
    *("`backward()` against", "method", "for a", LAYERS, "network of", "activation", "in", "dtype", "on", "device"),
    *("with", "samples", "random x"),
)
MORE = ("output_activation", "evaluation", "distribution", "networks", "matmul", "step", "seed")
PLAIN = STUDIES[TAB].of(Experiment())
"""The experiment of a page that nobody has changed: it opens with the small example."""

PICK = ("trace_sample", "trace_component", "worst_by")
"""What is picked, by its keys in the link."""

CARDS = (
    Section("Which one is right?", "right", "verdict.show_closer"),
    Section("Is it a bug?", "bug", "verdict.show_bound"),
    Section("How do I make it go away?", "remedies", "variations.show_remedies"),
)
SECTIONS = (
    Section("All operations", "operations", "operations.show"),
    Section("Does it shrink with eps? The four dtypes", "ladder", "variations.show_ladder"),
    Section("For specialists", "specialists", "variations.show_specialists"),
)


def show() -> None:
    experiment, along = controls.show(TAB, SENTENCE, MORE)
    link.picked(TAB, PICK, experiment)
    opened(CARDS, PART.open_key)
    seen = live.show(PART, experiment)
    menu.fill(TAB, seen, along)
    show_open(CARDS, PART.open_key, seen)
    unfold(SECTIONS, seen)


def message(seen: Seen) -> dict[str, Any]:
    tally, experiment = seen.tally, seen.experiment
    shown, facts = current(seen), Facts.of(tally, experiment)
    former = session().ghost(TAB, experiment, shares(tally) if tally.finite else None)
    claim, complete = said(HEADLINE, facts), tally.samples == experiment.samples
    drawing = opening(experiment, tally, shown, former and Ghost(*former)) | {
        "claim": claim,
        "small": small_example(),
        "first": experiment == PLAIN and not session().picks.get(TAB),
        "growth": (ask(growth, experiment, NAMES, patience=seen.patience) if complete else None) or [],
    }
    return {
        "claim": claim,
        "why": said(REASON, facts),
        "told": said(ENDS, shown) if shown else "",
        "another": shown is not None,
        "drawing": drawing,
        "cards": [
            ["Which one is right?", said(RIGHT, facts), "right", "Who is closer"],
            ["Is it a bug?", said(BUG, facts), "bug", "What rounding can do"],
            ["How do I make it go away?", said(REMEDY, facts), "remedies", "Try each remedy"],
        ],
    }


def place(seen: Seen) -> tuple[int, int] | None:
    """Return the sample and the component that are picked, or else a first example; None until that is known."""
    pick, experiment = session().picks.get(TAB, {}), seen.experiment
    sample = link.number(pick.get("trace_sample"), experiment.samples - 1)
    component = link.number(pick.get("trace_component"), experiment.inputs - 1)
    if pick and (sample is None or component is None):
        worst = WORST.get(pick.get("worst_by", ""), WORST["difference"])(seen.tally).place
        found = sample_and_component(experiment, worst) if worst else (0, 0)
        return (found[0] if sample is None else sample, found[1] if component is None else component)
    return (sample, component) if pick else ask(first_component, experiment, patience=seen.patience)


def first_example(experiment: Experiment) -> Component | None:
    at = ask(first_component, experiment)
    return at and ask(component_of, experiment, *at)


def current(seen: Seen) -> Component | None:
    at = place(seen)
    return at and ask(component_of, seen.experiment, *at, patience=seen.patience)


def choose(component: tuple[int, int] | None) -> None:
    """Pick a component; a run of the whole page puts it into the link."""
    if component:
        session().picks[TAB] = dict(zip(PICK, map(str, component), strict=False))


def take_bar(tally: DiscrepancyTally, experiment: Experiment, bar: Any) -> None:
    found = tally.first_places.places.get(bar) if type(bar) is int and bar in BARS else None  # whatever a browser sends
    choose(sample_and_component(experiment, found) if found else None)


def take_another(tally: DiscrepancyTally, experiment: Experiment, _: object) -> None:
    at = place(Seen(tally, experiment, True, session()))
    choose(at and ask(next_component, experiment, *at, patience=AT_REST))


def take_more(tally: DiscrepancyTally, experiment: Experiment, _: object) -> None:
    st.session_state["samples"] = min(10 * experiment.samples, FIELDS["samples"].limits[1])


ACTS: dict[str, Act] = {"pick": take_bar, "another": take_another, "more": take_more}
PART = Live(TAB, Discrepancy, message, "opening", acts=ACTS, room=746, own=("two numbers differ", "Check my numbers"))
