"""The tab *Is my derivative right?*: one x on the float line, the errors over x with a range to drag, and sections."""

import re
from typing import Any

import streamlit as st
import torch

from lib.derivative import sentences, tables
from lib.derivative.axis import axis_of
from lib.derivative.curve import compared, curves, errors_over_x, worst_x
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
from lib.page.elements import show_table
from lib.page.live import Act, Live, Seen
from lib.page.runs import ask
from lib.page.session import session
from lib.page.tab import Section, Tab
from lib.paste.printed import PasteError, read_number

KEY = "derivative"


def show_x() -> None:
    st.text_input(
        "x",
        key="explain",
        placeholder="chosen for you",
        help="Decimal or hexadecimal digits, rounded to the dtype. Empty: an x at which the two differ.",
        **controls.BOUND,
    )
    typed_x()[1] and st.markdown(f":red[{plain(typed_x()[1])}]")


def show_formula() -> dict[str, str]:
    said = controls.draw("df")
    st.selectbox(
        "Formulas",
        formulas_of(str(st.session_state.get("f") or st.session_state.get("function")), said["df"]),
        None,
        key="formula",
        placeholder="yours, or the first that differs",
        **controls.BOUND,
    )
    return said


def formulas_of(function: str, df: str) -> tuple[str, ...]:
    """The derivatives by hand that can be compared, the one that was typed first; none of what cannot be read."""
    try:
        return FUNCTIONS[named(function, df)].formulas
    except ValueError:
        return ()


def formula_word() -> str:
    return str(controls.value_of("formula") or controls.value_of("df") or "a formula by hand")


SENTENCE = (
    *("The derivative of", "function", "in", "dtype", "on", "device", "by autograd against"),
    *(controls.Extra("formula", formula_word, show_formula), "at x ="),
    controls.Extra("x", lambda: str(controls.value_of("explain") or "an example"), show_x),
    *("and at", "samples", "random x"),
)
MORE = ("x_from", "seed")


def typed_x() -> tuple[float | None, str]:
    """Return the x that the visitor typed, if any, and what is wrong with it."""
    text = st.session_state.get("explain")
    try:
        x = float(read_number(str(text))) if text else None
    except PasteError as error:
        return None, str(error)
    return (x, "") if x == x else (None, "NaN is no x.")


def explained(seen: Seen, formula: str) -> Explanation | None:
    experiment = seen.experiment
    x = typed_x()[0]
    x = example_x(seen.tally, experiment, formula) if x is None else x
    about = experiment.differentiated, x, experiment.dtype, experiment.device
    return ask(explain, *about, patience=seen.patience)


def formula_of(seen: Seen) -> str:
    return compared(seen.tally, seen.experiment, str(st.session_state.get("formula")))


def message(seen: Seen) -> dict[str, Any]:
    tally, experiment, formula = seen.tally, seen.experiment, formula_of(seen)
    found = explained(seen, formula)
    facts = facts_of(tally, formula, experiment, shown=found)
    one_x = facts_of_one(found, formula, experiment) if found else None
    axis = axis_of(experiment)
    low, high = chosen_range(axis.bins)
    part = facts_of(tally.within(low, high), formula, experiment, axis.text(low, high), found)
    return {
        "claim": said(sentences.HEADLINE, facts),
        "why": said(sentences.REASON, facts),
        "drawing": picture(tally, experiment, formula, one_x) | {"curve_label": said(sentences.CURVE, facts)},
        "cards": [
            ["Which formula does autograd use?", said(sentences.RULE, facts), "formulas", "All formulas"],
            ["Why do they differ?", said(sentences.STEPS, facts), "digits", "This x, digit by digit"],
            ["Does it matter?", said(sentences.MATTER, part), "unsafe", "How to write it safely"],
        ],
    }


