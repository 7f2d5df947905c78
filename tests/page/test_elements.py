"""The charts of a page have their tables, and say what they show."""

import ast
import json
import re

from lib.discrepancy.charts import ARRIVALS, CELLS, CLOSER, ULPS, UNITS
from tests.page.visiting import LONG, PAGE, arrive, drawn, let_rest, metrics, specs, tick, visit, watch

COLUMNS = {
    "ulps": {"ulps", "kind", "components", "share"},
    "cells": {"x", "x2", "y", "y2", "kind", "condition", "ulps", "components", "share"},
    "frame": {"x", "y", "line", "line_name", "zero_name"},
    "arrivals": {"samples", "share"},
    "span": {"samples", "share"},
    "closer": {"verdict", "components", "share"},
    "units": {"series", "x", "size", "share"},
    "bound": {"x", "name", "limit"},
}


def test_a_page_arrives_with_its_first_chart_and_is_whole_by_the_next_run():
    at = arrive("samples=40")
    assert set(drawn(at)) == set(ULPS.tables)
    assert metrics(at)["Equal samples"] and [header.value for header in at.header] == ["How far apart are they?"]
    tick(at)
    assert set(drawn(at)) == set(COLUMNS)
    assert [header.value for header in at.header][-1] == "How do I make it go away?"


def test_charts_have_their_tables_and_say_what_they_show():
    at = watch(visit("samples=40"))
    assert {name: set(table) for name, table in drawn(at).items()} == COLUMNS
    charts = at.get("vega_lite_chart")
    assert [[data.name for data in chart.proto.datasets] for chart in charts] == [
        list(chart.tables) for chart in (ULPS, ARRIVALS, CELLS, CLOSER, UNITS)
    ]
    for chart in charts:
        assert re.fullmatch(r"[A-Z][^:]+: .*\d.*\.", chart.proto.alt)
    assert len({chart.proto.alt for chart in charts}) == len(charts)


def test_only_the_rows_of_a_chart_change_between_ticks(runs):
    def settled() -> tuple:
        types = {name: list(table.dtypes) for name, table in drawn(at).items()}
        return specs(at), [chart.proto.alt for chart in at.get("vega_lite_chart")], types

    at = visit(LONG.query)
    rows, kept = [], [settled()]
    for _ in range(3):
        rows.append(drawn(at)["arrivals"])
        let_rest(runs)
        tick(at)
        kept.append(settled())
    assert all(len(before) < len(after) for before, after in zip(rows, rows[1:], strict=False))
    assert kept == [kept[0]] * 4
    assert specs(watch(visit("dtype=bfloat16&samples=20"))) == specs(at)


def test_every_field_that_a_chart_draws_is_a_column():
    def fields(part: object, table: str | None = None):
        if isinstance(part, dict):
            table = part.get("data", {}).get("name", table)
            if isinstance(part.get("field"), str):
                yield table, part["field"]
            part = part.values()
        if not isinstance(part, str | int | float | None):
            for inner in part:
                yield from fields(inner, table)

    at = watch(visit("samples=20"))
    asked = {pair for spec in specs(at) for pair in fields(json.loads(spec))}
    assert len(asked) > 15
    assert not {(table, field) for table, field in asked if field not in COLUMNS[table]}


def test_docstrings_of_the_page_stay_in_its_source():
    lone = (node.value for node in ast.walk(ast.parse(PAGE.read_text())) if isinstance(node, ast.Expr))
    docstrings = {node.value for node in lone if isinstance(node, ast.Constant)}
    assert docstrings
    assert not docstrings & {text.value for text in visit("samples=20").markdown}
