"""The strip of controls of a tab: only those that change what the tab shows, the most telling ones in the open.

Every control has a key, and Streamlit keeps its value while another tab is open. What was chosen before is its default,
too: a value that is only set as state is sent once, and a browser may drop that run in favour of the next.
"""

import re
from collections.abc import Callable, Mapping

import streamlit as st

from lib.display.markdown import quoted
from lib.experiment.choices import (
    ACTIVATIONS,
    DISTRIBUTIONS,
    DTYPES,
    EVALUATIONS,
    GRADIENTS,
    NETWORKS,
    OUTPUT_ACTIVATIONS,
    X_FROM,
)
from lib.experiment.devices import DEVICES, MATMULS
from lib.experiment.expressions import FUNCTIONS as OF_X
from lib.experiment.fields import WholeNumber
from lib.experiment.functions import FUNCTIONS
from lib.experiment.methods import METHODS
from lib.experiment.query import FIELDS, PRESETS, STEP, Experiment, QueryError
from lib.experiment.rows import Choice
from lib.page import jumps
from lib.page.address import OWN_FUNCTION, SHAPE, shown_by
from lib.page.jumps import Place

ALLOWED = (
    f"numbers, `x`, `pi`, `e`, `+ - * / **` with a constant exponent, parentheses, `{'`, `'.join(OF_X)}`, "
    "`maximum`, `minimum`, and `where(x > 0, …, …)`. At most 200 characters."
)
"""What an expression may have."""

Tries = tuple[str, Mapping[str, Place]]
"""The key of a row of pills, and where each of them leads."""

PLACES = {name: Place(preset) for name, preset in PRESETS.items()}

TABLES: dict[str, tuple[str, Mapping[str, Choice], int]] = {
    "activation": ("Activation", ACTIVATIONS, 118),
    "output_activation": ("Output activation", OUTPUT_ACTIVATIONS, 128),
    "dtype": ("dtype", DTYPES, 104),
    "device": ("Device", DEVICES, 78),
    "method": ("Jacobian method", METHODS, 150),
    "gradient": ("Gradient", GRADIENTS, 220),
    "matmul": ("Matrix products on CUDA", MATMULS, 220),
    "evaluation": ("Evaluation", EVALUATIONS, 220),
    "distribution": ("Distribution of the inputs", DISTRIBUTIONS, 220),
    "networks": ("Networks", NETWORKS, 220),
    "function": ("Function", FUNCTIONS, 150),
    "x_from": ("Where x comes from", X_FROM, 220),
}
"""The controls that select a row of a table: the label, the table, and the width in pixels."""

TEXTS = {
    "f": ("f(x)", "Your function, as a Python expression in x", "x*tanh(softplus(x))", 170),
    "df": (
        "f′(x) by hand",
        "Its derivative as you wrote it; if it is empty, the rules of a textbook make one",
        "",
        150,
    ),
}
"""The controls for an expression: the label, what it is, an example to begin with, and the width in pixels."""

NUMBERS = {"samples": ("Samples", "Random input points"), "seed": ("Seed", "Of the weights and of the samples")}
"""The controls for a whole number: the label, and what it is."""

state = st.session_state


def show(
    open_: tuple[str | Callable[[], None], ...], more: tuple[str, ...], tries: Tries | None = None
) -> tuple[Experiment, str | None]:
    """Draw the strip: the controls `open_` in the open, those of `more` one click away, and the experiments to try.

    A function among `open_` draws controls of the tab's own, and `tries` are others to try than the presets. Return the
    experiment that is chosen. If the controls describe none, that is one with the last valid shape of the network or,
    if that is not what is wrong, the last valid experiment; a sentence says what is wrong.
    """
    drawn = []
    for part in open_:
        if callable(part):
            part()
        elif _has_effect(part):
            _show_control(part)
            drawn.append(part)
    drawn += [name for name in more if _has_effect(name)]
    hidden = [name for name in more if name in drawn]
    if hidden:
        with st.popover("More", width=82):
            for name in hidden:
                _show_control(name)
    experiment, fault = _chosen(drawn)
    row, places = tries or ("preset", PLACES if "network" in drawn else {})
    if places:
        with st.popover("Try one", width=94):
            jumps.show(row, "Experiments worth seeing", places, experiment)
    return experiment, fault


def _has_effect(name: str) -> bool:
    """Whether a control changes anything beside what is chosen otherwise."""
    if name == "matmul":
        return DEVICES[state.device].matmuls
    if name in TEXTS:
        return state.function == OWN_FUNCTION or (name == "df" and bool(state.df))
    if name == "step":
        return "step" in METHODS[state.method].options
    return True


