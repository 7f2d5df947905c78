"""The charts: the tables and columns that they show, their order, axes and colours."""

import re
from functools import cache
from json import loads

import numpy as np
import pandas as pd
import pytest

from lib.discrepancy import charts, rounding_units
from lib.discrepancy.rounding_units import RoundingUnitsTally
from lib.discrepancy.study import Discrepancy
from lib.experiment.query import Experiment
from lib.floats import charts as parts
from lib.pitfall import costs
from lib.run.tally import Histogram
from tests.cases import finish

CHARTS = {"time": costs.time_chart(), "units": charts.units()}


@cache
def tables():
    """Every table with rows in it, at least one of them at each end of what it gathers."""
    far = Histogram.of(np.array([-1075, -300, -3, 300]))
    counted = finish(Discrepancy, Experiment(samples=40, method="finite-difference"))
    return {
        "time": costs.measure(Experiment(samples=40)),
        **rounding_units.tables(RoundingUnitsTally(0, far, far, far, counted.verdict.bound_units)),
    }


COLOURS = {
    "time": {"the rows": "second", "a sum or an approximation": "differ"},
    "units": {
        "error of backward()": "first",
        "error of the Jacobian": "second",
        "their discrepancy": "differ",
    },
}
"""What each value of a column is drawn in, by the meaning of the colour."""

HUES = ("color", "fill", "stroke")
every_chart = pytest.mark.parametrize("name", CHARTS)


def layers(name):
    spec = loads(CHARTS[name].text)
    return spec.get("layer", [spec])


def encodings(name):
    """Every channel that shows a column, with its encoding and the column."""
    for layer in layers(name):
        table = tables()[layer["data"]["name"]]
        for channel, value in layer["encoding"].items():
            for encoding in np.ravel(value):
                if "field" in encoding:
                    yield channel, encoding, table[encoding["field"]]


@every_chart
def test_channels_show_columns_within_domains(name):
    assert {layer["data"]["name"] for layer in layers(name)} == set(CHARTS[name].tables)
    for channel, encoding, column in encodings(name):
        is_number = pd.api.types.is_numeric_dtype(column)
        domain = (encoding.get("scale") or {}).get("domain", {"unionWith": []})
        if channel != "tooltip":
            assert encoding["type"] == ("quantitative" if is_number else "nominal"), channel
        # it grows with the data
        if "unionWith" in domain:
            continue
        assert column.between(*domain).all() if is_number else set(column) <= set(domain), channel


@every_chart
def test_a_colour_has_its_meaning(name):
    """A chart has no literal colour: each colour has a shade for light and one for dark pages."""
    spec = loads(CHARTS[name].text)
    shades = {param["name"]: param["expr"] for param in spec["params"]}
    for meaning, both in parts.COLOURS.items():
        assert all(shade in shades[meaning] for shade in both)
    for layer in layers(name):
        mark = layer["mark"]
        assert all(mark[hue]["expr"] in shades for hue in HUES if hue in mark)
        assert mark.get("fontSize", spec["config"]["text"]["fontSize"]) >= 12
    scales = [encoding["scale"] for channel, encoding, _ in encodings(name) if channel in HUES]
    assert scales
    for scale in scales:
        hues = [colour["expr"] for colour in scale["range"]]
        assert dict(zip(scale["domain"], hues, strict=True)) == COLOURS[name]


def test_methods_stand_in_the_order_of_the_table():
    """Vega-Lite sorts by the alphabet what nobody has sorted."""
    (order,) = [encoding["sort"] for channel, encoding, _ in encodings("time") if channel == "y"]
    assert tables()["time"][order["field"]].is_monotonic_increasing


def test_powers_are_written_with_raised_digits():
    pairs = re.findall(r"regexp\('(.)', 'g'\), '(.)'\)", parts.power(2))
    assert "".join(sorted(plain + raised for plain, raised in pairs)) == "-⁻0⁰1¹2²3³4⁴5⁵6⁶7⁷8⁸9⁹"
