"""The tab *Why do they differ?*: one component as a picture, how often, and what opens below."""

from dataclasses import replace
from typing import Any

import streamlit as st

from lib.discrepancy import charts, rounding_units, sentences
from lib.discrepancy.component import Component, component_of
from lib.discrepancy.opening import opening, shares
from lib.discrepancy.picks import WORST, first_component, next_component, sample_and_component
from lib.discrepancy.rounding_units import RoundingUnits
from lib.discrepancy.small_example import small_example
from lib.discrepancy.study import BARS, Discrepancy, DiscrepancyTally
from lib.experiment.methods import METHODS
from lib.experiment.query import FIELDS, LAYERS, Experiment
from lib.experiment.studies import STUDIES
from lib.floats.quantities import counted
from lib.floats.sentences import said
from lib.page import link, live, variations
from lib.page.elements import draw_chart
from lib.page.live import Act, Live, Seen
from lib.page.runs import AT_REST, ask, runs
from lib.page.session import session
from lib.page.tab import Section, Tab
from lib.replay import operations
from lib.replay.operations import FIRST_DIVERGENCE, OTHER_METHOD, VERIFIED, tables

KEY = "discrepancy"
SENTENCE = (
    *("`backward()` against", "method", "for a", LAYERS, "network of", "activation", "in", "dtype", "on", "device"),
    *("with", "samples", "random x"),
)
MORE = ("output_activation", "evaluation", "distribution", "networks", "matmul", "step", "seed")
PLAIN = STUDIES[KEY].of(Experiment())
"""The experiment of a page that nobody has changed: it opens with the small example."""

PICKS: link.Picks = {
    "trace_sample": lambda text, of: link.number(text, of.samples - 1),
    "trace_component": lambda text, of: link.number(text, of.inputs - 1),
    "worst_by": lambda text, of: WORST.get(text),
}


def message(seen: Seen) -> dict[str, Any]:
    tally, experiment = seen.tally, seen.experiment
    shown, facts = current(seen), sentences.facts(tally, experiment)
    ghost = session().ghost(KEY, experiment, shares(tally) if tally.finite else None)
    single = METHODS[experiment.method].gives == "sums" and facts.state.another
    pitfall = ("pitfall", STUDIES["pitfall"].label) if single else ("bug", "What rounding can do")
    claim, complete = said(sentences.HEADLINE, facts), tally.samples == experiment.samples
    drawing = opening(experiment, tally, shown, ghost) | {
        "claim": claim,
        "small": small_example(),
        "first": experiment == PLAIN and not session().picks.get(KEY),
        "whole": complete,
    }
    return {
        "claim": claim,
        "why": said(sentences.REASON, facts),
        "told": said(sentences.ENDS, shown) if shown else "",
        "another": shown is not None,
        "drawing": drawing,
        "cards": [
            ["Which one is right?", facts.cards.right, "right", "Who is closer"],
            ["Is it a bug?", facts.cards.bug, *pitfall],
            ["How do I make it go away?", facts.cards.remedy, "remedies", "Try each remedy"],
        ],
    }


def place(seen: Seen) -> tuple[int, int] | None:
    """Return the sample and the component that are picked, or else a first example; None until that is known."""
    pick, experiment = session().picks.get(KEY, {}), seen.experiment
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
        session().picks[KEY] = dict(zip(PICKS, map(str, component), strict=False))


def take_bar(tally: DiscrepancyTally, experiment: Experiment, bar: Any) -> None:
    found = tally.first_places.places.get(bar) if type(bar) is int and bar in BARS else None  # whatever a browser sends
    choose(sample_and_component(experiment, found) if found else None)


def take_component(tally: DiscrepancyTally, experiment: Experiment, number: Any) -> None:
    at = place(Seen(tally, experiment, True, session()))
    if at and type(number) is int and number in range(experiment.inputs):
        choose((at[0], number))


def take_another(tally: DiscrepancyTally, experiment: Experiment, _: object) -> None:
    at = place(Seen(tally, experiment, True, session()))
    choose(at and ask(next_component, experiment, *at, patience=AT_REST))


def show_closer(seen: Seen) -> None:
    tally, facts = seen.tally.verdict, sentences.facts(seen.tally, seen.experiment)
    if tally.referenced:
        left, right = st.columns(2, gap="large")
        with left:
            st.markdown("**Who is closer** to the exact gradient of the rounded weights and the rounded input?")
            alt = f"Bars of who is closer: {facts.cards.right}"
            draw_chart("closer", charts.closer(), tally.tables(), alt)
        with right:
            st.markdown(said(sentences.LEAN, facts))
            st.caption(said(sentences.REFERENCE, facts))


def show_bound(seen: Seen) -> None:
    live.show(UNITS, seen.experiment)
    st.markdown(said(sentences.BOUND, sentences.facts(seen.tally, seen.experiment)))


def _draw_units(seen: Seen) -> None:
    st.markdown("**How far off are both, and how far apart?**")
    st.caption("In rounding units, which cancellation cannot inflate; zeros on the left. Heights are square roots.")
    alt = "Histogram of errors and discrepancy in rounding units, and the bound."
    draw_chart("units", charts.units(), rounding_units.tables(seen.tally), alt)


def show_operations(seen: Seen) -> None:
    example = current(seen)
    if example is None:
        return
    found = example.replay
    of_it = operations.facts(found)
    same = found.verified and found.backward_result == found.jacobian_result
    claim = f"In {of_it.place} both give `{of_it.backward}`." if same else said(FIRST_DIVERGENCE, of_it)
    st.markdown(f"**{claim}** {said(OTHER_METHOD, of_it)}")
    if found.verified:
        st.caption(said(VERIFIED, of_it))
        names = "`backward()`", f"`{METHODS[found.replayed].label}`, its rows and their sum"
        for name, table in zip(names, tables(found).values(), strict=True):
            st.markdown(f"{name}: {counted(len(table), 'operation')}")
            st.dataframe(table, hide_index=True, alt=f"Table of the operations of {name}")


UNITS = Live("units", RoundingUnits, lambda seen: {"claim": said(sentences.WITHIN, seen.tally)}, below=_draw_units)


def take_more(tally: DiscrepancyTally, experiment: Experiment, _: object) -> None:
    more = replace(experiment, samples=min(10 * experiment.samples, FIELDS["samples"].limits[1]))
    runs().go_on(Discrepancy, experiment, more)
    st.session_state["samples"] = more.samples


ACTS: dict[str, Act] = {"pick": take_bar, "component": take_component, "another": take_another, "more": take_more}
PART = Live(KEY, Discrepancy, message, "opening", acts=ACTS, room=722, own=("two numbers differ", "Check my numbers"))
TAB = Tab(
    PART,
    SENTENCE,
    MORE,
    (
        Section("Which one is right?", "right", show_closer),
        Section("Is it a bug?", "bug", show_bound),
        Section("How do I make it go away?", "remedies", variations.show_remedies),
    ),
    (
        Section("All operations", "operations", show_operations),
        Section("Does it shrink with eps? The four dtypes", "ladder", variations.show_ladder),
        Section("For specialists", "specialists", variations.show_specialists),
    ),
    PICKS,
    about=lambda experiment: replace(experiment, samples=1),  # more of them leave what was picked
)
