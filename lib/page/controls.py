"""The controls of a tab: a sentence with words that open controls, and a menu with the others.

The values of the controls become an experiment. If they are not valid, the page shows one sentence
that says why, and no figures.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lib.experiment.query import FIELDS, LAYERS, PRESETS, Experiment, QueryError
from lib.experiment.studies import STUDIES
from lib.floats.sentences import plain, quoted
from lib.network.machine import unsupported_reason
from lib.page.link import layers_text, remove
from lib.page.widgets import (
    PICKS,
    default_of,
    draw,
    draw_tick,
    forget_overruled,
    give,
    has_effect,
    set_given,
    value_of,
    word,
)

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


@dataclass(frozen=True)
class Extra:
    """A control that is not a field of the experiment.

    Args:
        name: its key.
        word: returns the word that shows its value in the sentence.
        draw: draws the control.
    """

    name: str
    word: Callable[[], str]
    draw: Callable[[], None]


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
        more: the keys of the controls in the menu *Change more*, at the end of the sentence.
        fields: the keys of the text inputs below the sentence.

    Returns:
        The chosen experiment, reduced to the fields that the study depends on. None if the
        choices are not valid, or if this machine cannot run them; the page then says why.
    """
    set_given()
    values: dict[str, str] = {}
    words = _words(sentence)
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="sentence"):
        for part in sentence:
            if isinstance(part, Extra):
                with _popover(study, part.word(), part.name):
                    draw_tick(part.name)
                    part.draw()
            elif _is_control(part):
                with _popover(study, word(part), part):
                    draw_tick(part)
                    values |= draw(part)
            else:
                st.markdown(part, width="content")
        menu = st.popover(
            "Change more", type="tertiary", key=f"choose more {study}", on_change="rerun"
        )
    forget_overruled()
    if _words(sentence) != words:
        # After the browser's Back, Streamlit sets a control when it is drawn: the words above are
        # those of the old value.
        st.rerun()
    with menu:
        for name in filter(has_effect, more):
            # To send fewer elements, a closed menu draws only the controls that were changed:
            # Streamlit keeps a value in the address only for a control that is drawn.
            if menu.open or name in st.query_params or value_of(name) != default_of(name):
                draw_tick(name)
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


def _words(sentence: tuple[str | Extra, ...]) -> list[str]:
    """Return the words of the controls of a sentence."""
    return [
        part.word() if isinstance(part, Extra) else word(part)
        for part in sentence
        if isinstance(part, Extra) or _is_control(part)
    ]


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
    row = st.container(horizontal=True, wrap=False, vertical_alignment="center", gap="xsmall")
    row.markdown("Try", width="content")
    chips = row.container()  # inside it chips keep their width, and those that do not fit fade out
    chips.pills(
        "Try", list(names), key="chips", label_visibility="collapsed", on_change=take, wrap=False
    )


def _take(experiment: Experiment, names: Iterable[str]) -> None:
    """Set the controls to an experiment."""
    remove(*PICKS)
    give(
        {
            name: layers_text(experiment) if name == LAYERS else getattr(experiment, name)
            for name in names
        }
    )
