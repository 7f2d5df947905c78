"""Section 6, single points of the derivative: round trips, the edges of the domain, and kinks."""

import streamlit as st
import torch

from lib.derivative.points import edges, hundredths, kinks, python_tables, torch_tables
from lib.derivative.sentences import edges_reading
from lib.derivative.tables import edge_rows, printed, spellings
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.page.elements import show_table
from lib.page.shared import ask


def show(experiment: Experiment) -> None:
    show_round_trip(experiment)
    show_edges(experiment)
    show_kinks(experiment)


def show_round_trip(experiment: Experiment) -> None:
    st.header("There and back", anchor="round-trip", divider="gray")
    if FUNCTIONS[experiment.function].formulas == FUNCTIONS[Experiment.function].formulas:  # the post's function, 1/x
        left, right = st.columns(2, gap="large")
        with left:
            show_in_python(experiment)
        with right:
            show_in_torch(experiment)
    else:
        show_in_torch(experiment)
    wrong = [f"{n} ({value!r})" for n, value, equal in hundredths() if not equal]
    st.markdown(
        "That numbers do not come back is not PyTorch's doing. In Python floats, `n / 100 * 100` is not n for "
        f"{len(wrong)} of n = 0 … 100: {', '.join(wrong)}."
    )


def show_in_python(experiment: Experiment) -> None:
    """Show the post's tables for 1/x."""
    found = ask("The table of Python floats is", experiment, python_tables, experiment, settled=True)
    if found is None:
        return
    st.markdown("**Python floats, no PyTorch:** `-(1/x)*(1/x)` against `-1/x**2`")
    (formula,) = found.formulas.values()
    show_table(printed(formula, torch.float64), "Table of two formulas of 1/x in Python floats")
    st.markdown("`x` against `1/(1/x)`")
    show_table(printed(found.round_trip, torch.float64), "Table of x and 1/(1/x) in Python floats")


def show_in_torch(experiment: Experiment) -> None:
    """Show the same tables for the chosen function."""
    found = ask("The table of PyTorch is", experiment, torch_tables, experiment, settled=True)
    if found is None:
        return
    function, dtype = FUNCTIONS[experiment.function], getattr(torch, experiment.dtype)
    name, lines = next(iter(found.formulas.items()))
    st.markdown(f"**PyTorch in {experiment.dtype}:** autograd against `{name}`")
    show_table(printed(lines, dtype), "Table of autograd and the first formula")
    if found.round_trip:
        st.markdown(f"`x` against `{function.inverse}` with y = `{function.call}`")
        show_table(printed(found.round_trip, dtype), "Table of x and the way there and back")
    else:
        st.markdown(f"`{function.call}` has no inverse, so no way back.")


def show_edges(experiment: Experiment) -> None:
    st.header("The edges of the domain", anchor="edges", divider="gray")
    found = ask("The edges are", experiment, edges, experiment, settled=True)
    if found is None:
        return
    st.markdown(f"{edges_reading(experiment)} A NaN in one place makes the whole gradient NaN.")
    st.dataframe(
        edge_rows(found, getattr(torch, experiment.dtype)), hide_index=True, alt="Table of the derivatives at special x"
    )


def show_kinks(experiment: Experiment) -> None:
    st.header("At a kink", anchor="kinks", divider="gray")
    st.markdown(
        "At 0, relu and abs have no derivative. PyTorch's convention is 0 for both. But it is a convention of the "
        "spelling, not of the function: other words for the same function give other numbers."
    )
    found = ask("The kinks are", experiment, kinks, experiment, settled=True)
    if found is None:
        return
    dtype = getattr(torch, experiment.dtype)
    for column, (function, gradients) in zip(st.columns(2, gap="large"), found.items(), strict=True):
        rows = spellings(function, gradients, dtype)
        column.table(rows, hide_index=True, alt=f"Table of the gradients at 0 of {function} in several spellings")
