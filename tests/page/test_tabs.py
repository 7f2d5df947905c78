"""Every tab: its figures are those of its study, and whatever can be opened in it opens."""

from urllib.parse import urlencode

import pytest

from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.experiment.studies import STUDIES
from lib.page import batch, derivative, discrepancy, pitfall
from lib.page.code import PIECES, code_of
from lib.page.live import Live, Seen
from lib.page.session import Session
from lib.page.variations import SPECIAL
from lib.run.stream import Stream
from tests.page.visiting import LONG, OWN, TABS, chosen, live, messages, session, tick, visit, watch

MODULES = {module.KEY: module for module in (discrepancy, pitfall, batch, derivative)}
SECTIONS = {name: [*module.TAB.cards, *module.TAB.sections] for name, module in MODULES.items()}
QUERIES = [
    "samples=60",
    "samples=300&dtype=bfloat16&evaluation=batched&method=jacrev",
    "samples=1&outputs=1&dtype=float64",
]
HARD = [
    "samples=30&dtype=float16&output_activation=softmax&outputs=3&method=single-call",
    "samples=1&outputs=1&method=finite-difference&networks=each-block",
    "samples=20&hidden=&activation=gelu&method=copies&evaluation=batched",
    "samples=40&function=abs&dtype=bfloat16&x_from=log-uniform",
    "samples=40&f=x*tanh(softplus(x))&df=1",
]


def expected(part: Live, query: str) -> dict:
    experiment = STUDIES[part.key].of(Experiment.parse(query))
    return part.message(Seen(Stream(part.study(experiment)).finish(), experiment, True, Session()))


@pytest.mark.parametrize("query", QUERIES)
def test_the_first_tab_shows_the_figures_of_its_study(query, monkeypatch):
    shown = live(watch(visit(query)))["discrepancy"]
    tally = Stream(Discrepancy(Experiment.parse(query))).finish()
    counts = dict(zip(tally.ulps.keys.tolist(), tally.ulps.counts.tolist(), strict=True))
    histogram = shown["drawing"]["histogram"]
    bars = dict(zip(histogram["keys"], histogram["shares"], strict=True))
    for key in range(-7, 8):
        assert bars[key] == pytest.approx(counts.get(key, 0) / max(tally.finite, 1), rel=1e-4)
    assert shown["progress"].startswith(f"{tally.samples:,} of ") and shown["every"] == 0
    assert all(part in shown for part in ("claim", "why", "told")) and len(shown["cards"]) == 3


@pytest.mark.parametrize("name", MODULES)
def test_a_tab_says_what_its_study_found(name, monkeypatch):
    at = watch(visit("samples=60", name))
    shown = live(at)[name]
    assert shown["over"] and shown["claim"] and shown["drawing"] and len(shown["cards"]) == 3
    with monkeypatch.context() as patch:
        patch.setattr("lib.page.session.st.session_state", {})
        wanted = expected(MODULES[name].PART, "samples=60")
    assert {key: shown[key] for key in ("claim", "why", "cards")} == {
        key: wanted[key] for key in ("claim", "why", "cards")
    }


@pytest.mark.parametrize("query", ["samples=30", *HARD])
@pytest.mark.parametrize("name", MODULES)
def test_whatever_opens_opens(name, query):
    first, *others = SECTIONS[name]
    keys = [first.key, *(section.key for section in others)]
    at = watch(visit(f"{query}&{urlencode(dict.fromkeys(keys, 'true'))}", name))
    assert not at.error and {section.label for section in at.expander} >= {
        section.question for section in MODULES[name].TAB.sections
    }


@pytest.mark.parametrize(
    "card", [card for name in MODULES for card in MODULES[name].TAB.cards], ids=lambda card: card.key
)
def test_a_card_opens_in_place_and_is_in_the_link(card):
    name = next(name for name, module in MODULES.items() if card in module.TAB.cards)
    at = watch(visit(f"samples=20&{card.key}=true", name))
    assert card.key in {row[2] for row in live(at)[name]["cards"]}
    assert card.question in {heading.value for heading in at.subheader}
    assert live(at)[name]["open"] == card.key and at.query_params[card.key] in ("true", ["true"])


@pytest.mark.parametrize("outputs, charts", [(1, 1), (2, 0)])
def test_costs_are_drawn_once_a_method_is_timed_with_as_many_outputs(outputs, charts, monkeypatch):
    monkeypatch.setattr("lib.pitfall.costs.MOST_SECONDS", 0.0)  # the first turn, which is with one output, is the last
    at = watch(visit(f"samples=2&costs=true&outputs={outputs}", "pitfall"))
    assert len(at.get("vega_lite_chart")) == charts and not at.error


@pytest.mark.parametrize("key", SPECIAL)
def test_what_is_for_specialists_runs_when_it_is_chosen(key):
    at = watch(visit(f"samples=20&evaluation=batched&specialists=true&{urlencode({'special': key})}"))
    (part,) = live(at).keys() - {"discrepancy"}
    assert live(at)[part]["claim"] and live(at)[part]["over"]


def test_large_parts_of_a_message_are_sent_once(runs):
    at = visit(LONG.query)
    first = messages(at)[0]
    assert {"code", "style"} <= first["kept"].keys() and set(first["kept"].values()) == set(first["sent"])
    second = messages(tick(at))[0]
    assert not set(second["sent"]) & {second["kept"]["code"], second["kept"]["style"]}
    assert len(str(second)) < len(str(first)) / 4
    session(at).known.clear()  # as a browser that has none of them asks for
    assert set(messages(tick(at))[0]["sent"]) >= {second["kept"]["code"]}


def test_a_running_part_asks_for_its_next_tick_and_one_at_rest_does_not(runs):
    assert live(visit(LONG.query))["discrepancy"]["every"] > 0
    at = visit(LONG.query)
    session(at).paused.add("discrepancy")
    tick(at)
    shown = live(tick(at))["discrepancy"]
    assert shown["every"] == 0 and shown["paused"] and "paused" in shown["progress"]


def test_pages_of_one_link_share_a_run(runs):
    visit(LONG.query)
    runs.get(Discrepancy, LONG).wait(60)
    reached = runs.get(Discrepancy, LONG).tally.samples
    assert live(visit(LONG.query))["discrepancy"]["done"] >= reached / LONG.samples > 0


def test_a_changed_experiment_leaves_a_ghost_until_the_next_change():
    at = watch(visit("samples=60"))
    assert live(at)["discrepancy"]["drawing"]["histogram"]["ghost"] is None
    at.radio(key="dtype").set_value("bfloat16")
    ghost = live(watch(tick(at)))["discrepancy"]["drawing"]["histogram"]["ghost"]
    assert ghost["name"] == "before: dtype float32"
    at.number_input(key="seed").set_value(3)
    assert live(watch(tick(at)))["discrepancy"]["drawing"]["histogram"]["ghost"]["name"] == "before: seed 0"
    assert chosen(at) == Experiment(samples=60, dtype="bfloat16", seed=3)


@pytest.mark.parametrize("picture", PIECES)
def test_the_code_of_a_picture_is_whole(picture):
    code, style = code_of(picture)
    assert ("DRAW." + picture in code) == bool(picture) and code.count("export default") == 1
    assert code.count("{") == code.count("}") and style.count("{") == style.count("}")


def test_the_labels_of_the_tabs_are_those_of_the_studies():
    at = visit("samples=10", OWN)
    assert [tab.label for tab in at.tabs] == [*TABS.values(), OWN]
