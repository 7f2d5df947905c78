"""The charts: constant Vega-Lite specifications, each on its named tables. No numbers are computed here.

A specification never changes while the page lives, only the rows of its tables do: the browser then keeps the drawn
chart and swaps its data, without flicker, and zoom and tooltip survive. So everything that varies, the ends of the
axes too, is in a table.
"""

from dataclasses import dataclass

import altair as alt

from lib.studies.discrepancy_tables import ULP_LABELS

# Both hues keep a contrast of 3 to 1 with the light and with the dark background of the page.
_DIFFERENT, _EQUAL, _LINE = "#0d9488", "#7b8794", "#d9580d"
_HEIGHT = 280
_KIND = alt.Color("kind:N", scale=alt.Scale(domain=["equal", "different"], range=[_EQUAL, _DIFFERENT]), legend=None)
# Exponents are written as powers of two with superscript digits.
_POWER_OF_TWO = "toString(datum.value)"
for _plain, _raised in zip("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True):
    _POWER_OF_TWO = f"replace({_POWER_OF_TWO}, regexp('{_plain}', 'g'), '{_raised}')"
_POWER_OF_TWO = f"'2' + {_POWER_OF_TWO}"


@dataclass(frozen=True)
class Chart:
    """A specification as `st.vega_lite_chart` takes it, and the names of the tables that it draws."""

    spec: dict
    tables: tuple[str, ...]


def _chart(chart: alt.Chart | alt.LayerChart, *tables: str) -> Chart:
    with alt.theme.enable("none"):  # the page's own theme comes on top
        spec = chart.properties(height=_HEIGHT).to_dict()
    return Chart(spec, tables)


def _table(name: str) -> alt.Chart:
    return alt.Chart(alt.NamedData(name))


def _axis(**options: object) -> alt.Axis:
    return alt.Axis(minExtent=44, labelFlush=False, **options)


def ulps() -> Chart:
    """Signed ulp histogram: the share of components at each distance, exact zeros in the middle."""
    bars = (
        _table("ulps")
        .mark_bar()
        .encode(
            x=alt.X("ulps:N", sort=ULP_LABELS, title="backward − jacobian, in ulps", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("share:Q", title="components", scale=alt.Scale(domain=[0, 1]), axis=_axis(format="%")),
            color=_KIND,
            tooltip=[
                alt.Tooltip("ulps:N", title="ulps apart"),
                alt.Tooltip("components:Q", format=","),
                alt.Tooltip("share:Q", format=".2%"),
            ],
        )
    )
    return _chart(bars, "ulps")


def cells() -> Chart:
    """Discrepancy against magnitude: binades as cells, the line eps·abs(g), and the exact zeros in the lowest row."""
    ticks = {"tickMinStep": 2, "tickCount": 7}
    scale = alt.Scale(zero=False, nice=False)
    exponents = alt.Axis(labelExpr=_POWER_OF_TWO, labelFlush=True, **ticks)
    exponents_above_zeros = _axis(labelExpr=f"datum.value < domain('y')[0] + 2 ? '' : {_POWER_OF_TWO}", **ticks)
    x = alt.X("x:Q", title="size of the component |g|", axis=exponents, scale=scale)
    y = alt.Y("y:Q", title="|backward − jacobian|", axis=exponents_above_zeros, scale=scale)
    shade = alt.Scale(type="pow", exponent=0.4, domain=[0, 0.1], range=[0.2, 1], clamp=True)
    frame = _table("frame").mark_point(opacity=0).encode(x=x, y=y)
    rectangles = (
        _table("cells")
        .mark_rect()
        .encode(
            x=x,
            x2="x2:Q",
            y=y,
            y2="y2:Q",
            color=_KIND,
            opacity=alt.Opacity("share:Q", scale=shade, legend=None),
            tooltip=[
                alt.Tooltip("magnitude:N", title="|g|"),
                alt.Tooltip("discrepancy:N", title="|difference|"),
                alt.Tooltip("components:Q", format=","),
                alt.Tooltip("share:Q", format=".2%"),
            ],
        )
    )
    line = _table("frame").mark_line(color=_LINE, strokeDash=[5, 3], clip=True).encode(x=x, y=alt.Y("line:Q"))
    name = (
        _table("frame")
        .mark_text(color=_LINE, align="right", baseline="bottom", dx=-14, dy=-10)
        .encode(x=x, y=alt.Y("line:Q"), text="line_name:N")
    )
    zero = (
        _table("frame")
        .mark_text(color=_EQUAL, align="right", baseline="bottom", dx=-8)
        .encode(x=x, y=y, text="zero_name:N")
    )
    return _chart(alt.layer(frame, rectangles, line, name, zero), "frame", "cells")


def arrivals() -> Chart:
    """Share of equal components among the first n samples, as n grows."""
    thousands = alt.Axis(format="~s", tickCount=6, labelFlush=True)
    x = alt.X("samples:Q", title="samples", scale=alt.Scale(type="log", nice=False), axis=thousands)
    y = alt.Y("share:Q", title="equal components", scale=alt.Scale(domain=[0, 1]), axis=_axis(format="%"))
    span = _table("span").mark_point(opacity=0).encode(x=x, y=y)
    curve = (
        _table("arrivals")
        .mark_line(color=_EQUAL, point=alt.OverlayMarkDef(color=_EQUAL, size=12))
        .encode(
            x=x,
            y=y,
            tooltip=[alt.Tooltip("samples:Q", format=","), alt.Tooltip("share:Q", title="equal", format=".2%")],
        )
    )
    return _chart(alt.layer(span, curve), "span", "arrivals")


ULPS, CELLS, ARRIVALS = ulps(), cells(), arrivals()