def picture(tally: DerivativeTally, experiment: Experiment, formula: str, one_x: Any) -> dict[str, Any]:
    axis = axis_of(experiment)
    ghost = session().ghost(KEY, experiment, curves(tally, experiment, formula) if tally.samples else None)
    curve = errors_over_x(tally, experiment, formula, ghost[1] if ghost else None)
    return {
        "title": sentences.TITLE.of(one_x) if one_x else "",
        "note": f"{typed_x()[1]} {said(sentences.NOTE, one_x)}".strip() if one_x else "",
        "label": said(sentences.TOLD, one_x) if one_x else "",
        "line": at_one_x(one_x.found, experiment, formula) if one_x else None,
        "curve": curve,
        "unit": f"Mean error, in ulps, over {axis.name}",
        "hint": f"Dashed: before, with {ghost[0]}."
        if ghost and curve["ghost"]
        else "Drag an end; click a bin for its worst x.",
        "x": axis.place(one_x.found.x) if one_x else None,
        "range": chosen_range(axis.bins),
    }


def chosen_range(bins: int) -> list[int]:
    return read_range(session().picks.get(KEY, {}).get("range", ""), bins) or [0, bins]


def read_range(text: str, bins: int) -> list[int] | None:
    """Return the ends of a range of bins; None if the text is none, or all of them."""
    found = re.fullmatch(r"([0-9]{1,3})-([0-9]{1,3})", text)
    low, high = map(int, found.groups()) if found else (0, 0)
    return [low, high] if low < high <= bins and high - low < bins else None


def take_bin(tally: DerivativeTally, experiment: Experiment, chosen: object) -> None:
    formula = compared(tally, experiment, str(st.session_state.get("formula")))
    x = worst_x(tally, chosen, formula) if type(chosen) is int else None
    if x is not None:
        st.session_state["explain"] = shortest(x, getattr(torch, experiment.dtype))


def take_range(tally: DerivativeTally, experiment: Experiment, chosen: object) -> None:
    match chosen:
        case [int(low), int(high)]:
            session().picks[KEY] = {"range": f"{low}-{high}"}


def show_formulas(seen: Seen) -> None:
    tally = seen.tally
    st.caption(said(sentences.FORMULAS, facts_of(tally, formula_of(seen), seen.experiment)))
    if tally.exist:
        table = tables.comparison(tally, getattr(torch, seen.experiment.dtype))
        show_table(table, "Table of autograd and the formulas")


def show_digits(seen: Seen) -> None:
    formula = formula_of(seen)
    found = explained(seen, formula)
    if found:
        one_x = facts_of_one(found, formula, seen.experiment)
        st.markdown(f"{sentences.TITLE.of(one_x)}. {said(sentences.TOLD, one_x)}")
        show_table(tables.explained(found, getattr(torch, seen.experiment.dtype)), "Table of the derivative at one x")


def show_unsafe(seen: Seen) -> None:
    key = st.pills("Case", list(UNSAFE), default=next(iter(UNSAFE)), key="case", bind="query-params", required=True)
    row = UNSAFE.get(key or "")
    if row is None:
        return
    for column, title, text in zip(
        st.columns(2, gap="large"), ("**Unsafe**", "**Instead**"), (row.code, row.safe), strict=True
    ):
        column.markdown(title)
        column.code(text, language="python", wrap_lines=True)
    found = ask(gradients, key)
    if found is not None:
        show_table(tables.unsafe(row, found), "Table of the gradients of both, and of the exact one")
    st.markdown(row.explanation.markdown)


ACTS: dict[str, Act] = {"pick": take_bin, "range": take_range}
PART = Live(KEY, Derivative, message, "derivative", "x", ACTS, room=661, own=("zero gradient", "Check my gradient"))
TAB = Tab(
    PART,
    SENTENCE,
    MORE,
    (
        Section("All formulas: how often right, how far off", "formulas", show_formulas),
        Section("This x, digit by digit", "digits", show_digits),
        Section("NaN, infinite and zero gradients, and how to write it safely", "unsafe", show_unsafe),
    ),
    picks={"range": lambda text, of: read_range(text, axis_of(of).bins)},
    about=lambda experiment: str(axis_of(experiment)),
)