def _chosen(drawn: list[str]) -> tuple[Experiment, str | None]:
    before = state.chosen
    said = {name: before.text(name) for name in FIELDS}
    said |= {name: as_text(state[name]) for name in drawn if name != "network"}
    if "function" in drawn:
        said |= {"function": Experiment.function} if "f" in drawn else {}
        said |= {name: "" for name in TEXTS if name not in drawn}
    shape = widths(str(state.network)) if "network" in drawn else {}
    try:
        if "f" in drawn and not said["f"]:
            raise QueryError("f(x) is empty: type a function of x, such as x*tanh(softplus(x)).")
        kept = Experiment.from_pairs(said.items())
    except QueryError as error:
        return before, quoted(str(error), error.shown)
    try:
        if shape is None:
            raise QueryError("The network needs its inputs and its outputs at least, such as 5 → 10 → 2.")
        return Experiment.from_pairs((said | shape).items()), None
    except QueryError as error:
        return kept, f"{quoted(str(error), error.shown)} The network is still {shown_by('network', kept)}."


def widths(text: str) -> dict[str, str] | None:
    """Return the fields that a shape such as "5 → 10 → 2" stands for, as the query writes them.

    Arrows, commas, semicolons, hyphens and spaces separate the widths. Return None if there are fewer than two.
    """
    found = re.split(r"(?:\s|[→,;>–-])+", text.strip())
    return dict(zip(SHAPE, (found[0], ",".join(found[1:-1]), found[-1]), strict=True)) if len(found) > 1 else None


def as_text(value: object) -> str:
    return "" if value is None else str(value)


def _show_control(name: str) -> None:
    if name == "network":
        _show_network()
    elif name == "step":
        _show_step()
    elif name in NUMBERS:
        _show_number(name)
    elif name in TEXTS:
        _show_text(name)
    else:
        _show_choice(name)


def _show_network() -> None:
    st.text_input(
        "Network: inputs → hidden → outputs",
        str(shown_by("network", state.chosen)),
        key="network",
        on_change=_tidy_network,
        width=196,
        persist_state="session",
    )


def _tidy_network() -> None:
    """Write a shape as the page writes it, whatever separates its widths; one with other words in it stays as it is."""
    shape = str(state.network)
    found = re.findall("[0-9]+", shape)
    if widths(shape) and not re.search(r"[^\s0-9→,;>–-]", shape):
        state.network = " → ".join(found)


def _show_choice(name: str) -> None:
    label, table, width = TABLES[name]
    about = "\n".join(f"- **{key}**: {row.about}" for key, row in table.items())
    keys, default = list(table), str(shown_by(name, state.chosen))
    if name == "function":
        about += f"\n- **{OWN_FUNCTION}**: any expression in x"
        keys.append(OWN_FUNCTION)
    st.selectbox(
        label,
        keys,
        keys.index(default),
        format_func=lambda key: FUNCTIONS[key].label if name == "function" and key in FUNCTIONS else key,
        key=name,
        help=about,
        on_change=_begin_own if name == "function" else "rerun",
        width=width,
        persist_state="session",
    )


def _begin_own() -> None:
    """Begin with an example, so that there is something to see. A derivative by hand is of the function before."""
    state.df = ""
    if state.function == OWN_FUNCTION and not state.f:
        state.f = TEXTS["f"][2]


def _show_text(name: str) -> None:
    label, about, example, width = TEXTS[name]
    st.text_input(
        label,
        getattr(state.chosen, name),
        key=name,
        help=f"{about}: {ALLOWED}",
        placeholder=example or "by the rules",
        width=width,
        persist_state="session",
    )


def _show_number(name: str) -> None:
    field, (label, about) = FIELDS[name], NUMBERS[name]
    assert isinstance(field, WholeNumber)
    st.number_input(
        label,
        field.low,
        field.high,
        getattr(state.chosen, name),
        step=1,
        key=name,
        help=f"{about}: {field.allowed}.",
        width=220,
        persist_state="session",
    )


def _show_step() -> None:
    st.number_input(
        "Step of finite differences",
        STEP.low,
        STEP.high,
        state.chosen.step,
        step=1,
        key="step",
        placeholder="by the dtype: eps^(1/3)",
        help=f"h = 2ᵏ·max(1, |x|), and this is k: {FIELDS['step'].allowed}, which balances truncation and rounding.",
        width=220,
        persist_state="session",
    )
