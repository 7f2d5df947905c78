"""The charts are constant, draw only columns that their tables have, and hold no data of their own."""

from functools import partial

import pytest
import torch

from lib import cost_tables
from lib.charts import costs, derivative, differences, discrepancy, methods, parts, pitfall, scaling, verdict
from lib.costs import Cost
from lib.experiment import Experiment
from lib.studies import (
    agreement,
    derivative_tables,
    differences_tables,
    discrepancy_tables,
    ladder,
    pitfall_tables,
    verdict_tables,
)
from lib.studies import scaling as scaling_study
from lib.studies.agreement import Agreement
from lib.studies.derivative import Derivative
from lib.studies.differences import DifferencesTally
from lib.studies.discrepancy import Discrepancy
from lib.studies.ladder import Ladder
from lib.studies.pitfall import Pitfall
from lib.studies.verdict import VerdictTally

CHARTS = {
    "ulps": discrepancy.ULPS,
    "cells": discrepancy.CELLS,
    "arrivals": discrepancy.ARRIVALS,
    "populations": pitfall.POPULATIONS,
    "right": pitfall.RIGHT,
    "single": pitfall.SINGLE,
    "time": costs.TIME,
    "memory": costs.MEMORY,
    "errors": derivative.ERRORS,
    "by_x": derivative.BY_X,
    "agreement": methods.AGREEMENT,
    "ladder": methods.LADDER,
    "closer": verdict.CLOSER,
    "units": verdict.UNITS,
    **{" ".join(names): small for names, small in scaling.SCALING.items()},
    **{f"steps {dtype}": small for dtype, small in differences.DIFFERENCES.items()},
}
MATRIX = pitfall_tables.entries(torch.ones(2, 3), 1.0)
TABLES = {
    **discrepancy_tables.tables(Discrepancy.empty, Experiment()),
    **pitfall_tables.tables(Pitfall.empty, Experiment()),
    **cost_tables.tables([Cost("rows", 1, 1e-4, 2e-4, 3e-4, 100)], [1, 2]),
    **derivative_tables.tables(Derivative.empty, Experiment()),
    **agreement.tables(Agreement.empty),
    **ladder.tables(Ladder.empty),
    **verdict_tables.tables(VerdictTally()),
    **scaling_study.tables(scaling_study.Scaling.empty),
    **differences_tables.tables(DifferencesTally(), Experiment()),
    "right": MATRIX,
    "single": MATRIX,
}
MAKERS = {
    "ulps": discrepancy.ulps,
    "cells": discrepancy.cells,
    "arrivals": discrepancy.arrivals,
    "populations": pitfall.populations,
    "right": lambda: pitfall.matrix("right"),
    "single": lambda: pitfall.matrix("single"),
    "time": costs.time,
    "memory": costs.memory,
    "errors": derivative.errors,
    "by_x": derivative.by_x,
    "agreement": methods.agreement,
    "ladder": methods.ladder,
    "closer": verdict.closer,
    "units": verdict.units,
    **{" ".join(names): partial(scaling.small_multiple, *names) for names in scaling.SCALING},
    **{f"steps {dtype}": partial(differences.small_multiple, dtype) for dtype in differences.DIFFERENCES},
}


def fields(encoding: object) -> set[str]:
    """Every `field` that is named anywhere in an encoding."""
    if isinstance(encoding, dict):
        own = {encoding["field"]} if isinstance(encoding.get("field"), str) else set()
        return own.union(*map(fields, encoding.values()))
    return set().union(*map(fields, encoding)) if isinstance(encoding, list) else set()


def layers(chart: parts.Chart) -> list[dict]:
    return chart.spec.get("layer", [chart.spec])


@pytest.mark.parametrize("name", CHARTS)
def test_every_layer_draws_columns_of_a_named_table(name):
    chart = CHARTS[name]
    for layer in layers(chart):
        table = layer["data"]["name"]
        assert table in chart.tables
        assert fields(layer["encoding"]) <= set(TABLES[table].columns)


@pytest.mark.parametrize("name", CHARTS)
def test_the_specification_is_constant_and_holds_no_data(name):
    chart = CHARTS[name]
    assert "datasets" not in chart.spec and "config" not in chart.spec
    assert MAKERS[name]().spec == chart.spec
    assert {layer["data"]["name"] for layer in layers(chart)} == set(chart.tables)


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("background", ["#ffffff", "#191919"])
@pytest.mark.parametrize("colour", [parts.TEAL, parts.GREY, parts.ORANGE, parts.VIOLET, parts.BLUE])
def test_marks_have_a_contrast_of_three_to_one_in_both_themes(colour, background):
    lighter, darker = sorted((luminance(colour), luminance(background)), reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) >= 3
