"""The tab *Is my derivative right?*, from top to bottom."""

import re
from functools import partial

import streamlit as st
import torch

from lib.derivative import sentences, tables
from lib.derivative.axis import axis_of
from lib.derivative.curve import bin_words, compared, errors_chart, errors_over_x, worst_x
from lib.derivative.explanation import Explanation, at_one_x, example_x, explain
from lib.derivative.sentences import facts_of, facts_of_one
from lib.derivative.study import Derivative
from lib.derivative.tally import DerivativeTally
from lib.derivative.unsafe import UNSAFE, gradients
from lib.experiment.functions import FUNCTIONS, named
from lib.experiment.query import Experiment
from lib.floats.line import shortest
from lib.floats.sentences import plain, said
from lib.page import controls
from lib.page.cards import show_card, show_section
from lib.page.charts import draw_chart, show_table
from lib.page.drawings import draw
from lib.page.follow import ask, follow, runs, show_progress, tick
from lib.page.link import remove
from lib.page.own import show_invitation
from lib.page.share import show_share
from lib.paste.printed import PasteError, read_number


def show_x() -> None:
    st.text_input(
        "x",
        key="explain",
        placeholder="chosen for you",
        help="Decimal or hexadecimal digits, rounded to the dtype. Empty: an x at which the two differ.",
        **controls.BOUND,
    )
    if fault := typed_x()[1]:
        st.markdown(f":red[{plain(fault)}]")


def show_formulas_to_pick() -> None:
    function = str(st.session_state.get("f") or st.session_state.get("function"))
    st.selectbox(
        "Formulas",
        formulas_of(function, str(controls.value_of("df"))),
        None,
        key="formula",
        placeholder="yours, or the first that differs",
        **controls.BOUND,
    )


def formulas_of(function: str, df: str) -> tuple[str, ...]:
    """Return the derivatives by hand that can be compared, the typed one first; none of what cannot be read."""
    try:
        return FUNCTIONS[named(function, df)].formulas
    except ValueError:
        return ()


def formula_word() -> str:
    return str(controls.value_of("formula") or controls.value_of("df") or "a formula by hand")


SENTENCE = (
    *("The derivative of", "function", "in", "dtype", "on", "device", "by autograd against"),
    *(controls.Extra("formula", formula_word, show_formulas_to_pick), "at x ="),
    controls.Extra("x", lambda: str(controls.value_of("explain") or "an example"), show_x),
    *("and at", "samples", "random x"),
)
MORE = ("x_from", "seed")
TYPED = ("f", "df")


def show() -> None:
    experiment = controls.show("derivative", SENTENCE, MORE, TYPED)
    if experiment is None:
        return
    tally = runs().get(Derivative, experiment).tally
    formula = formula_of(tally, experiment)
    found = explained(tally, experiment, formula)
    measured, example = st.columns([6, 5], gap="large")
    with measured:
        show_measured(experiment, formula, found, st.session_state.get("explain"))
    with example:
        show_example(experiment, formula, found)
    show_share("derivative", experiment)
    show_section("NaN, infinite and zero gradients, and how to write them safely", "unsafe", show_unsafe)


@st.fragment
def show_measured(experiment: Experiment, formula: str, found: Explanation, typed: str | None) -> None:
    """Follow the run: how far off autograd and the formula are, over x."""
    run = follow(Derivative, experiment)
    tally = run.tally
    other_formula = run.finished and formula_of(tally, experiment) != formula
    if other_formula or st.session_state.get("explain") != typed:
        st.rerun()  # the sentence and the drawing stand outside of this fragment
    bounds = axis_of(experiment)
    inside = chosen_range(bounds.bins)
    facts = facts_of(tally, formula, experiment, shown=found)
    part = facts_of(tally.within(*inside), formula, experiment, bounds.text(*inside), found)
    st.title(said(sentences.HEADLINE, facts), anchor=False)
    st.markdown(said(sentences.REASON, facts))
    show_progress(run, "x")
    errors = {"errors": errors_over_x(tally, experiment, formula, inside)}

    def pick_bin(selected: list[dict]) -> None:
        place = selected[0].get("bin")
        if type(place) is int and place in range(bounds.bins):
            pick_worst(experiment, tally, formula, place, place + 1)

    draw_chart("errors", errors_chart(bounds), errors, said(sentences.CURVE, facts), pick_bin)
    show_range(experiment, tally, formula)
    digits = partial(show_digits, experiment, formula, found)
    table = partial(show_formulas, experiment, tally, formula)
    show_card("Does it matter?", said(sentences.MATTER, part))
    rule = said(sentences.RULE, facts)
    show_card("Which formula does autograd use?", rule, "All formulas", "formulas", table)
    show_card("Why do they differ?", said(sentences.STEPS, facts), "This x, digit by digit", "digits", digits)
    show_invitation("Have a gradient of your own?", "zero gradient")
    tick(run)


