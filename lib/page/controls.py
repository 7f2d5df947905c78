"""The controls of a tab: a sentence whose marked words open their choices, and *Change*, which has the others.

Each control is a native widget that Streamlit binds to its key in the address and remembers while another tab is open.
What the widgets say becomes an experiment, or one sentence about what is wrong, in place of all figures.
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

TEXTS = {
    LAYERS: ("Layer sizes", "Inputs, hidden layers, outputs: for example 5 10 2"),
    "f": ("A function of your own", "A Python expression in x, such as x*tanh(softplus(x))"),
    "df": ("Your derivative of it", "As you wrote it, such as -1/x**2"),
}
"""The controls for a text."""

EMPTIES: dict[str, tuple[str, str | None]] = {"function": ("f", ""), "df": ("formula", None)}
"""What a control empties when it changes, so that the last thing that was picked or typed is what is shown."""

PICKS = ("trace_sample", "trace_component", "worst_by", "batch_sample", "batch_component", "range")
"""Keys of the address that say what is picked in a drawing or a chart."""

NUMBERS = {
    "samples": "Samples",
    "seed": "Seed",
    "step": "Step of finite differences, k in 2ᵏ·max(1, |x|)",
}
"""The controls for a whole number."""

DEFAULT = Experiment()
BOUND: dict[str, Any] = {"bind": "query-params", "persist_state": "session"}
"""The options of every control: it is in the address, and remembered while another tab is open."""


@dataclass(frozen=True)
class Extra:
    """A control that is no field of the experiment: its name, the word that shows its value, and what draws it, which
    returns the fields that it drew with it, if any, as `draw` does."""

    name: str
    word: Callable[[], str]
    draw: Callable[[], dict[str, str] | None]


def show(
    study: str,
    sentence: tuple[str | Extra, ...],
    more: tuple[str, ...],
    fields: tuple[str, ...] = (),
) -> Experiment | None:
    """Draw the sentence, and *Change* with the other controls at its end.

    In a sentence, the key of a control stands for its value, and all else is text. Texts in `fields` are typed on the
    page, below the sentence. Return the part of the chosen experiment that the study depends on; None if there is none,
    or none that this machine can run.
    """
    said: dict[str, str] = {}
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="sentence"):
        for part in sentence:
            if isinstance(part, Extra):
                with _popover(study, part.word(), part.name):
                    said |= part.draw() or {}
            elif _is_control(part):
                with _popover(study, _word(part), part):
                    said |= draw(part)
            else:
                st.markdown(part, width="content")
        with st.popover("· Change", type="tertiary", key=f"choose more {study}"):
            for name in filter(_has_effect, more):
                said |= draw(name)
    for name, column in zip(fields, st.columns(len(fields)) if fields else (), strict=True):
        with column:
            said |= draw(name)
    try:
        experiment = STUDIES[study].of(Experiment.from_pairs(said.items()))
        if reason := unsupported_reason(experiment):
            raise QueryError(reason)
    except QueryError as error:
        st.markdown(f"### :red[:material/error: {quoted(str(error), error.shown)}]")
        return None
    return experiment


def show_presets(parts: Iterable[str | Extra]) -> None:
    """Draw a button for each preset, which the controls among these parts then show."""
    names = [part for part in parts if isinstance(part, str) and _is_control(part)]
    show_chips(PRESETS, lambda chip: _take(PRESETS[chip], names))


def _is_control(part: str) -> bool:
    return part == LAYERS or part in FIELDS


def _popover(study: str, word: str, name: str) -> DeltaGenerator:
    """Draw a word that opens. Its key is the tab's own, so that none stays open when another tab is."""
    return st.popover(f":primary[**{plain(word)}**]", type="tertiary", key=f"choose {name} {study}")


