"""The charts of finite differences: the error against the step, small multiples by dtype, on logarithmic axes."""

import altair as alt

from lib.display.charts import GREY, TEAL, Chart, axis, chart, power, table
from lib.experiment.choices import DTYPES
from lib.experiment.query import FIELDS
from lib.variations.difference_tables import GUIDES, HIGHEST_ERROR, LOWEST_ERROR, table_name


def small_multiple(dtype: str) -> Chart:
    """The error in a dtype, with the lines of truncation and rounding, and the step used."""
    curve, used, guides, names = (table_name(dtype, kind) for kind in ("curve", "used", "guides", "names"))
    field = FIELDS["step"].field
    x = alt.X(
        "x:Q",
        title="step h / max(1, |x|)",
        axis=alt.Axis(labelExpr=power(2), tickMinStep=1),
        scale=alt.Scale(domain=[field.low, field.high], nice=False),
    )
    y = alt.Y(
        "y:Q",
        title="error / largest component",
        axis=axis(labelExpr=power(10), tickMinStep=1),
        scale=alt.Scale(domain=[LOWEST_ERROR, HIGHEST_ERROR], nice=False),
    )
    tooltip = [f"{column}:N" for column in ("step", "error", "digits")]
    layers = [
        table(guides)
        .mark_line(color=GREY, strokeDash=[5, 3], strokeWidth=1.5, clip=True)
        .encode(x=x, y=y, detail="name:N"),
        *(
            table(names)
            .transform_filter(alt.datum.name == name)
            .mark_text(color=GREY, align=align, dx=dx)
            .encode(x=x, y=y, text="name:N")
            # Truncation rises to the right and rounding to the left: outside of both is room for a name.
            for name, align, dx in ((GUIDES["truncation"], "right", -8), (GUIDES["rounding"], "left", 6))
        ),
        table(curve)
        .mark_line(color=TEAL, clip=True, point=alt.OverlayMarkDef(color=TEAL, size=14, clip=True))
        .encode(x=x, y=y, tooltip=tooltip),
        table(used).mark_rule(color=GREY, strokeDash=[2, 3]).encode(x=x),
        table(used)
        .mark_point(shape="diamond", filled=True, color=TEAL, size=160, opacity=1, clip=True)
        .encode(x=x, y=y, tooltip=tooltip),
    ]
    return chart(alt.layer(*layers), curve, used, guides, names, height=240)


DIFFERENCES = {dtype: small_multiple(dtype) for dtype in DTYPES}
