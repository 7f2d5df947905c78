"""Every tab: its sentences are those of its study, and whatever can be opened in it opens."""

import pytest

from lib.discrepancy import sentences
from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.experiment.studies import STUDIES
from lib.floats.sentences import said
from lib.run.stream import Stream
from tests.hostile import VIEW_KEYS
from tests.page.visiting import LONG, claim, pauses, texts, tick, visit, watch

OPEN = "&".join(
    f"{key}=true" for key in sorted(VIEW_KEYS - {"tab", "paste", "numbers", "case", "batch"})
)
NETWORKS = [
    "samples=30&dtype=float16&output_activation=softmax&outputs=3&method=single-call",
    "samples=1&outputs=1&method=finite-difference&networks=each-block",
    "samples=20&inputs=8&hidden=&outputs=7&activation=gelu&method=copies&evaluation=batched",
]
FUNCTIONS = [
    "samples=40&function=abs&dtype=bfloat16&x_from=log-uniform",
    "samples=40&f=x*tanh(softplus(x))&df=1",
]
OPENED = [("derivative", query) for query in FUNCTIONS] + [
    (tab, query) for tab in ("discrepancy", "pitfall", "batch") for query in NETWORKS
]


@pytest.mark.parametrize("query", ["samples=60", *NETWORKS[:2]])
def test_the_first_tab_says_what_its_study_measured(query):
    at = watch(visit(query))
    experiment = STUDIES["discrepancy"].of(Experiment.parse(query))
    facts = sentences.facts(Stream(Discrepancy(experiment)).finish(), experiment)
    assert claim(at) == said(sentences.HEADLINE, facts)
    for answer in (facts.verdict.bug, facts.verdict.right, facts.verdict.remedy):
        assert answer in texts(at)


@pytest.mark.parametrize("tab, query", OPENED)
def test_whatever_opens_opens(tab, query):
    """`tests/e2e` opens everything for the defaults."""
    at = watch(visit(f"{query}&{OPEN}", tab))
    assert not at.error
    assert claim(at)
    assert at.expander
    # a drawing and a tick
    assert len(at.get("bidi_component")) >= 2


def test_a_run_at_work_is_paused_and_goes_on(runs):
    at = visit(LONG.query)
    (pause,) = pauses(at)
    assert pause.label == "Pause"
    pause.click()
    (go_on,) = pauses(tick(at))
    assert go_on.label == "Go on"
    shown = texts(at)
    # as another visitor does
    runs.request(Discrepancy, LONG).wait(60)
    assert texts(tick(at)) == shown
    (go_on,) = pauses(at)
    go_on.click()
    assert pauses(tick(at))[0].label == "Pause"


def test_pages_of_one_link_share_a_run(runs):
    visit(LONG.query)
    runs.get(Discrepancy, LONG).wait(60)
    reached = runs.get(Discrepancy, LONG).tally.samples
    visit(LONG.query)
    assert runs.get(Discrepancy, LONG).tally.samples >= reached > 0
    assert len(runs._runs) == 1


def test_a_failed_run_can_be_tried_again(runs, monkeypatch):
    """It is one sentence."""

    def fail(*_: object) -> None:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(Discrepancy, "tally", fail)
    at = visit("samples=20")
    assert [error.value for error in tick(at).error] == ["The computation failed: out of memory"]
    monkeypatch.undo()
    at.button(key="again Discrepancy").click()
    at = watch(tick(at))
    assert not at.error
    assert "20 of 20 samples" in [caption.value for caption in at.caption]
