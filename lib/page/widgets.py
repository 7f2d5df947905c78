"""One control: a native widget for a field of the experiment.

Streamlit binds each widget to its key in the address and keeps its value while another tab is open.

NOTE [given values]: a preset or a pick gives controls new values. The browser does not draw the
control in a closed popover, so it does not learn the new value, and sends the old one with every
rerun. A given value therefore stands for the old one until the browser sends any other. When the
popover is opened, it learns the given value, and a tick makes it send that.
"""

from collections.abc import Mapping
from time import monotonic
from typing import Any, NamedTuple

import streamlit as st

from lib.experiment import choices
from lib.experiment.choices import DEVICES, Choice
from lib.experiment.functions import FUNCTIONS
from lib.experiment.methods import METHODS
from lib.experiment.query import FIELDS, LAYERS, Experiment, layers_of
from lib.network.machine import has
from lib.page.drawings import component
from lib.page.link import layers_text, remove

CHOICES: dict[str, tuple[str, Mapping[str, Choice]]] = {
    "activation": ("Activation", choices.ACTIVATIONS),
    "output_activation": ("Output activation", choices.OUTPUT_ACTIVATIONS),
    "dtype": ("dtype", choices.DTYPES),
    "device": ("Device", DEVICES),
    "method": ("Jacobian method", METHODS),
    "gradient": ("Gradient", choices.GRADIENTS),
    "matmul": ("Matrix products on CUDA", choices.MATMULS),
    "evaluation": ("Evaluation", choices.EVALUATIONS),
    "distribution": ("Distribution of the inputs", choices.DISTRIBUTIONS),
    "networks": ("Networks", choices.NETWORKS),
    "function": ("Function", FUNCTIONS),
    "x_from": ("Where x comes from", choices.X_FROM),
}
"""The controls that select a row of a table."""

TEXTS = {
    LAYERS: ("Layer sizes", "Inputs, hidden layers, outputs: for example 5 10 2"),
    "f": ("A function of your own", "such as x*tanh(softplus(x))"),
    "df": ("Your derivative of it", "such as -1/x**2"),
}
"""The controls for a text."""

EMPTIES: dict[str, tuple[str, str | None]] = {"function": ("f", ""), "df": ("formula", None)}
"""For a control, the control to clear when it changes, and the value that clears that control.

Each of these pairs sets the same thing in two ways. The way that was used last counts.
"""

PICKS = ("trace_sample", "trace_component", "batch_sample", "batch_component", "range")
"""The keys of the address for what was picked in a drawing. A change of a control removes them, but
not one of the number of samples."""

NUMBERS = {
    "samples": "Samples",
    "seed": "Seed",
    "step": "Step of finite differences, k in 2ᵏ·max(1, |x|)",
}
"""The controls for a whole number."""

DEFAULT = Experiment()
BOUND: dict[str, Any] = {"bind": "query-params", "persist_state": "session"}
"""The options of every control: bound to the address, and kept while another tab is open."""


class Given(NamedTuple):
    """The value that a control was given, and the old one that the browser may still send."""

    value: Any
    old: Any


def give(values: Mapping[str, Any]) -> None:
    """Give controls values, by key: NOTE [given values]."""
    for name, value in values.items():
        old = _given()[name].old if _is_old(name) else st.session_state.get(name)
        if value == old:
            _given().pop(name, None)
        else:
            _given()[name] = Given(value, old)


def set_given() -> None:
    """Set the controls that were given values, before they are drawn."""
    for name in list(_given()):
        if _is_old(name):
            st.session_state[name] = _given()[name].value
        else:
            del _given()[name]


def forget_overruled() -> None:
    """Forget the given values of controls that were drawn with another one: the visitor went back,
    and the address decides."""
    for name, (value, _) in list(_given().items()):
        if st.session_state[name] != value:
            del _given()[name]


def draw_tick(name: str) -> None:
    """Let the browser send the value of a control as soon as it draws it, if it was given one."""
    if name in _given():
        data = {"wait": 0, "now": monotonic()}
        component("tick")(key=f"tick {name}", data=data, on_tick_change=lambda: None)


