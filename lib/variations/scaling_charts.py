"""The charts of scaling: small multiples, one for each sweep and quantity, on logarithmic axes."""

import altair as alt

from lib.display.charts import GREY, TEAL, Chart, axis, chart, power, table
from lib.variations.scaling import SWEEPS, ULPS, UNITS, table_name


def small_multiple(sweep: str, quantity: str) -> Chart:
    """A quantity against the number that is swept, with the lines that grow as √n and as n."""
    points, guides = (table_name(sweep, quantity, kind) for kind in ("points", "guides"))
    numbers = alt.Axis(labelExpr="pow(2, datum.value)", tickMinStep=1)
    x = alt.X("x:Q", title=sweep, axis=numbers, scale=alt.Scale(nice=False))
    powers = axis(labelExpr=power(2), tickMinStep=1)
    y = alt.Y("y:Q", title=quantity, axis=powers, scale=alt.Scale(zero=False))
    lines = table(guides).mark_line(color=GREY, strokeDash=[5, 3], strokeWidth=1).encode(x=x, y=y, detail="name:N")
    curve = (
        table(points)
        .mark_line(color=TEAL, point=alt.OverlayMarkDef(color=TEAL, size=25))
        .encode(x=x, y=y, tooltip=[alt.Tooltip("value:Q", title=sweep), alt.Tooltip("size:N", title=quantity)])
    )
    return chart(alt.layer(lines, curve), points, guides, height=200)


SCALING = {(sweep, quantity): small_multiple(sweep, quantity) for quantity in (UNITS, ULPS) for sweep in SWEEPS}
