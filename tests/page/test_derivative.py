"""Section 6: the figures of the derivatives, one x at a time, and single points."""

import re
from urllib.parse import urlencode

import pandas as pd
import pytest
import torch
from streamlit.testing.v1 import AppTest

from lib.derivative import tables as derivative_tables
from lib.derivative.explanation import explain
from lib.derivative.saturation import saturation
from lib.derivative.sentences import (
    derivative_claim,
    derivative_intro,
    derivative_reference,
    round_trip,
    saturation_claim,
    twins,
)
from lib.derivative.study import Derivative
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from tests.page.visiting import BY_HAND, drawn, numbers, tick, visit, watch


def visit_derivative(query: str) -> AppTest:
    """The tab of the derivatives, when its run is finished."""
    return watch(visit(f"{query}&{urlencode({'tab': BY_HAND})}"), "Derivative")


@pytest.mark.parametrize(
    "query", ["samples=60", "samples=40&dtype=float64&function=tanh&x_from=uniform", "samples=50&function=log"]
)
def test_the_derivative_shows_the_figures_that_the_library_gives(query):
    experiment = Experiment.parse(query)
    at = visit_derivative(query)
    assert not at.error
    tally = Stream(Derivative(experiment)).finish()
    assert progress_of(at, "x") == (tally.samples, experiment.samples)
    texts = {text.value for text in [*at.title, *at.caption, *at.markdown]}
    said = {derivative_claim(tally, experiment), derivative_reference(tally)}
    said |= {f"{twins(tally)} {round_trip(tally, experiment)}"}
    assert said | {saturation_claim(saturation(experiment), experiment)} <= texts
    shown = drawn(at)
    for name, table in derivative_tables.tables(tally, experiment).items():
        pd.testing.assert_frame_equal(shown[name], table, obj=name)
    tables_shown = [table.value for table in at.table]
    dtype = getattr(torch, experiment.dtype)
    worst = max(tally.series.tallies.values(), key=lambda series: series.worst.value).worst.place.x
    explanation = explain(experiment.function, worst, experiment.dtype)
    for table in derivative_tables.comparison(tally, dtype), derivative_tables.explained(explanation, dtype):
        assert any(table.equals(other) for other in tables_shown)
    assert all(chart.proto.alt for chart in at.get("vega_lite_chart"))


def progress_of(at: AppTest, unit: str) -> tuple[int, int]:
    (bar,) = at.get("progress")
    return numbers(rf"([\d,]+) of ([\d,]+) {unit}", bar.proto.text)


def test_the_posts_number_is_explained():
    at = visit_derivative("samples=10")
    (claim,) = (text.value for text in at.markdown if "One ulp is 2⁻²⁴ = 5.9605e-08" in text.value)
    assert "`1.0497569`" in claim
    table = at.table[0].value.set_index("derivative")
    assert table.loc["`-1/x**2`", "correctly rounded"] == "✓" and table.loc["`autograd`", "correctly rounded"] == "✗"


def test_the_tab_of_a_derivative_speaks_of_the_function_that_was_chosen():
    at = visit_derivative("samples=10&function=tanh")
    texts = [element.value for element in [*at.markdown, *at.header, *at.subheader]]
    assert derivative_intro(Experiment(function="tanh")) in texts
    assert not any("1/x" in text or "1/a" in text for text in texts)


def test_where_every_derivative_overflows_none_is_the_worst():
    query = next(
        query
        for seed in range(1000)
        if Stream(Derivative(Experiment.parse(query := f"samples=1&function=exp&x_from=log-uniform&seed={seed}")))
        .finish()
        .overflow
    )
    texts = [text.value for text in visit_derivative(query).markdown]
    assert any("No derivative has an error in ulps" in text for text in texts) and not any(
        "inf ulp" in t for t in texts
    )


def test_any_x_can_be_looked_at():
    at = visit_derivative("samples=10&function=tanh")
    at.text_input(key="explain").set_value("0x1.4p+3")
    tick(at)
    assert any("x = `10.0` = `0x1.4p+3`" in text.value for text in at.markdown)
    at.text_input(key="explain").set_value("![a](//b.cc)")
    (error,) = tick(at).error
    assert "`` " not in error.value and "` ![a](//b.cc) `" in error.value
    assert visit(f"samples=10&explain=1e5&{urlencode({'tab': BY_HAND})}").text_input(key="explain").value == "1e5"


def test_single_points_are_shown():
    at = visit_derivative("samples=10&function=abs&dtype=bfloat16")
    kinks = {table.value.columns[0]: table.value for table in at.table if "spelt" in str(table.value.columns[0])}
    relu, absolute = (kinks[f"{name}, spelt as"].set_index(f"{name}, spelt as") for name in ("relu", "abs"))
    assert (
        relu.loc["`x.clamp(min=0)`", "gradient at 0"] == "1.0" and relu.loc["`torch.relu(x)`", "gradient at 0"] == "0.0"
    )
    assert absolute.loc["`torch.sqrt(x**2)`", "gradient at 0"] == "nan"
    (edges,) = at.dataframe
    assert len(edges.value) == 9
    (hundredths,) = (text.value for text in at.markdown if "n / 100 * 100" in text.value)
    wrong = [n for n in range(101) if n / 100 * 100 != n]
    assert [int(n) for n in re.findall(r"(\d+) \(", hundredths)] == wrong and "28.999999999999996" in hundredths
    assert any("has no inverse" in text.value for text in at.markdown)
