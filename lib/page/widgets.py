"""One control: a native widget for a field of the experiment.

Streamlit binds each widget to its key in the address and keeps its value while another tab is open.

NOTE [controls in popovers]: the browser learns the value of a control only when it draws it, and it
does not draw one in a closed popover. Such a control is therefore never set by the script. Presets
are links, and what a chart sets is a control outside of popovers.
"""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from lib.experiment import choices
from lib.experiment.choices import DEVICES, Choice
from lib.experiment.functions import FUNCTIONS
from lib.experiment.methods import METHODS
from lib.experiment.query import FIELDS, LAYERS, Experiment, layers_of
from lib.network.machine import has
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
"""For a control, the control to clear when it changes, and the value that clears that control,
which is in no popover: NOTE [controls in popovers].

Each of these pairs sets the same thing in two ways. The way that was used last counts.
"""

PICKS = ("trace_sample", "trace_component", "batch_sample", "batch_component")
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


def _changed(name: str) -> None:
    """Clear what belongs to the previous choice, such as a selection in a drawing."""
    if name in EMPTIES:
        cleared, empty = EMPTIES[name]
        st.session_state[cleared] = empty
    if name != "samples":
        remove(*PICKS)


def value_of(name: str) -> Any:
    """Return the value that a control will have when it is drawn.

    It is the state of the widget, the value in the address, or the default.
    """
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


def draw(name: str) -> str:
    """Draw a control.

    Args:
        name: the key of the control.

    Returns:
        Its value, as the query writes it.
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
        start = keys.index(default_of(name))
        chosen = st.radio(label, keys, start, captions=captions, key=name, **BOUND, **on_change)
        return str(chosen)
    if name in TEXTS:
        label, placeholder = TEXTS[name]
        text = st.text_input(
            label, default_of(name), key=name, placeholder=placeholder, **BOUND, **on_change
        )
        return str(text or "")  # a hostile browser may send anything
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
    return "" if number is None else str(number)
