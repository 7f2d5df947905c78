"""The range of x of the error curve: the slider below it, and the worst x in a range or a bin.

The address has the range as two bins of the axis, such as `range=3-40`.
"""

import re

import streamlit as st
import torch

from lib.derivative.axis import axis_of
from lib.derivative.curve import worst_x
from lib.derivative.study import Derivative
from lib.experiment.query import Experiment
from lib.floats.exact_floats import shortest
from lib.page.follow import runs
from lib.page.link import remove
from lib.page.widgets import give


def pick_bin(experiment: Experiment, formula: str, selected: object) -> None:
    """Show the worst x of the bin that the visitor pressed in the chart.

    `selected` has the selected marks. A browser may send anything.
    """
    match selected:
        case [{"bin": int() as bin_}]:
            show_worst(experiment, formula, bin_, bin_ + 1)


def show_worst(experiment: Experiment, formula: str, low: int, high: int) -> None:
    """Show the x with the largest error of autograd or the formula, in bins `low` to `high` - 1."""
    worst = worst_x(runs().get(Derivative, experiment).tally.within(low, high), formula)
    if worst is not None:
        give({"explain": shortest(worst, getattr(torch, experiment.dtype))})


def show_range(experiment: Experiment, formula: str) -> None:
    """Draw a slider for the range of x, and a button for the worst x there."""
    x_axis = axis_of(experiment)
    chosen = chosen_range(x_axis.bins)
    key = f"range of {x_axis}"
    if st.session_state.get(key) != chosen:  # setting it at every tick would undo a drag
        st.session_state[key] = chosen

    def move() -> None:
        first, last = st.session_state[key]
        low = min(first, x_axis.bins - 1)
        remove("range")
        if (low, last) != (0, x_axis.bins):
            st.query_params["range"] = f"{low}-{max(last, low + 1)}"

    st.select_slider(
        f"Range of {x_axis.name}",
        range(x_axis.bins + 1),
        (0, x_axis.bins),
        key=key,
        format_func=lambda end: (
            {0: "least", x_axis.bins: "largest"}.get(end) or x_axis.lower_end(end)
        ),
        on_change=move,
    )
    st.button("Worst x in this range", on_click=show_worst, args=(experiment, formula, *chosen))


def chosen_range(bins: int) -> tuple[int, int]:
    """Return the range of bins in the address, or else the range of all bins."""
    match = re.fullmatch(r"([0-9]{1,3})-([0-9]{1,3})", st.query_params.get("range", ""))
    low, high = map(int, match.groups()) if match else (0, bins)
    return (low, high) if low < high <= bins else (0, bins)
