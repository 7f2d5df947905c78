"""The tab *Why are all rows the same?*: the rows that merge, two populations of errors, the fixes and their costs."""

from typing import Any

from lib.experiment.query import LAYERS
from lib.floats.sentences import said
from lib.page import controls, live, menu
from lib.page.elements import Section, opened, show_open, unfold
from lib.page.live import Live, Seen
from lib.page.session import session
from lib.pitfall.populations import bars, picture
from lib.pitfall.sentences import FIX, HEADLINE, NOTICE, REASON, ROUNDING, ROWS, facts
from lib.pitfall.study import Pitfall

TAB = "pitfall"
SENTENCE = (
    *("One call of `grad` for all rows of a", LAYERS, "network of", "activation", "in", "dtype", "on", "device"),
    *("with", "samples", "random x"),
)
MORE = ("output_activation", "method", "evaluation", "distribution", "networks", "matmul", "seed")
CARDS = (
    Section("What fixes it? Every attempt, run on one sample", "fixes", "fixes.show_fixes"),
    Section("What does each method cost?", "costs", "fixes.show_costs"),
)


def show() -> None:
    experiment, along = controls.show(TAB, SENTENCE, MORE)
    opened(CARDS, PART.open_key)
    seen = live.show(PART, experiment)
    menu.fill(TAB, seen, along)
    show_open(CARDS[:1], PART.open_key, seen)
    unfold(CARDS[1:], seen)


def message(seen: Seen) -> dict[str, Any]:
    tally, experiment = seen.tally, seen.experiment
    found = facts(tally, experiment)
    cards = [
        ["Is it rounding?", said(ROUNDING, found), "", ""],
        ["What is the fix?", said(FIX, found), "fixes", "See every fix run"],
        ["How do I notice?", said(NOTICE, found), "", ""],
    ]
    return {
        "claim": said(HEADLINE, found),
        "why": said(REASON, found),
        "told": said(ROWS, found),
        "drawing": picture(tally, experiment, session().ghost(TAB, experiment, bars(tally, experiment) or None)),
        # With one output nothing is wrong, and there is nothing to fix.
        "cards": [card for card in cards if card[1] or found.several],
    }


PART = Live(TAB, Pitfall, message, "pitfall", room=740, own=("rows all the same", "Check my matrix"))
