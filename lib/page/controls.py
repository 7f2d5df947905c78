"""The controls of a tab: a sentence with words that open controls, and a menu with the others.

Each control is a native widget. Streamlit binds it to its key in the address and keeps its value
while another tab is open. The values of the widgets become an experiment. If they are not valid,
the page shows one sentence that says why, and no figures.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lib.experiment import choices
from lib.experiment.choices import DEVICES, Choice
from lib.experiment.functions import FUNCTIONS
from lib.experiment.methods import METHODS
from lib.experiment.query import FIELDS, LAYERS, PRESETS, Experiment, QueryError, layers_of
from lib.experiment.studies import STUDIES
from lib.floats.sentences import plain, quoted
from lib.network.machine import has, unsupported_reason
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
    "random x",
)
"""How the sentences of all tabs about a network end."""

TEXTS = {
    LAYERS: ("Layer sizes", "Inputs, hidden layers, outputs: for example 5 10 2"),
    "f": ("A function of your own", "A function of your own, such as x*tanh(softplus(x))"),
    "df": ("Your derivative of it", "Your derivative of it, such as -1/x**2"),
}
"""The controls for a text."""

EMPTIES: dict[str, tuple[str, str | None]] = {"function": ("f", ""), "df": ("formula", None)}
"""For a control, the control to clear when it changes, and the value that clears that control.

