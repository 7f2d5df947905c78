"""What fixes the pitfall, and what each method costs, opened."""

import streamlit as st

from lib.floats.sentences import said
from lib.page import live
from lib.page.elements import draw_chart, show_table
from lib.page.live import Live, Seen
from lib.page.runs import ask, runs
from lib.pitfall import charts
from lib.pitfall.cost_tables import FAMILIES, readable, tables
from lib.pitfall.costs import Costs, subject, summary
from lib.pitfall.fixes import ATTEMPTS
from lib.pitfall.sentences import COSTS as TIMED
from lib.pitfall.sentences import FASTEST, WHY
from lib.pitfall.sentences import Costs as Timed
from lib.pitfall.study import inspect
from lib.pitfall.tables import entries, fix_rows


def show_fixes(seen: Seen) -> None:
    """Show the sample that the visitor picks, by default the worst so far: both matrices, and what each fix gives."""
    experiment = seen.experiment
    picked = st.number_input(
        "Sample", 0, experiment.samples - 1, None, 1, key="look_at", placeholder="the worst so far", bind="query-params"
    )
    number = picked if picked is not None else seen.tally.worst_number(experiment)
    found = ask(inspect, experiment, number)
    if found is None:
        return
    largest = max(found.rows.abs().max().item(), found.single.abs().max().item())
    for column, title, name, matrix in zip(
        st.columns(2, gap="large"),
        ("**Row by row**: each row is its output's own.", "**One call**: every row is the sum."),
        ("right", "single"),
        (found.rows, found.single),
        strict=True,
    ):
        with column:
            st.markdown(title)
            draw_chart(
                name, charts.matrix(name), {name: entries(matrix, largest)}, f"Heat map. {title.replace('*', '')}"
            )
    st.markdown(f"Every attempt, run on sample {found.number}. The same letter means equal values in every entry.")
    show_table(fix_rows(found.outcomes), "Table of the attempts and what each gave")
    with st.expander("The lines of each attempt"):
        st.code("\n\n".join(f"# {attempt.name}\n{attempt.code}" for attempt in ATTEMPTS), language="python")
    st.markdown(WHY.markdown)


def show_costs(seen: Seen) -> None:
    live.show(COSTS, subject(seen.experiment))


def _message(seen: Seen) -> dict[str, object]:
    return {"claim": said(FASTEST, Timed.of(summary(seen.tally), seen.experiment))}


def _draw(seen: Seen) -> None:
    costs = summary(seen.tally)
    if not costs:
        return
    st.markdown(said(TIMED, Timed.of(costs, seen.experiment)))
    alt = "Curves of the time by the number of outputs, one for each method."
    draw_chart("time", charts.time(), tables(costs), alt)
    families = "; ".join(f"{family} ({', '.join(methods)})" for family, methods in FAMILIES.items())
    st.caption(f"Methods with the same dashes cost alike; violet ones do not return the rows: {families}.")
    st.dataframe(readable(costs), alt="Table of the median times and of the peak memory")
    if seen.over:
        st.button("Measure again", on_click=runs().forget, args=(Costs, seen.experiment))


COSTS = Live("costs", Costs, _message, unit="turns", below=_draw)
