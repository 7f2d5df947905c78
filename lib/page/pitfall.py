"""The tab *Why are all rows the same?*: the rows that merge, two populations of errors, the fixes and their costs."""

from typing import Any

from lib.page import controls, link, live, menu
from lib.page.elements import Section, opened, show_open, unfold
from lib.page.live import Live, Seen
from lib.page.session import session
from lib.pitfall.card_sentences import fix_card, notice_card, rounding_card
from lib.pitfall.head_sentences import headline, why_in_short
from lib.pitfall.opening import picture
from lib.pitfall.populations import bars
from lib.pitfall.sentences import pitfall_rows
from lib.pitfall.study import Pitfall

TAB = "pitfall"
SENTENCE = (
    *("One call of `grad` for all rows of a", link.LAYERS, "network of", "activation", "in", "dtype", "on", "device"),
    *(", over", "samples", "random samples"),
)
MORE = ("output_activation", "method", "evaluation", "distribution", "networks", "matmul", "seed")
CARDS = (
    Section("What fixes it? Every attempt, run on one sample", "fixes", "fixes.show_fixes"),
    Section("What does each method cost?", "costs", "fixes.show_costs"),
)


def show() -> None:
    experiment = controls.show(TAB, SENTENCE, MORE)
    opened(CARDS, PART.open_key)
    seen = live.show(PART, experiment)
    menu.show(TAB, seen)
    show_open(CARDS[:1], PART.open_key, seen)
    unfold(CARDS[1:], seen)


def message(seen: Seen) -> dict[str, Any]:
    tally, experiment = seen.tally, seen.experiment
    former = session().ghost(TAB, experiment, bars(tally, experiment) or None)
    return {
        "claim": headline(tally, experiment),
        "why": why_in_short(experiment),
        "told": pitfall_rows(tally, experiment),
        "drawing": picture(tally, experiment, former[1], former[0]) if former else picture(tally, experiment),
        "cards": [
            ["Is it rounding?", rounding_card(tally, experiment), "", ""],
            ["What is the fix?", fix_card(experiment), "fixes", "See every fix run"],
            ["How do I notice?", notice_card(tally, experiment), "tab own", "Check my matrix"],
        ],
    }


PART = Live(TAB, Pitfall, message, "pitfall", room=730)
