"""The tab *Why do they differ?*: the claim, one component as a picture, three cards, and the sections that open."""

import streamlit as st

from lib.discrepancy.card_sentences import bug_card, remedy_card, right_card
from lib.discrepancy.head_sentences import headline, why_in_short
from lib.discrepancy.study import Discrepancy, DiscrepancyTally
from lib.experiment.query import Experiment
from lib.page import component, distances, picks, remedies, replay, variations, verdict
from lib.page.elements import Card, show_cards, unfold
from lib.page.frame import MORE, NETWORK, open_tab
from lib.page.live import Live, follow


def show() -> None:
    opening = open_tab(*NETWORK, "method", study="discrepancy", more=MORE, follow=picks.follow)
    experiment = opening.experiment
    part = Live(Discrepancy, headline, draw, draw_first=draw_first, draw_seldom=draw_sections, why=why)
    follow(part, experiment, opening)
    if part.arriving:
        return
    remedies.show(experiment)
    variations.show(experiment)


def why(tally: DiscrepancyTally, experiment: Experiment) -> str:
    return why_in_short(experiment)


def draw_first(tally: DiscrepancyTally, experiment: Experiment, settled: bool) -> None:
    with st.container(gap="xsmall"):  # as in `draw`: elsewhere on the page the picture would be another element
        component.show_first(tally, experiment, settled)


def draw(tally: DiscrepancyTally, experiment: Experiment, settled: bool) -> None:
    with st.container(gap="xsmall"):
        component.show(tally, experiment, settled)


def draw_sections(tally: DiscrepancyTally, experiment: Experiment, settled: bool) -> None:
    """Draw what changes less often than the picture; each element costs a message whenever it is drawn."""
    show_cards(
        [
            Card("Which one is right?", right_card(tally.verdict, experiment), "Who is closer", "right"),
            Card("Is it a bug?", bug_card(tally.verdict, experiment), "What rounding can do", "bug"),
            Card("How do I make it go away?", remedy_card(tally.verdict, experiment), "Try each remedy", "remedies"),
        ]
    )
    unfold("Which one is right?", "right", verdict.show_closer, tally.verdict, experiment, settled)
    unfold("Is it a bug?", "bug", verdict.show_bound, tally.verdict, experiment, settled)
    unfold("How far apart, and why so many floats?", "apart", distances.show, tally, experiment, settled)
    unfold("All operations", "operations", replay.show, tally, experiment, settled)