def show_range(experiment: Experiment, tally: DerivativeTally, formula: str) -> None:
    """Draw a slider for the range of x, and a button that shows its worst x."""
    bounds = axis_of(experiment)
    low, high = chosen_range(bounds.bins)

    def move() -> None:
        first, last = st.session_state["range slider"]
        set_range(first, last + 1, bounds.bins)

    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.select_slider(
            "Range of x, for the card below",
            range(bounds.bins),
            (low, high - 1),
            key="range slider",
            format_func=partial(bin_words, bounds),
            on_change=move,
        )
        st.button("Worst x here", on_click=pick_worst, args=(experiment, tally, formula, low, high))


def set_range(low: int, high: int, bins: int) -> None:
    """Put a range of bins into the address; all of them are no range."""
    if (low, high) == (0, bins):
        remove("range")
    else:
        st.query_params["range"] = f"{low}-{high}"


def chosen_range(bins: int) -> tuple[int, int]:
    """Return the range of bins that the address has, or all of them."""
    match = re.fullmatch(r"([0-9]{1,3})-([0-9]{1,3})", st.query_params.get("range", ""))
    low, high = (int(end) for end in match.groups()) if match else (0, bins)
    return (low, high) if low < high <= bins else (0, bins)


def pick_worst(experiment: Experiment, tally: DerivativeTally, formula: str, low: int, high: int) -> None:
    """Show the x of the range at which autograd or the formula is farthest off."""
    worst = worst_x(tally, range(low, high), formula)
    if worst is not None:
        st.session_state["explain"] = shortest(worst, getattr(torch, experiment.dtype))


def typed_x() -> tuple[float | None, str]:
    """Return the x that the visitor typed, if any, and what is wrong with it."""
    text = st.session_state.get("explain")
    try:
        x = float(read_number(str(text))) if text else None
    except PasteError as error:
        return None, str(error)
    return (x, "") if x == x else (None, "NaN is no x.")


def explained(tally: DerivativeTally, experiment: Experiment, formula: str) -> Explanation:
    """Return the derivatives at the x that was typed, or at an example."""
    x = typed_x()[0]
    x = example_x(tally, experiment, formula) if x is None else x
    return ask(explain, experiment.differentiated, x, experiment.dtype, experiment.device)


def formula_of(tally: DerivativeTally, experiment: Experiment) -> str:
    return compared(tally, experiment, str(st.session_state.get("formula")))


def show_example(experiment: Experiment, formula: str, found: Explanation) -> None:
    """Draw one x: where autograd and each formula end on the float line."""
    facts = facts_of_one(found, formula, experiment)
    st.markdown(f"**{sentences.TITLE.of(facts)}**")
    draw("derivative", at_one_x(found, experiment, formula, said(sentences.TOLD, facts)), 200)
    st.caption(f"{typed_x()[1]} {said(sentences.NOTE, facts)}".strip())


def show_formulas(experiment: Experiment, tally: DerivativeTally, formula: str) -> None:
    st.caption(said(sentences.FORMULAS, facts_of(tally, formula, experiment)))
    if tally.exist:
        table = tables.comparison(tally, getattr(torch, experiment.dtype))
        show_table(table, "Table of autograd and the formulas")


def show_digits(experiment: Experiment, formula: str, found: Explanation) -> None:
    facts = facts_of_one(found, formula, experiment)
    st.markdown(f"{sentences.TITLE.of(facts)}. {said(sentences.TOLD, facts)}")
    show_table(tables.explained(found, getattr(torch, experiment.dtype)), "Table of the derivative at one x")


def show_unsafe() -> None:
    """Draw a case that gives no gradient, and how to write it instead."""
    key = st.pills("Case", list(UNSAFE), default=next(iter(UNSAFE)), key="case", bind="query-params", required=True)
    row = UNSAFE.get(key or "")
    if row is None:
        return
    unsafe, safe = st.columns(2, gap="large")
    unsafe.markdown("**Unsafe**")
    unsafe.code(row.code, language="python", wrap_lines=True)
    safe.markdown("**Instead**")
    safe.code(row.safe, language="python", wrap_lines=True)
    show_table(tables.unsafe(row, ask(gradients, key)), "Table of the gradients of both, and of the exact one")
    st.markdown(row.explanation.markdown)
