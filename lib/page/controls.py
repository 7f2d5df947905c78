"""The choice of the experiment: the link, the presets and the sidebar, where every control has a key."""

from collections.abc import Mapping
from typing import Literal

import streamlit as st

from lib.display.markdown import quoted
from lib.experiment.choices import ACTIVATIONS, DISTRIBUTIONS, DTYPES, EVALUATIONS, NETWORKS, OUTPUT_ACTIVATIONS
from lib.experiment.devices import DEVICES, MATMULS
from lib.experiment.fields import WholeNumber
from lib.experiment.functions import FUNCTIONS, X_FROM
from lib.experiment.methods import METHODS
from lib.experiment.query import FIELDS, PRESETS, STEP, Experiment, QueryError, unfit_views
from lib.experiment.rows import Choice
from lib.page import jumps
from lib.page.jumps import Place
from lib.page.tour import FORMER_TABS

DEFAULT = Experiment()
PLACES = {name: Place(preset) for name, preset in PRESETS.items()}

JOINT = ("inputs", "hidden", "outputs")
"""Fields that are typed as text, or whose values can be valid one by one but not together.

This module writes them into the address. Streamlit binds the other fields to it and writes whatever the controls hold.
"""

state = st.session_state


def check_link() -> None:
    """Remove malformed fields from the address before a control can read them, and keep the sentence to show."""
    pairs = [(key, text) for key in st.query_params for text in st.query_params.get_all(key)]
    unfit = unfit_views(pairs)
    try:
        Experiment.from_pairs(pairs)
    except QueryError as error:
        state.link_fault = quoted(str(error), error.shown)
        unfit |= FIELDS.keys() & st.query_params.keys()
    for key in unfit:
        del st.query_params[key]
    former = FORMER_TABS.get(st.query_params.get("tab"))
    if former:
        st.query_params["tab"] = former
    if unfit or former:
        st.rerun()


def show_presets(experiment: Experiment) -> None:
    jumps.show("preset", "Experiments worth seeing", PLACES, experiment)


def take_from_address() -> None:
    """Set the controls of `JOINT` from the address.

    This happens if the visitor went back, which shows in an address other than the one put there, or if Streamlit has
    lost a control, which it does when a run ends before reaching it.

    The first values in the address become the controls' defaults. If they were set as session state, they would be sent
    only once, and a browser that drops that run in favour of the next would show the smallest values.
    """
    put, first = state.setdefault("put", {}), state.setdefault("first", {})
    for name in JOINT:
        text = st.query_params.get(name, DEFAULT.text(name))
        value = FIELDS[name].parse(text)
        if not FIELDS[name].admits(value):
            continue
        control = text if name == "hidden" else value
        if name not in first:
            first[name] = control
        elif text != put.get(name) or name not in state:
            state[name] = control


def put_into_address(experiment: Experiment) -> None:
    """Keep the address a link to the figures on the page, even while the controls describe no valid experiment."""
    pairs = {name: text for name, text in experiment.pairs().items() if name in JOINT}
    st.query_params.update(pairs)  # all at once, so that one step back undoes them
    for name in set(JOINT) - pairs.keys():
        st.query_params.pop(name, None)
    state.put.update({name: experiment.text(name) for name in JOINT})


def sidebar() -> tuple[Experiment, str | None]:
    """Draw the controls and return the experiment that they describe.

    If they describe none, return the last valid shape of the network instead, and a sentence that says what is wrong.
    """
    take_from_address()
    with st.sidebar:
        st.subheader("Network")
        whole_number("inputs", "Inputs", "Components of a sample, and of its gradient")
        st.text_input(
            "Hidden layers",
            state.first["hidden"],
            key="hidden",
            help=f"Widths: {FIELDS['hidden'].allowed}.",
            placeholder="none",
            on_change=drop_spaces,
        )
        whole_number("outputs", "Outputs", "Rows of the Jacobian")
        choose("activation", "Activation", ACTIVATIONS)
        choose("output_activation", "Output activation", OUTPUT_ACTIVATIONS)
        st.subheader("Numbers")
        choose("dtype", "dtype", DTYPES)
        choose("device", "Device", DEVICES)
        with_flags = [name for name, device in DEVICES.items() if device.matmuls]
        choose("matmul", "Matrix products on CUDA", MATMULS, disabled=state.device not in with_flags)
        st.subheader("Comparison")
        choose("method", "Jacobian method", METHODS)
        show_step("step" not in METHODS[state.method].options)
        choose("evaluation", "Evaluation", EVALUATIONS)
        choose("distribution", "Distribution of the inputs", DISTRIBUTIONS)
        whole_number("samples", "Samples", "Random input points")
        whole_number("seed", "Seed", "Of the weights and of the samples")
        choose("networks", "Networks", NETWORKS)
        st.subheader("A function of one x")
        choose("function", "Function", FUNCTIONS)
        choose("x_from", "Where x comes from", X_FROM)
    said = {name: as_text(state[name]) for name in FIELDS}
    try:
        return Experiment.from_pairs(said.items()), None
    except QueryError as error:
        before = state.get("experiment", DEFAULT)
        kept = Experiment.from_pairs((said | {name: before.text(name) for name in JOINT}).items())
        return kept, f"{quoted(str(error), error.shown)} The network is still {'→'.join(map(str, kept.widths))}."


def choose(name: str, label: str, table: Mapping[str, Choice], disabled: bool = False) -> None:
    about = "\n".join(f"- **{key}**: {row.about}" for key, row in table.items())
    keys = list(table)
    default = getattr(DEFAULT, name)
    if len(keys) <= 3:
        st.segmented_control(
            label, keys, default=default, required=True, key=name, help=about, disabled=disabled, bind="query-params"
        )
    else:
        st.selectbox(label, keys, keys.index(default), key=name, help=about, bind="query-params")


def whole_number(name: str, label: str, about: str) -> None:
    field = FIELDS[name]
    assert isinstance(field, WholeNumber)
    about = f"{about}: {field.allowed}."
    first = state.first[name] if name in JOINT else getattr(DEFAULT, name)
    bind: Literal["query-params"] | None = None if name in JOINT else "query-params"
    st.number_input(label, field.low, field.high, first, step=1, key=name, help=about, bind=bind)


def show_step(disabled: bool) -> None:
    st.number_input(
        "Step of finite differences",
        STEP.low,
        STEP.high,
        DEFAULT.step,
        step=1,
        key="step",
        placeholder="by the dtype: eps^(1/3)",
        help=f"h = 2ᵏ·max(1, |x|), and this is k: {FIELDS['step'].allowed}, which balances truncation and rounding.",
        disabled=disabled,
        bind="query-params",
    )


def as_text(value: object) -> str:
    return "" if value is None else str(value)


def drop_spaces() -> None:
    state.hidden = str(state.hidden).replace(" ", "")
