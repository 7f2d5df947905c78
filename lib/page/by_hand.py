"""What opens in the tab of the derivatives: all formulas, one x digit by digit, saturation, unsafe gradients, edges."""

from dataclasses import replace

import streamlit as st
import torch

from lib.derivative import charts
from lib.derivative.points import edges, kinks
from lib.derivative.saturation import saturation
from lib.derivative.sentences import (
    derivative_conditions,
    derivative_reference,
    edges_reading,
    explanation_claim,
    saturation_claim,
    saturation_list,
    why_by_hand,
)
from lib.derivative.tables import comparison, edge_rows, spellings, tables
from lib.derivative.tables import explained as digits
from lib.derivative.unsafe import looks, source
from lib.derivative.unsafe_cases import CASES
from lib.derivative.unsafe_sentences import result_claim, unsafe_why
from lib.experiment.query import Experiment
from lib.page.derivative import explained, formula_of
from lib.page.elements import draw_chart, show_table
from lib.page.live import Seen
from lib.page.runs import ask


def show_formulas(seen: Seen) -> None:
    tally, experiment = seen.tally, seen.experiment
    st.caption(f"{derivative_conditions(experiment)} {derivative_reference(tally)}")
    if tally.exist:
        show_table(comparison(tally, getattr(torch, experiment.dtype)), "Table of autograd and the formulas")
        data = tables(tally, experiment)
        draw_chart("errors", charts.errors(), data, "Histogram of the errors in ulps, one line for each derivative.")


def show_digits(seen: Seen) -> None:
    found = explained(seen, formula_of(seen))
    if found:
        st.markdown(explanation_claim(found, seen.experiment))
        show_table(digits(found, getattr(torch, seen.experiment.dtype)), "Table of the derivative at one x")


def show_saturation(seen: Seen) -> None:
    experiment = seen.experiment
    names = ("function", "f", "df", "dtype", "device")
    alone = replace(Experiment(), **{name: getattr(experiment, name) for name in names})
    found = ask(saturation, alone)
    if found is not None:
        st.markdown(saturation_claim(found, experiment))
        st.markdown(saturation_list(found))


def show_edges(seen: Seen) -> None:
    experiment, dtype = seen.experiment, getattr(torch, seen.experiment.dtype)
    at_edges, at_kinks = ask(edges, experiment), ask(kinks, experiment)
    if at_edges is not None:
        st.markdown(edges_reading(experiment))
        st.dataframe(edge_rows(at_edges, dtype), hide_index=True, alt="Table of the derivatives at special x")
    st.markdown("ReLU and |x| have no derivative at 0; PyTorch gives 0 there, by convention. Spelt in another way:")
    for column, (function, gradients) in zip(st.columns(2, gap="large"), (at_kinks or {}).items(), strict=False):
        rows = spellings(function, gradients, dtype)
        column.table(rows, hide_index=True, alt=f"Table of the gradients at 0 of {function} in several spellings")


def show_unsafe(seen: Seen) -> None:
    experiment = seen.experiment
    key = st.pills("Case", list(CASES), default=next(iter(CASES)), key="case", bind="query-params", required=True)
    found, case = ask(looks, experiment.dtype, experiment.device), CASES.get(key or "")
    if found is None or case is None:
        return
    for column, title, function, side in zip(
        st.columns(2, gap="large"),
        ("**Unsafe**", "**Instead**"),
        (case.unsafe, case.safe),
        ("unsafe", "safe"),
        strict=True,
    ):
        with column:
            st.markdown(title)
            st.code(source(function), language="python", wrap_lines=True)
            for look in found[key]:
                st.markdown(result_claim(look, getattr(look, side), experiment))
    st.markdown(unsafe_why(case, found[key]).markdown)


def show_why(seen: Seen) -> None:
    st.markdown(why_by_hand(seen.experiment).markdown)
