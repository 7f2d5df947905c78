"""The charts of a page have their tables, and say what they show."""

import ast
import json
import re

from lib.discrepancy.charts import arrivals, cells, closer, units
from tests.page.visiting import (
    LONG,
    MOST_TICKS,
    PAGE,
    SECTIONS,
    arrive,
    drawn,
    let_rest,
    picture,
    specs,
    tick,
    visit,
    watch,
)

COLUMNS = {
    "cells": {"x", "x2", "y", "y2", "kind", "condition", "ulps", "components", "share"},
    "frame": {"x", "y", "line", "line_name", "zero_name"},
    "arrivals": {"samples", "share"},
    "span": {"samples", "share"},
    "closer": {"verdict", "components", "share"},
    "units": {"series", "x", "size", "share"},
    "bound": {"x", "name", "limit"},
}


SECTIONS_IN_ORDER = [
    "Which one is right?",
    "Is it a bug?",
    "How far apart, and why so many floats?",
    "All operations",
    "How do I make it go away?",
]


def test_a_page_arrives_with_its_picture_and_is_whole_by_the_next_run():
    at = arrive("samples=40")
    assert picture(at)["histogram"]["bars"] and len(at.title) == 1
    assert SECTIONS_IN_ORDER[0] not in {section.label for section in at.expander}
    tick(at)
    assert [section.label for section in at.expander][:5] == SECTIONS_IN_ORDER
    assert not drawn(at), "what is closed is not drawn"


def test_charts_have_their_tables_and_say_what_they_show():
    at = watch(visit(f"samples=40&{SECTIONS}"))
    assert {name: set(table) for name, table in drawn(at).items()} == COLUMNS
    charts = at.get("vega_lite_chart")
    assert [[data.name for data in chart.proto.datasets] for chart in charts] == [
        list(chart.tables) for chart in (closer(), units(), cells(), arrivals())
    ]
    for chart in charts:
        assert re.fullmatch(r"[A-Z][^:]+: .*\d.*\.", chart.proto.alt)
    assert len({chart.proto.alt for chart in charts}) == len(charts)


def test_only_the_rows_of_a_chart_change_between_ticks(runs):
    def settled() -> tuple:
        types = {name: list(table.dtypes) for name, table in drawn(at).items()}
        return specs(at), [chart.proto.alt for chart in at.get("vega_lite_chart")], types

    at = visit(f"{LONG.query}&{SECTIONS}")
    rows, kept = [], [settled()]
    for _ in range(MOST_TICKS):  # until two more rows are drawn: how much one tick brings is up to the machine
        rows.append(len(drawn(at)["arrivals"]))
        if rows[-1] > rows[0] + 1:
            break
        let_rest(runs)
        tick(at)
        kept.append(settled())
    assert rows[-1] > rows[0] + 1 and sorted(rows) == rows
    assert kept == [kept[0]] * len(kept)
    assert specs(watch(visit(f"dtype=bfloat16&samples=20&{SECTIONS}"))) == specs(at)


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

    at = watch(visit(f"samples=20&{SECTIONS}"))
    asked = {pair for spec in specs(at) for pair in fields(json.loads(spec))}
    assert len(asked) > 15
    assert not {(table, field) for table, field in asked if field not in COLUMNS[table]}


def test_docstrings_of_the_page_stay_in_its_source():
    lone = (node.value for node in ast.walk(ast.parse(PAGE.read_text())) if isinstance(node, ast.Expr))
    docstrings = {node.value for node in lone if isinstance(node, ast.Constant)}
    assert docstrings
    assert not docstrings & {text.value for text in visit("samples=20").markdown}
