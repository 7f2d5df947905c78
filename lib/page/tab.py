"""What the tabs of an experiment share: its sentence, the live part with its cards, what to take along, sections."""

from collections.abc import Callable
from dataclasses import dataclass, field

import streamlit as st

from lib.experiment.query import LAYERS, Experiment
from lib.page import controls, link, live, menu
from lib.page.live import Live, Seen


@dataclass(frozen=True)
class Section:
    """A question whose answer opens: its key in the link, and what draws it."""

    question: str
    key: str
    draw: Callable[[Seen], object]


@dataclass(frozen=True)
class Tab:
    """A tab: its live part, whose cards open in place; the `sentence` of its controls and `more` of them; the sections
    below, which open too; what can be picked, and what a pick is `about`, which drops it."""

    part: Live
    sentence: tuple[str | controls.Extra, ...]
    more: tuple[str, ...]
    cards: tuple[Section, ...]
    sections: tuple[Section, ...] = ()
    picks: link.Picks = field(default_factory=dict)
    about: Callable[[Experiment], object] = lambda experiment: experiment

    def show(self) -> None:
        study, place = self.part.key, st.container(gap="xxsmall")
        with place:
            experiment = controls.show(study, self.sentence, self.more)
            if experiment is None:  # no figures stand beside what they are not of
                return
            link.picked(study, self.picks, experiment, self.about(experiment))
            card = self._opened()
            seen = live.show(self.part, experiment)
        if card:
            with st.container(border=True, key=f"open {card.key}"):
                st.subheader(card.question, anchor=False)
                card.draw(seen)
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="foot"):
            if LAYERS in self.sentence:
                st.markdown("Try", width="content")
                controls.show_presets((*self.sentence, *self.more))
            menu.show(study, seen)
        for section in self.sections:
            expander = st.expander(section.question, key=section.key, on_change="rerun", bind="query-params")
            if expander.open:
                with expander:
                    section.draw(seen)

    def _opened(self) -> Section | None:
        """Return the open card, which was clicked last or is in the link, and put it into the link."""
        in_link = (card.key for card in self.cards if st.query_params.get(card.key) == "true")
        if self.part.open_key not in st.session_state or link.went_back():
            st.session_state[self.part.open_key] = next(in_link, "")
        key = st.session_state[self.part.open_key]
        link.put({card.key: "true" if card.key == key else None for card in self.cards})
        return next((card for card in self.cards if card.key == key), None)
