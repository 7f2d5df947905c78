"""A tour in seven steps, in the order in which readers ask questions. Each step is an experiment to look at."""

from dataclasses import dataclass
from urllib.parse import urlencode

import streamlit as st

from lib.experiment.query import Experiment
from lib.experiment.studies import SUBJECTS
from lib.page import jumps
from lib.page.elements import unfold
from lib.page.jumps import Place

ROW = "step"
GRADIENTS, ROWS, BY_HAND = (study.label for study in SUBJECTS.values())


@dataclass(frozen=True)
class Step(Place):
    """A stop on the tour. `sentence` is Markdown, with a link to the place on the page to look at."""

    sentence: str = ""

    @property
    def link(self) -> str:
        """The query of a link to this step, with the tour open."""
        view = {key: str(value).lower() if value is True else value for key, value in self.view.items() if value}
        return "?" + urlencode(self.experiment.pairs() | view | {"tour": "true"}, safe=",")


TOUR = {
    "1 The last bits": Step(
        Experiment(),
        {"tab": GRADIENTS, "remedies": False},
        "On paper both vectors are the same gradient, but [their last bits differ](#how-far-apart), often by a float "
        "or two.",
    ),
    "2 In float64": Step(
        Experiment(dtype="float64"),
        {"tab": GRADIENTS, "remedies": False},
        "In float64 the floats lie half a billion times closer, and [the difference shrinks with "
        "them](#how-far-apart), as rounding errors do.",
    ),
    "3 Who is right": Step(
        Experiment(networks="each-block"),
        {"tab": GRADIENTS, "remedies": False},
        "In some components `backward()` is closer to the exact gradient and in others the Jacobian is, and [the count "
        "over many networks](#which-is-right) shows to which side they lean.",
    ),
    "4 One output": Step(
        Experiment(outputs=1),
        {"tab": GRADIENTS, "remedies": False},
        "With one output there are no rows to add up in another order, and [all values are equal](#how-far-apart).",
    ),
    "5 Remedies": Step(
        Experiment(),
        {"tab": GRADIENTS, "remedies": True},
        "[To make it go away](#remedies), add in the same order, round only once, or compare with a tolerance.",
    ),
    "6 The pitfall": Step(
        Experiment(),
        {"tab": ROWS},
        "Asked for all rows in one call, PyTorch gives [the sum of all in every row](#pitfall): that is far off, and "
        "no rounding.",
    ),
    "7 By hand": Step(
        Experiment(),
        {"tab": BY_HAND},
        "The derivative of 1/x by hand, −1/x², is [not what autograd computes](#by-hand): it uses another formula that "
        "is the same on paper.",
    ),
}


def show(experiment: Experiment) -> None:
    unfold("New here? A tour in seven steps", "tour", show_steps, experiment)


def show_steps(experiment: Experiment) -> None:
    name = jumps.show(ROW, "Steps of the tour", TOUR, experiment)
    if name:
        st.markdown(f"{TOUR[name].sentence} ([A link to this step]({TOUR[name].link}).)")
    else:
        st.markdown("Choose a step: it sets the controls, and says in a sentence what to look at.")
