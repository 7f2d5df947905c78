"""The sections of the derivative tab that open: one x digit by digit, round trips, saturation, edges and kinks.

Their titles name the functions that a visitor may come with.
"""

from dataclasses import replace

import streamlit as st
import torch

from lib.derivative.explanation import Explanation
from lib.derivative.points import POSTS_X, edges, hundredths, kinks, python_tables, the_posts_x, torch_tables
from lib.derivative.saturation import saturation
from lib.derivative.sentences import edges_reading, explanation_claim, saturation_claim, saturation_list, why_by_hand
from lib.derivative.tables import edge_rows, explained, printed, spellings
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.page import spelling, unsafe
from lib.page.elements import show_table, unfold
from lib.page.shared import ask

POST = Experiment()


def show(experiment: Experiment) -> None:
    label = FUNCTIONS[experiment.differentiated].label
    unfold("Saturation: tanh and sigmoid of large x, 0 by mistake", "saturation", show_saturation, experiment)
    unfold(f"Edges: {label} at 0, at ∞ and at the largest float", "edges", show_edges, experiment)
    unfold("Kinks: ReLU and |x| at 0", "kinks", show_kinks, experiment)
    spelling.show(experiment)
    unsafe.show(experiment)
    unfold("Round trips: 1/(1/x) is not always x", "round_trip", show_round_trip, experiment)
    unfold("Why? And what to do", "why_by_hand", show_why, experiment)


def show_digits(explanation: Explanation, experiment: Experiment) -> None:
    st.markdown(explanation_claim(explanation, experiment))
    show_table(
        explained(explanation, getattr(torch, experiment.dtype)),
        "Table of the derivative at one x by autograd and by each formula",
    )
    if (experiment.differentiated, experiment.dtype, explanation.x) == (POST.function, POST.dtype, POSTS_X):
        show_post()


def show_post() -> None:
    """Show which x the third post's number came from."""
    candidates = ask("The post's x is", POST, the_posts_x, settled=True)
    if candidates is None:
        return
    st.markdown(
        "This x is from a forum post: `a.grad` and `-1/(a**2)` were both printed as `-0.9074`, and their difference as "
        f"`5.9605e-08`: that is 2⁻²⁴, one float. The post does not show x. In float32 {len(candidates)} positive x are "
        f"printed just so, from {candidates[0]:.7g} to {candidates[-1]:.7g}; this is the first."
    )


def show_why(experiment: Experiment) -> None:
    st.markdown(why_by_hand(experiment).markdown)


def show_saturation(experiment: Experiment) -> None:
    alone = replace(POST, **{name: getattr(experiment, name) for name in ("function", "f", "df", "dtype", "device")})
    found = ask("The search of the float line is", alone, saturation, alone, settled=True)
    if found is None:
        return
    st.markdown(saturation_claim(found, experiment))
    if any(search.stretches or search.ends for search in found.values()):
        st.markdown(saturation_list(found))


def show_round_trip(experiment: Experiment) -> None:
    formulas = FUNCTIONS[experiment.differentiated].formulas
    if formulas == FUNCTIONS[Experiment.function].formulas:  # the post's function, 1/x
        left, right = st.columns(2, gap="large")
        with left:
            show_in_python(experiment)
        with right:
            show_in_torch(experiment)
    else:
        show_in_torch(experiment)
    wrong = [f"{n} ({value!r})" for n, value, equal in hundredths() if not equal]
    st.markdown(
        f"PyTorch is not to blame. In Python floats, too, `n / 100 * 100` is not n for {len(wrong)} of n = 0 … 100: "
        f"{', '.join(wrong)}."
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
    function, dtype = FUNCTIONS[experiment.differentiated], getattr(torch, experiment.dtype)
    name, lines = next(iter(found.formulas.items()))
    st.markdown(f"**PyTorch in {experiment.dtype}:** autograd against `{name}`")
    show_table(printed(lines, dtype), "Table of autograd and the first formula")
    if found.round_trip:
        st.markdown(f"`x` against `{function.inverse}` with y = `{function.call}`")
        show_table(printed(found.round_trip, dtype), "Table of x and the way there and back")
    else:
        st.markdown(f"`{function.call}` has no inverse, so no way back.")


def show_edges(experiment: Experiment) -> None:
    found = ask("The edges are", experiment, edges, experiment, settled=True)
    if found is None:
        return
    st.markdown(f"{edges_reading(experiment)} A NaN in one place makes the whole gradient NaN.")
    st.dataframe(
        edge_rows(found, getattr(torch, experiment.dtype)), hide_index=True, alt="Table of the derivatives at special x"
    )


def show_kinks(experiment: Experiment) -> None:
    st.markdown(
        "ReLU and |x| have no derivative at 0. PyTorch's `relu` and `abs` give 0 there, by convention. The same "
        "function spelt in another way follows another convention:"
    )
    found = ask("The kinks are", experiment, kinks, experiment, settled=True)
    if found is None:
        return
    dtype = getattr(torch, experiment.dtype)
    for column, (function, gradients) in zip(st.columns(2, gap="large"), found.items(), strict=True):
        rows = spellings(function, gradients, dtype)
        column.table(rows, hide_index=True, alt=f"Table of the gradients at 0 of {function} in several spellings")
