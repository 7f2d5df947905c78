"""The page without a browser: how a test visits it and what is on it. Each run is one tick."""

import json
import re
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pandas as pd
import pyarrow
import pytest
from streamlit.runtime.scriptrunner import RerunData
from streamlit.testing.v1 import AppTest, local_script_runner

from lib.discrepancy import verdict_tables
from lib.discrepancy.card_sentences import bug_card, remedy_card, right_card
from lib.discrepancy.study import Discrepancy, DiscrepancyTally
from lib.discrepancy.tables import tables
from lib.discrepancy.verdict_sentences import verdict_claim
from lib.display.quantities import at_most, percent
from lib.experiment.query import Experiment
from lib.page.address import CONTROLS, shown_by
from lib.run.stream import Stream
from tests.contract import read
from tests.server import ROOT

PAGE = ROOT / "streamlit_app.py"

MOST_TICKS = 400

LONG = Experiment(samples=10**6)


def tick(at: AppTest) -> AppTest:
    at.run()
    assert not at.exception
    return at


def visit(query: str) -> AppTest:
    """The whole page for a link, as it is there a moment after its first screen."""
    return tick(arrive(query))


def arrive(query: str) -> AppTest:
    """The page as it first shows for a link."""
    at = AppTest.from_file(PAGE, default_timeout=60)
    for key, text in parse_qsl(query, keep_blank_values=True):
        at.query_params[key] = [*at.query_params.get(key, []), text]
    return tick(tick(at))  # the first run brings the style alone


def go_back(at: AppTest, query: str, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The page after its visitor went back or forward to an address, of which a browser tells with the run it asks."""
    at.query_params.clear()
    at.query_params.update(dict(parse_qsl(query, keep_blank_values=True)))
    with monkeypatch.context() as patch:
        patch.setattr(local_script_runner, "RerunData", partial(RerunData, is_history_navigation=True))
        return tick(at)


def watch(at: AppTest, study: str = "Discrepancy") -> AppTest:
    """The page when its run is finished."""
    for _ in range(MOST_TICKS):
        if at.toggle(key=f"pause {study}").disabled:
            return at
        tick(at)
    pytest.fail(f"not finished after {MOST_TICKS} ticks: {progress(at)}")


def let_rest(runs) -> None:
    """Waits until the long run has stopped, since no page has drawn it for a while, and shows what it has."""
    while (run := runs.get(Discrepancy, LONG)).at_work:
        run.wait(60)


def progress(at: AppTest) -> tuple[int, int]:
    """Samples measured, and samples in all."""
    (bar,) = at.get("progress")
    return numbers(r"([\d,]+) of ([\d,]+) samples?", bar.proto.text)


def numbers(pattern: str, text: str) -> tuple[int, ...]:
    match = re.search(pattern, text)
    assert match, text
    return tuple(int(group.replace(",", "")) for group in match.groups())


def claim(at: AppTest) -> str:
    (text,) = (heading.value for heading in at.main.title)
    return text


def picture(at: AppTest, name: str = "opening") -> dict[str, Any]:
    """The data of a picture."""
    (shown,) = (part.proto for part in at.get("bidi_component") if part.proto.component_name == f"last_bit_{name}")
    return json.loads(shown.json)


def metrics(at: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in at.metric}


def chosen(at: AppTest) -> Experiment:
    """The experiment that the page is at, which every control shows as it is."""
    experiment = at.session_state["chosen"]
    for name in CONTROLS:
        assert at.session_state[name] == shown_by(name, experiment), name
    return experiment


def drawn(at: AppTest) -> dict[str, pd.DataFrame]:
    """The rows of all charts by the names of their tables."""
    sets = [data for chart in at.get("vega_lite_chart") for data in chart.proto.datasets]
    return {data.name: pyarrow.ipc.open_stream(data.data.data).read_all().to_pandas() for data in sets}


def specs(at: AppTest) -> list[str]:
    return [chart.proto.spec for chart in at.get("vega_lite_chart")]


def figures(experiment: Experiment) -> DiscrepancyTally:
    """The same experiment without the page."""
    return Stream(Discrepancy(experiment)).finish()


SECTIONS = "right=true&bug=true&apart=true&operations=true"
"""The sections on the discrepancy that open, all of them open."""


def assert_shows(at: AppTest, tally: DiscrepancyTally, experiment: Experiment) -> None:
    """The claim, the cards and the picture have the figures of the tally, and so have the sections that are open."""
    assert progress(at) == (tally.samples, experiment.samples)
    different = tally.finite - tally.equal
    assert (f" {percent(different, tally.finite)} of its " in claim(at)) == (different > 0)
    assert (" equal." in claim(at)) == (tally.equal == tally.finite > 0)
    texts = [text.value for text in at.markdown]
    for card in (right_card, bug_card, remedy_card):
        said = card(tally.verdict, experiment)
        assert any(text.endswith(f"?** {said}") for text in texts), said
    shares = [bar["share"] for bar in picture(at)["histogram"]["bars"]]
    assert shares == pytest.approx(tables(tally, experiment)["ulps"]["share"].tolist(), rel=1e-4)
    if not at.metric:
        return
    shown = metrics(at)
    assert shown["Equal components"] == percent(tally.equal, tally.finite)
    assert shown["Equal samples"] == f"{tally.samples_equal:,}"
    assert shown["Largest difference"] == at_most(tally.max_abs.value)
    longest = read(shown["Longest distance"].removesuffix("s").removesuffix(" float"))
    assert longest == pytest.approx(tally.max_ulps.value, rel=0.005 if longest >= 100_000 else 0)
    expected = {**tables(tally, experiment), **verdict_tables.tables(tally.verdict)}
    for name in expected.keys() - {"ulps"}:
        pd.testing.assert_frame_equal(drawn(at)[name], expected[name], obj=name)
    assert f"**{verdict_claim(tally.verdict, experiment)}**" in texts


GRADIENTS = "Why do they differ?"
PITFALL = "Why are all rows the same?"
BY_HAND = "Is my derivative right?"
OWN = "Check your own"


def visit_pitfall(query: str) -> AppTest:
    """The tab of the pitfall, when its run is finished."""
    return watch(visit(f"{query}&{urlencode({'tab': PITFALL})}"), "Pitfall")