def show_chips(
    names: Iterable[str], click: Callable[[str], None], chosen: str | None = None
) -> None:
    """Draw chips side by side, of which the chosen one is marked."""

    def take() -> None:
        if name := st.session_state.chips:
            click(name)

    st.session_state.chips = chosen
    chips = st.container()  # in which they keep their widths, and fade where they do not fit
    chips.pills(
        "Try", list(names), key="chips", label_visibility="collapsed", on_change=take, wrap=False
    )


def _take(experiment: Experiment, names: Iterable[str]) -> None:
    """Have the controls show an experiment."""
    remove(*PICKS)
    for name in names:
        st.session_state[name] = (
            layers_text(experiment) if name == LAYERS else getattr(experiment, name)
        )


def _changed(name: str) -> None:
    """Clear what does not fit another choice: a pick is of one experiment."""
    if name in EMPTIES:
        other, nothing = EMPTIES[name]
        st.session_state[other] = nothing
    if name != "samples":
        remove(*PICKS)


def value_of(name: str) -> Any:
    """What a control says before it is drawn: its state, else what the address says, else the default."""
    default = (
        layers_text(DEFAULT) if name == LAYERS else DEFAULT.text(name) if name in FIELDS else ""
    )
    said_by = st.session_state if name in st.session_state else st.query_params
    value = said_by.get(name, default)
    return "" if value is None else value


def _word(name: str) -> str:
    value = str(value_of(name))
    if name == LAYERS:
        return " → ".join(filter(None, ",".join(layers_of(value).values()).split(","))) or "layers"
    if name == "activation" and not layers_of(str(value_of(LAYERS)))["hidden"]:
        return "one layer"  # there are no hidden units to which it applies
    if name == "function":
        return value_of("f") or FUNCTIONS[value].label if value in FUNCTIONS else value
    if name in NUMBERS and value.isdigit():
        return f"{int(value):,}"
    return METHODS[value].label if name == "method" and value in METHODS else value


def _has_effect(name: str) -> bool:
    """Whether a control changes anything beside what is chosen otherwise."""
    if name == "matmul":
        return getattr(DEVICES.get(value_of("device")), "matmuls", False)
    if name == "step":
        return "step" in getattr(METHODS.get(value_of("method")), "options", ())
    return True


def _offered(name: str) -> dict[str, Choice]:
    """The rows of a table, without devices that this machine lacks and dtypes that the device lacks; the one that a
    link asks for is among them, so that it can be told what is wrong."""
    table, chosen = CHOICES[name][1], value_of(name)
    if name == "device":
        return {key: row for key, row in table.items() if has(key) or key == chosen}
    if name == "dtype":
        dtypes = getattr(DEVICES.get(value_of("device")), "dtypes", table)
        return {key: row for key, row in table.items() if key in dtypes or key == chosen}
    return dict(table)


def draw(name: str) -> dict[str, str]:
    """Draw a control, and return what it says as the query writes it."""
    on_change: dict[str, Any] = {"on_change": _changed, "args": (name,)}
    if name in CHOICES:
        label, table = CHOICES[name][0], _offered(name)
        keys = list(table)
        # Streamlit writes into the address what an option is shown as, so that has to be its key.
        captions = [
            row.about if row.label == key else f"{row.label}: {row.about}"
            for key, row in table.items()
        ]
        about = getattr(table.get(value_of(name)), "note", "")
        start = keys.index(getattr(DEFAULT, name))
        chosen = st.radio(label, keys, start, captions=captions, key=name, **BOUND, **on_change)
        if about:
            st.info(about)
        return {name: str(chosen)}
    if name in TEXTS:
        label, about = TEXTS[name]
        default = layers_text(DEFAULT) if name == LAYERS else getattr(DEFAULT, name)
        text = st.text_input(label, default, key=name, placeholder=about, **BOUND, **on_change)
        return {name: str(text or "")}  # a hostile browser may send anything
    low, high = FIELDS[name].limits or (None, None)
    default, about = getattr(DEFAULT, name), FIELDS[name].allowed
    number = st.number_input(
        NUMBERS[name], low, high, default, step=1, key=name, help=about, **BOUND, **on_change
    )
    return {name: "" if number is None else str(number)}
