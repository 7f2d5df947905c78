"""The controls of a tab: a sentence with words that open controls, and a menu with the others.

Each control is a native widget for a field of the experiment. Streamlit binds it to its key in the
address, so that its value is kept while another tab is open. The values of the controls become an
experiment. If they are not valid, the page shows one sentence that says why.

NOTE [controls in popovers]: the browser learns the value of a control only when it draws the
control, and in a closed popover nothing is drawn. So the script never sets a control in a popover:
presets are links, and charts set only controls outside of popovers.
"""

import re
from collections.abc import Iterable
from typing import Any

import streamlit as st

from lib.experiment.choices import DEVICES
from lib.experiment.functions import FUNCTIONS
from lib.experiment.methods import METHODS
from lib.experiment.query import FIELDS, LAYERS, Experiment, QueryError
from lib.experiment.studies import STUDIES
from lib.floats.sentences import plain, quoted
from lib.network.machine import has, unsupported_reason
from lib.page import link

LABELS = {
    LAYERS: "Layer sizes",
    "activation": "Activation",
    "output_activation": "Output activation",
    "dtype": "dtype",
    "device": "Device",
    "method": "Jacobian method",
    "gradient": "Gradient",
    "matmul": "Matrix products on CUDA",
    "evaluation": "Evaluation",
    "distribution": "Distribution of the inputs",
    "networks": "Networks",
    "samples": "Samples",
    "seed": "Seed",
    "step": "Finite differences: k, for a step of 2ᵏ·max(1, |x|)",
    "function": "Function",
    "x_from": "Where x comes from",
    "f": "Your function",
    "df": "Your derivative of it",
}
"""The label of each control, by its key."""

PLACEHOLDERS = {
    LAYERS: "Inputs, hidden layers, outputs: for example 5 10 2",
    "f": "Such as x*tanh(x)",
    "df": "Such as -1/x**2",
}
"""The controls in which one types a text, each with what it shows while it is empty."""

PREFIXES = {"f": "f(x) =", "df": "f′(x) ="}
"""The text before each text input below the sentence."""

CLEARS: dict[str, tuple[str, str | None]] = {"function": ("f", ""), "df": ("formula", None)}
"""For some controls: the control to clear when this one changes, and its empty value.

For example, a text in `f` takes precedence over `function`. When the visitor chooses a `function`,
`f` is cleared, so the choice takes effect. No cleared control is in a popover: NOTE [controls in
popovers].
"""

PICKS = ("trace_sample", "trace_component", "batch_sample", "batch_component")
"""The keys of the address for the picked component. A change of a control in `LABELS`, but for
`samples`, removes them."""

NETWORK = (
    LAYERS,
    "network of",
    "activation",
    "in",
    "dtype",
    "on",
    "device",
    "with",
    "samples",
    "random samples",
)
"""The end of the sentence in each tab about a network."""

OPENED = "opened"
"""In the session's state: whether a menu *Change more* has been opened. From then on the
script calls its controls in every run, also while the menu is closed: Streamlit drops the value of
a control that is no longer called. Until then their values are those in the address."""

DEFAULT = Experiment()
BOUND: dict[str, Any] = {"bind": "query-params"}
"""The options of every control: the address keeps its value, also while another tab is open."""


def show(
    study_name: str, sentence: tuple[str, ...], more: tuple[str, ...], texts: tuple[str, ...] = ()
) -> Experiment | None:
    """Draw the sentence of a tab and its controls.

    Args:
        study_name: the study of the tab.
        sentence: the parts of the sentence. The key of a control is drawn as a word that shows
            its value and opens the control. Any other string is drawn as text.
        more: the keys of the controls in the menu *Change more*, at the end of the sentence.
        texts: the keys of the text inputs below the sentence.

    Returns:
        The chosen experiment, reduced to the fields that the study depends on. None if the
        choices are not valid, or if this machine cannot run them; the page then says why.
    """
    values: dict[str, str] = {}
    shown = {name: shown_value(name) for name in sentence if name in LABELS}
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="sentence"):
        for part in sentence:
            if part in shown:
                label = f":primary[**{plain(shown[part])}**]"
                # The key names the study, so that the popover does not stay open in another tab.
                with st.popover(label, type="tertiary", key=f"choose {part} {study_name}"):
                    values[part] = _draw_control(part)
            else:
                st.markdown(part, width="content")
        key = f"choose more {study_name}"
        menu = st.popover("Change more", type="tertiary", key=key, on_change="rerun")
        opened = menu.open or st.session_state.get(OPENED)
        st.session_state[OPENED] = opened
        with menu:
            for name in filter(has_effect, more):
                values[name] = _draw_control(name) if opened else value_of(name)
    if any(shown_value(name) != text for name, text in shown.items()):
        # After the browser's Back, the session's state keeps the old value until the control is
        # drawn. The word, drawn before the control, shows the old value and is drawn again.
        st.rerun()
    columns = st.columns(len(texts)) if texts else []
    for name, column in zip(texts, columns, strict=True):
        with column.container(horizontal=True, vertical_alignment="center"):
            st.markdown(PREFIXES[name], width="content")
            values[name] = _draw_control(name)
    try:
        experiment = STUDIES[study_name].of(Experiment.from_pairs(values.items()))
        if reason := unsupported_reason(experiment):
            raise QueryError(reason)
    except QueryError as error:
        # A heading: it stands in place of the tab's headline.
        st.markdown(f"### :red[:material/error: {quoted(str(error), error.shown)}]")
        return None
    return experiment


