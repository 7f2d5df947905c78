"""What opens in the tab of the derivatives: all formulas, one x digit by digit, unsafe gradients."""

import streamlit as st
import torch

from lib.derivative import tables
from lib.derivative.sentences import FORMULAS, TITLE, TOLD, WHY, facts_of, facts_of_one
from lib.derivative.unsafe import UNSAFE, gradients
from lib.floats.sentences import said
from lib.page.derivative import explained, formula_of
from lib.page.elements import show_table
from lib.page.live import Seen
from lib.page.runs import ask


def show_formulas(seen: Seen) -> None:
    tally = seen.tally
    st.caption(said(FORMULAS, facts_of(tally, formula_of(seen), seen.experiment)))
    if tally.exist:
        show_table(tables.comparison(tally, dtype_of(seen)), "Table of autograd and the formulas")


def show_digits(seen: Seen) -> None:
    formula = formula_of(seen)
    found = explained(seen, formula)
    if found:
        one_x = facts_of_one(found, formula, seen.experiment)
        st.markdown(f"{TITLE.of(one_x)}. {said(TOLD, one_x)}")
        show_table(tables.explained(found, dtype_of(seen)), "Table of the derivative at one x")


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


def dtype_of(seen: Seen) -> torch.dtype:
    return getattr(torch, seen.experiment.dtype)


def show_why(seen: Seen) -> None:
    st.markdown(WHY.markdown)
