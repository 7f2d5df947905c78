"""The controls of a tab: a sentence with words that open controls, and a menu with the others.

The values of the controls become an experiment. If they are not valid, the page shows one sentence
that says why, and no figures.
"""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lib.experiment.query import FIELDS, LAYERS, Experiment, QueryError
from lib.experiment.studies import STUDIES
from lib.floats.sentences import plain, quoted
from lib.network.machine import unsupported_reason
from lib.page.widgets import draw, has_effect, word

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


def show(
    study: str, sentence: tuple[str, ...], more: tuple[str, ...], fields: tuple[str, ...] = ()
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
    values: dict[str, str] = {}
    words = _words(sentence)
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="sentence"):
        for part in sentence:
            if _is_control(part):
                with _popover(study, part):
                    values[part] = draw(part)
            else:
                st.markdown(part, width="content")
        with st.popover("Change more", type="tertiary", key=f"choose more {study}"):
            for name in filter(has_effect, more):
                values[name] = draw(name)
    if _words(sentence) != words:
        # After the browser's Back, a control takes its value from the address when it is drawn. Its
        # word was drawn before.
        st.rerun()
    with st.container(horizontal=True):
        for name in fields:
            values[name] = draw(name)
    try:
        experiment = STUDIES[study].of(Experiment.from_pairs(values.items()))
        if reason := unsupported_reason(experiment):
            raise QueryError(reason)
    except QueryError as error:
        st.markdown(f"### :red[:material/error: {quoted(str(error), error.shown)}]")
        return None
    return experiment


def _words(sentence: tuple[str, ...]) -> list[str]:
    """Return the words of the controls of a sentence."""
    return [word(part) for part in filter(_is_control, sentence)]


def _is_control(part: str) -> bool:
    return part == LAYERS or part in FIELDS


def _popover(study: str, name: str) -> DeltaGenerator:
    """Draw a word that opens a control.

    Its key names the study, so that it does not stay open in another tab.
    """
    label = f":primary[**{plain(word(name))}**]"
    return st.popover(label, type="tertiary", key=f"choose {name} {study}")