def value_of(name: str) -> str:
    """Return the value of a control as a text.

    It is the state of the widget or, before it was drawn, the value in the address or the default.
    """
    try:
        value = st.session_state[name]
    except KeyError:
        value = st.query_params.get(name, getattr(DEFAULT, name))
    return "" if value is None else str(value)


def shown_value(name: str) -> str:
    """Return the text that shows the value of a control in the sentence of a tab."""
    value = value_of(name)
    if name == LAYERS:
        return " → ".join(re.findall("[0-9]+", value)) or "layers"
    if name == "activation":
        output = value_of("output_activation")
        # Without hidden layers, the activation is not used.
        hidden = "one layer" if len(re.findall("[0-9]+", value_of(LAYERS))) == 2 else value
        return hidden if output == "identity" else f"{hidden}, then {output}"
    if name == "function":
        label = FUNCTIONS[value].label if value in FUNCTIONS else value
        return value_of("f") or label
    if name == "samples" and value.isdigit():
        return f"{int(value):,}"
    if name == "method" and value in METHODS:
        return METHODS[value].label
    return value


def has_effect(name: str) -> bool:
    """Return whether a control has an effect with the current values of the others.

    The address may name a device or a method that does not exist: then `matmul` or `step` has no
    effect.
    """
    if name == "matmul":
        return getattr(DEVICES.get(value_of("device")), "matmuls", False)
    if name == "step":
        return "step" in getattr(METHODS.get(value_of("method")), "options", ())
    return True


def _draw_control(name: str) -> str:
    """Draw a control.

    Args:
        name: the key of the control.

    Returns:
        Its value, as the query writes it.
    """
    label = LABELS[name]
    default = getattr(DEFAULT, name)
    options: dict[str, Any] = {"key": name, "on_change": _changed, "args": (name,), **BOUND}
    if name in PLACEHOLDERS:
        # `f` and `df` stand directly on the page, which a label would shift, since it arrives late.
        options["label_visibility"] = "visible" if name == LAYERS else "collapsed"
        text = st.text_input(label, default, placeholder=PLACEHOLDERS[name], **options)
        # A hostile browser may send anything.
        return str(text or "")
    field = FIELDS[name]
    if field.limits:
        number = st.number_input(
            label, *field.limits, default, step=1, help=field.allowed, **options
        )
        return "" if number is None else str(number)
    offered = list(_offered(name))
    table = {key: row for key, row in field.table.items() if key in offered}
    keys = list(table)
    # Streamlit writes the label of an option into the address, so the label must be the key.
    captions = [
        row.about if row.label == key else f"{row.label}: {row.about}" for key, row in table.items()
    ]
    return str(st.radio(label, keys, keys.index(default), captions=captions, **options))


def _offered(name: str) -> Iterable[str]:
    """Return the choices that this machine supports.

    The chosen one is always among them: a link may ask for a device or a dtype that is missing
    here, and the page then says so.
    """
    table = FIELDS[name].table
    if name == "device":
        return [value_of(name), *filter(has, table)]
    if name == "dtype":
        return [value_of(name), *getattr(DEVICES.get(value_of("device")), "dtypes", table)]
    return table


def _changed(name: str) -> None:
    """Clear what belongs to the previous choice, such as what was picked in a drawing."""
    if name in CLEARS:
        cleared, empty = CLEARS[name]
        st.session_state[cleared] = empty
    if name != "samples":
        link.remove(*PICKS)