Each of these pairs sets the same thing in two ways. The way that was used last counts.
"""

PICKS = ("trace_sample", "trace_component", "worst_by", "batch_sample", "batch_component")
"""The keys under which the address stores the selection in a drawing or a chart."""

NUMBERS = {
    "samples": "Samples",
    "seed": "Seed",
    "step": "Step of finite differences, k in 2ᵏ·max(1, |x|)",
}
"""The controls for a whole number."""

DEFAULT = Experiment()
BOUND: dict[str, Any] = {"bind": "query-params", "persist_state": "session"}
"""The options of every control: bound to the address, and kept while another tab is open."""


@dataclass(frozen=True)
class Extra:
    """A control that is not a field of the experiment.

    Args:
        name: its name.
        word: returns the word that shows its value in the sentence.
        draw: draws the control. If it also draws fields of the experiment, it returns their
            values as :func:`draw` does.
    """

    name: str
    word: Callable[[], str]
    draw: Callable[[], dict[str, str] | None]


def show(
    study: str,
    sentence: tuple[str | Extra, ...],
    more: tuple[str, ...],
    fields: tuple[str, ...] = (),
) -> Experiment | None:
    """Draw the sentence of a tab and its controls.

    Args:
        study: the study of the tab.
        sentence: the parts of the sentence. The key of a control is drawn as a word that shows
            its value and opens the control. Any other string is drawn as text.
        more: the keys of the controls in the menu *Change*, at the end of the sentence.
        fields: the keys of the text inputs below the sentence.

    Returns:
        The chosen experiment, reduced to the fields that the study depends on. None if the
        choices are not valid, or if this machine cannot run them; the page then says why.
    """
    values: dict[str, str] = {}
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="sentence"):
        for part in sentence:
            if isinstance(part, Extra):
                with _popover(study, part.word(), part.name):
                    values |= part.draw() or {}
            elif _is_control(part):
                with _popover(study, _word(part), part):
                    values |= draw(part)
            else:
                st.markdown(part, width="content")
        with st.popover("· Change", type="tertiary", key=f"choose more {study}"):
            for name in filter(_has_effect, more):
                values |= draw(name)
    columns = st.columns(len(fields)) if fields else ()
    for name, column in zip(fields, columns, strict=True):
        with column:
            values |= draw(name)
    try:
        experiment = STUDIES[study].of(Experiment.from_pairs(values.items()))
        if reason := unsupported_reason(experiment):
            raise QueryError(reason)
    except QueryError as error:
        st.markdown(f"### :red[:material/error: {quoted(str(error), error.shown)}]")
        return None
    return experiment


def show_presets(parts: Iterable[str | Extra]) -> None:
    """Draw a button for each preset, which sets the controls.

    Args:
        parts: the parts of the sentence and the keys of the menu. Text is skipped.
    """
    names = [part for part in parts if isinstance(part, str) and _is_control(part)]
    show_chips(PRESETS, lambda chip: _take(PRESETS[chip], names))


def _is_control(part: str) -> bool:
    return part == LAYERS or part in FIELDS


def _popover(study: str, word: str, name: str) -> DeltaGenerator:
    """Draw a word that opens a control.

    Its key names the study, so that it does not stay open in another tab.
    """
    return st.popover(f":primary[**{plain(word)}**]", type="tertiary", key=f"choose {name} {study}")


def show_chips(
    names: Iterable[str], click: Callable[[str], None], chosen: str | None = None
) -> None:
    """Draw chips side by side.

    Args:
        names: their labels.
        click: called with the label of the chip that the visitor presses.
        chosen: the label of the chip that is marked, if any.
    """

    def take() -> None:
        if name := st.session_state.chips:
            click(name)

    st.session_state.chips = chosen
    chips = st.container()  # inside it chips keep their width, and those that do not fit fade out
    chips.pills(
        "Try", list(names), key="chips", label_visibility="collapsed", on_change=take, wrap=False
    )


def _take(experiment: Experiment, names: Iterable[str]) -> None:
    """Set the controls to an experiment."""
    remove(*PICKS)
    for name in names:
        st.session_state[name] = (
            layers_text(experiment) if name == LAYERS else getattr(experiment, name)
        )


def _changed(name: str) -> None:
    """Clear what belongs to the previous choice, such as a selection in a drawing."""
    if name in EMPTIES:
        cleared, empty = EMPTIES[name]
        st.session_state[cleared] = empty
    if name != "samples":
        remove(*PICKS)


def value_of(name: str) -> Any:
    """Return the value that a control will have when it is drawn.

    It is the state of the widget, or else the value in the address, or else the default.
    """
    default = (
        layers_text(DEFAULT) if name == LAYERS else DEFAULT.text(name) if name in FIELDS else ""
    )
    source = st.session_state if name in st.session_state else st.query_params
    value = source.get(name, default)
    return "" if value is None else value


def _word(name: str) -> str:
    value = str(value_of(name))
    if name == LAYERS:
        return " → ".join(filter(None, ",".join(layers_of(value).values()).split(","))) or "layers"
    if name == "activation" and not layers_of(str(value_of(LAYERS)))["hidden"]:
        return "one layer"  # without hidden layers, the activation is not used
    if name == "function":
        return value_of("f") or FUNCTIONS[value].label if value in FUNCTIONS else value
    if name in NUMBERS and value.isdigit():
        return f"{int(value):,}"
    return METHODS[value].label if name == "method" and value in METHODS else value


def _has_effect(name: str) -> bool:
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
        start = keys.index(getattr(DEFAULT, name))
        chosen = st.radio(label, keys, start, captions=captions, key=name, **BOUND, **on_change)
        if note:
            st.info(note)
        return {name: str(chosen)}
    if name in TEXTS:
        label, placeholder = TEXTS[name]
        default = layers_text(DEFAULT) if name == LAYERS else getattr(DEFAULT, name)
        text = st.text_input(
            label,
            default,
            key=name,
            placeholder=placeholder,
            label_visibility="visible" if name == LAYERS else "collapsed",
            **BOUND,
            **on_change,
        )
        return {name: str(text or "")}  # a hostile browser may send anything
    low, high = FIELDS[name].limits or (None, None)
    number = st.number_input(
        NUMBERS[name],
        low,
        high,
        getattr(DEFAULT, name),
        step=1,
        key=name,
        help=FIELDS[name].allowed,
        **BOUND,
        **on_change,
    )
    return {name: "" if number is None else str(number)}
