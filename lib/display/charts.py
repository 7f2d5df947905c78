"""What the charts have in common: a constant specification on named tables, colours, axes in powers."""

from dataclasses import dataclass
from threading import Lock

import altair as alt

# Each keeps a contrast of 3 to 1 with the light and with the dark background of the page.
TEAL, GREY, ORANGE, VIOLET, BLUE = "#0d9488", "#7b8794", "#d9580d", "#9061c9", "#3b7fd4"
HEIGHT = 280
_THEME = Lock()


@dataclass(frozen=True)
class Chart:
    """A specification as `st.vega_lite_chart` takes it, and the names of the tables that it draws.

    The first table is what it plots, which is what the page shows as its data; the others are for axes and lines.
    """

    spec: dict
    tables: tuple[str, ...]


def chart(drawing: alt.Chart | alt.LayerChart, *tables: str, height: int = HEIGHT) -> Chart:
    # The page's own theme comes on top. Altair's is one setting of the process, and sessions may import in two threads.
    with _THEME, alt.theme.enable("none"):
        spec = drawing.properties(height=height).to_dict()
    return Chart(spec, tables)


def table(name: str) -> alt.Chart:
    return alt.Chart(alt.NamedData(name))


def frame(name: str, x: alt.X, y: alt.Y) -> alt.Chart:
    """Invisible points: they keep the axes to the ends that a table has for them."""
    return table(name).mark_point(opacity=0).encode(x=x, y=y)


def texts(name: str, encoding: dict[str, object], **style: object) -> alt.Chart:
    """A column of a table, written where the encoding says."""
    return table(name).mark_text(**style).encode(**encoding)


def titled(**titles: str) -> list[alt.Tooltip]:
    """What a mark shows when it is touched: columns that are texts, with their titles."""
    return [alt.Tooltip(f"{column}:N", title=title) for column, title in titles.items()]


COMPONENTS, SHARE = alt.Tooltip("components:Q", format=","), alt.Tooltip("share:Q", format=".2%")
"""Likewise how many components a mark stands for, and which share of all."""

UP_TO_ALL = alt.Scale(domain=[0, 1])
"""The scale of a share."""


def axis(**options: object) -> alt.Axis:
    return alt.Axis(minExtent=44, labelFlush=False, **options)


def power(base: int) -> str:
    """The expression of an axis label: the exponent as a power of the base, with superscript digits; empty where it
    is not whole, as the only tick of an axis may be."""
    exponent = "toString(datum.value)"
    for plain, raised in zip("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹", strict=True):
        exponent = f"replace({exponent}, regexp('{plain}', 'g'), '{raised}')"
    return f"datum.value % 1 ? '' : '{base}' + {exponent}"