def _given() -> dict[str, Given]:
    return st.session_state.setdefault("given", {})


def _is_old(name: str) -> bool:
    """Return whether a given value stands for that of the control."""
    return name in _given() and st.session_state.get(name) == _given()[name].old


def _changed(name: str) -> None:
    """Clear what belongs to the previous choice, such as a selection in a drawing."""
    if _is_old(name):
        return
    if name in EMPTIES:
        cleared, empty = EMPTIES[name]
        give({cleared: empty})
    if name != "samples":
        remove(*PICKS)


def value_of(name: str) -> Any:
    """Return the value that a control will have when it is drawn.

    It is the given value, the state of the widget, the value in the address, or the default.
    """
    if _is_old(name):
        value = _given()[name].value
    else:
        source = st.session_state if name in st.session_state else st.query_params
        value = source.get(name, default_of(name))
    return "" if value is None else value


def default_of(name: str) -> Any:
    return layers_text(DEFAULT) if name == LAYERS else getattr(DEFAULT, name, None)


def word(name: str) -> str:
    """Return the word that shows the value of a control in the sentence of a tab."""
    value = str(value_of(name))
    if name == LAYERS:
        sizes = ",".join(layers_of(value).values()).split(",")
        return " → ".join(filter(None, sizes)) or "layers"
    if name == "activation" and not layers_of(str(value_of(LAYERS)))["hidden"]:
        return "one layer"  # without hidden layers, the activation is not used
    if name == "function":
        label = FUNCTIONS[value].label if value in FUNCTIONS else value
        return value_of("f") or label
    if name in NUMBERS and value.isdigit():
        return f"{int(value):,}"
    return METHODS[value].label if name == "method" and value in METHODS else value


def has_effect(name: str) -> bool:
    """Return whether a control has an effect with the current values of the others."""
    if name == "matmul":
        return getattr(DEVICES.get(value_of("device")), "matmuls", False)
    if name == "step":
        return "step" in getattr(METHODS.get(value_of("method")), "options", ())
    return True


def _offered(name: str) -> dict[str, Choice]:
    """Return the rows of a table that this machine supports.

    The chosen row is always among them: a link may ask for a device or a dtype that is missing
    here, and the page then says so.
    """
    _, table = CHOICES[name]
    chosen = value_of(name)
    if name == "device":
        return {key: row for key, row in table.items() if has(key) or key == chosen}
    if name == "dtype":
        dtypes = getattr(DEVICES.get(value_of("device")), "dtypes", table)
        return {key: row for key, row in table.items() if key in dtypes or key == chosen}
    return dict(table)


def draw(name: str) -> dict[str, str]:
    """Draw a control.

    Args:
        name: the key of the control.

    Returns:
        Its value under its key, as the query writes it.
    """
    on_change: dict[str, Any] = {"on_change": _changed, "args": (name,)}
    if name in CHOICES:
        label, _ = CHOICES[name]
        table = _offered(name)
        keys = list(table)
        # Streamlit writes the label of an option into the address, so the label must be the key.
        captions = [
            row.about if row.label == key else f"{row.label}: {row.about}"
            for key, row in table.items()
        ]
        note = getattr(table.get(value_of(name)), "note", "")
        start = keys.index(default_of(name))
        chosen = st.radio(label, keys, start, captions=captions, key=name, **BOUND, **on_change)
        if note:
            st.info(note)
        return {name: str(chosen)}
    if name in TEXTS:
        label, placeholder = TEXTS[name]
        text = st.text_input(
            label, default_of(name), key=name, placeholder=placeholder, **BOUND, **on_change
        )
        return {name: str(text or "")}  # a hostile browser may send anything
    low, high = FIELDS[name].limits or (None, None)
    number = st.number_input(
        NUMBERS[name],
        low,
        high,
        default_of(name),
        step=1,
        key=name,
        help=FIELDS[name].allowed,
        **BOUND,
        **on_change,
    )
    return {name: "" if number is None else str(number)}
