"""The page without a browser: how a test visits it and what is on it. Each run is one tick."""

import re
from urllib.parse import parse_qsl, urlencode

import pandas as pd
import pyarrow
import pytest
from streamlit.testing.v1 import AppTest

from lib.discrepancy import verdict_tables
from lib.discrepancy.study import Discrepancy, DiscrepancyTally
from lib.discrepancy.tables import tables
from lib.discrepancy.verdict_sentences import verdict_claim
from lib.display.quantities import at_most
from lib.experiment.query import Experiment
from lib.page.address import CONTROLS, shown_by
from lib.run.stream import Stream
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
    return numbers(r"([\d,]+) of ([\d,]+) samples", bar.proto.text)


def numbers(pattern: str, text: str) -> tuple[int, ...]:
    match = re.search(pattern, text)
    assert match, text
    return tuple(int(group.replace(",", "")) for group in match.groups())


def claim(at: AppTest) -> str:
    (text,) = (heading.value for heading in at.main.title if "gradient components" in heading.value)
    return text


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


def assert_shows(at: AppTest, tally: DiscrepancyTally, experiment: Experiment) -> None:
    assert progress(at) == (tally.samples, experiment.samples)
    assert numbers(r"([\d,]+) gradient components", claim(at)) == (tally.components,)
    assert ("equal values in all" in claim(at)) == (tally.equal == tally.components)
    shown = metrics(at)
    assert float(shown["Equal components"].rstrip("%")) / 100 == pytest.approx(
        tally.equal / tally.components, abs=0.0051
    )
    assert shown["Equal samples"] == f"{tally.samples_equal:,}"
    assert shown["Largest difference"] == at_most(tally.max_abs.value)
    longest = float(shown["Longest distance"].removesuffix(" ulp").replace(",", ""))
    assert longest == pytest.approx(tally.max_ulps.value, rel=0.05 if longest >= 100_000 else 0)
    for name, table in {**tables(tally, experiment), **verdict_tables.tables(tally.verdict)}.items():
        pd.testing.assert_frame_equal(drawn(at)[name], table, obj=name)
    assert any(text.value == f"**{verdict_claim(tally.verdict, experiment)}**" for text in at.markdown)


GRADIENTS = "Why do they differ?"
PITFALL = "Why are all rows the same?"
BY_HAND = "Is my derivative right?"
OWN = "Check your own"


def visit_pitfall(query: str) -> AppTest:
    """The tab of the pitfall, when its run is finished."""
    return watch(visit(f"{query}&{urlencode({'tab': PITFALL})}"), "Pitfall")
