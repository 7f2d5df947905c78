"""A tour in eight steps, in the order in which readers ask questions. Each step is an experiment to look at.

The tour is a bar at the bottom of the window, in one component for as long as the page lives: so a click on Next leaves
the focus on Next. The component says where to go, not by how many steps, and numbers its clicks by the clock: a click
that arrives twice is followed once, by a run of the whole page, as `jumps.follow_click` explains.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from lib.experiment.query import Experiment
from lib.experiment.studies import SUBJECTS
from lib.page.address import choose, is_new, keep, number
from lib.page.jumps import Place

GRADIENTS, ROWS, BATCHES, BY_HAND = (SUBJECTS[name].label for name in ("discrepancy", "pitfall", "batch", "derivative"))

_FILES = Path(__file__).parent
_BAR = st.components.v2.component(
    "last_bit_tour",
    html='<div class="tour"></div>',
    css=(_FILES / "tour.css").read_text("utf-8"),
    js=(_FILES / "tour.js").read_text("utf-8"),
)
_KEY = "tour bar"

state = st.session_state


@dataclass(frozen=True)
class Step(Place):
    """A stop on the tour: a title, a sentence, and the selector of what it speaks of, "" for the top of the page."""

    title: str = ""
    sentence: str = ""
    goal: str = ""

    @property
    def link(self) -> str:
        """The query of a link to this step, with the tour open."""
        view = {key: str(value).lower() if value is True else value for key, value in self.view.items() if value}
        opened = {"tour": "true", "stop": str(1 + TOUR.index(self))}
        return "?" + urlencode(self.experiment.pairs() | view | opened, safe=",")


CLOSED: Mapping[str, str | bool] = {"tab": GRADIENTS, "right": False, "remedies": False}
"""The first tab without the sections that the tour opens."""

TOUR = (
    Step(
        Experiment(),
        CLOSED,
        "The last bits",
        "Two ways to one gradient: on paper they are equal, but their last bits differ, often by a float or two.",
    ),
    Step(
        Experiment(dtype="float64"),
        CLOSED,
        "In float64",
        "Here the floats lie half a billion times closer, and the difference shrinks with them, as rounding does.",
    ),
    Step(
        Experiment(networks="each-block"),
        {**CLOSED, "right": True},
        "Who is right?",
        "Sometimes backward() is nearer to the exact gradient, sometimes the Jacobian: count over many networks.",
        ".st-key-right",
    ),
    Step(
        Experiment(outputs=1),
        CLOSED,
        "One output",
        "With one output there are no rows to add up in another order: all values are equal.",
    ),
    Step(
        Experiment(),
        {**CLOSED, "remedies": True},
        "Remedies",
        "To make it go away, add in the same order or round only once. Or accept it, with a tolerance.",
        ".st-key-remedies",
    ),
    Step(
        Experiment(),
        {"tab": ROWS},
        "The pitfall",
        "Asked for all rows in one call, PyTorch puts the sum of all into every row: far off, and not by rounding.",
    ),
    Step(
        Experiment(),
        {"tab": BATCHES},
        "In a batch",
        "One sample, alone and in a batch: another kernel adds the same terms in another order, and last bits change.",
    ),
    Step(
        Experiment(),
        {"tab": BY_HAND},
        "By hand",
        "By hand, the derivative of 1/x is −1/x². Autograd uses another formula, the same on paper.",
    ),
)


def follow() -> None:
    """Go where the visitor clicked or, as the address says, went back to, before the controls are drawn."""
    state.setdefault("clicked", 0)
    if is_new("stop"):
        state.stop = _stop_of_link()
    asked = state.get(_KEY, {}).get("go")
    if _is_click(asked):
        _go_to(asked["stop"], asked["click"])
    keep({"tour": "true", "stop": str(state.stop)} if state.stop else {"tour": None, "stop": None})


def _go_to(stop: int, click: int) -> None:
    state.update(stop=stop, clicked=click)
    if stop:
        step = TOUR[stop - 1]
        choose(step.experiment)
        for key, value in step.view.items():
            state[key] = value


def _is_click(asked: object) -> bool:
    """Whether the bar sent a click that was not followed before; a client other than a browser may send anything."""
    if not isinstance(asked, dict) or not all(isinstance(asked.get(name), int) for name in ("stop", "click")):
        return False
    return 0 <= asked["stop"] <= len(TOUR) and asked["click"] > state.clicked


def _stop_of_link() -> int:
    """Return the stop at which a link opens the tour, from 1, or 0 if it is closed."""
    if st.query_params.get("tour") != "true":
        return 0
    here = next((1 + i for i, step in enumerate(TOUR) if step.is_here(state.chosen)), 1)
    return number("stop", 1, len(TOUR)) or here


def show() -> None:
    """Show the bar or, while the tour is closed, the button that opens it."""
    step = TOUR[state.stop - 1] if state.stop else Step(Experiment())
    data = {"title": step.title, "sentence": step.sentence, "goal": step.goal}
    with st.container(key="tour-bar"):
        _BAR(
            data=data | {"stop": state.stop, "stops": len(TOUR), "click": state.clicked},
            key=_KEY,
            on_go_change=lambda: None,
        )
