"""What the charts have in common: specifications with named tables, colours, axes.

A function that builds a chart is cached, and called only when the chart is drawn: Altair takes
a second to check all charts, longer than the first screen takes to be computed.
"""

from dataclasses import dataclass
from json import dumps
from threading import Lock

import altair as alt

COLOURS = {
    "first": ("#c2410c", "#f0812b"),
    "second": ("#0b4f4c", "#6ee7d8"),
    "differ": ("#6d3fc0", "#c4a5fb"),
    "equal": ("#8b949e", "#7a838d"),
    "quiet": ("#545a64", "#b0b7c0"),
    "ink": ("#16181d", "#eef0f4"),
}
"""The shades of each colour on the light and on the dark page. A colour has one meaning everywhere:

- orange, solid, ●: the first side, which is backward, alone or autograd;
- teal, dashed, ■: the second side;
- violet: different, wrong, changed;
- grey: equal;
- quiet: labels and guide lines;
- ink, dotted, ◇: the text of the page, and what is exact.

Dashes, shapes or labels always say the same as the colours. The second side is far darker than all
others on the light page and far lighter on the dark one, so that luminance alone tells it from the
first side and from what is equal.
"""

FIRST, SECOND, DIFFER, EQUAL, QUIET, INK = map(alt.ExprRef, COLOURS)
"""The colours as parameters of a chart: Vega picks the shade for the background of the page."""

_SHADES = [
    {"name": name, "expr": f"luminance(background) > 0.5 ? '{light}' : '{dark}'"}
    for name, (light, dark) in COLOURS.items()
]
_CONFIG = {
    "axis": {"labelColor": {"expr": "quiet"}, "titleColor": {"expr": "ink"}, "labelFlush": False},
    "legend": {"labelColor": {"expr": "ink"}},
    "text": {"fontSize": 12},
    "point": {"opacity": 1},
}
"""Overrides of the page's theme, which draws these too faint, too small or away from their tick."""

_THEME = Lock()


@dataclass(frozen=True)
class Chart:
    """A specification for `st.vega_lite_chart` as JSON, its tables' names, its height in pixels.

    The first table holds the plotted data, which the page also shows as a table; the others are for
    axes and lines.
    """

    text: str
    tables: tuple[str, ...]
    height: int


def chart(drawing: alt.Chart | alt.LayerChart, *tables: str, height: int) -> Chart:
    """Return the chart with the drawing's specification, the names of its tables and its height."""
    # The page adds its own theme. Altair's theme is one setting per process, and two sessions may
    # draw concurrently.
    with _THEME, alt.theme.enable("none"):
        spec = drawing.properties(height=height).to_dict()
    ours = {
        "params": [*_SHADES, *spec.get("params", [])],
        "config": _CONFIG,
        # Streamlit's is 20 pixels.
        "padding": {"bottom": 4},
    }
    return Chart(dumps({**spec, **ours}), tables, height)


def table(name: str) -> alt.Chart:
    """Return an empty drawing of the table with this name, which the page fills with data."""
    return alt.Chart(alt.NamedData(name))


def pick(field: str) -> alt.Parameter:
    """Return a selection of the mark that is pressed, by the value of a field of the table.

    It is cleared when the pointer leaves the mark, so that the same mark can be pressed again.
    """
    return alt.selection_point(name="pick", fields=[field], toggle=False, clear="mouseout")


def axis(**options: object) -> alt.Axis:
    """Return an axis that keeps at least 44 pixels free for its labels."""
    return alt.Axis(minExtent=44, **options)


def power(base: int, value: str = "datum.value") -> str:
    """Return a Vega expression for a label: the base with `value` as a superscript exponent.

    The label is empty if the exponent is not whole, which can happen if an axis has only one tick.
    """
    exponent = f"toString({value})"
    for plain, raised in zip("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True):
        exponent = f"replace({exponent}, regexp('{plain}', 'g'), '{raised}')"
    return f"{value} % 1 ? '' : '{base}' + {exponent}"
