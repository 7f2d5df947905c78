"""The tab *Is my derivative right?*, from top to bottom.

`follow` starts a run or reads its state, and `tick` makes the fragment run again until the run is
finished or paused. `ask` calls a function on the thread of the runs: see `lib.page.follow`.
"""

from functools import partial

import streamlit as st
import torch

from lib.derivative import curve, sentences, tables
from lib.derivative.axis import axis_of
from lib.derivative.drawing import derivative_drawing
from lib.derivative.explanation import Explanation, counterexample_so_far, example_x, explain
from lib.derivative.round_trips import round_trips
from lib.derivative.study import Derivative
from lib.derivative.tally import DerivativeTally
from lib.derivative.unsafe import UNSAFE, gradients
from lib.experiment.functions import BY_RULES, FUNCTIONS
from lib.experiment.query import Experiment
from lib.floats.exact_floats import shortest
from lib.floats.sentences import code, plain, said
from lib.page import controls
from lib.page.charts import draw_chart, show_table
from lib.page.drawings import draw
from lib.page.follow import ask, follow, show_progress, tick
from lib.page.shared import show_answers, show_section, show_share
from lib.paste.printed import PasteError, read_number

SENTENCE = (
    "The derivative of",
    "function",
    "in",
    "dtype",
    "on",
    "device",
    "by autograd and by hand, at",
    "samples",
    "random x",
)
MORE = ("x_from", "seed")


def show() -> None:
    experiment = controls.show("derivative", SENTENCE, MORE, texts=("f", "df"))
    if experiment is None:
        return
    left, right = st.columns(2, gap="large")
    with left.container(horizontal=True, wrap=False, gap=None):
        measured = st.container()
        # On a phone the left column is above the right one, and it is filled later than the
        # controls there. This empty container reserves its height.
        st.container(width=1, height=600, border=False)
    # The controls in the right column are drawn first: the left one needs what is chosen there.
    with right:
        choose_formula_and_x(experiment)
    formula, x = formula_and_x(follow(Derivative, experiment).tally, experiment)
    explanation = ask(explain, experiment.differentiated, x, experiment.dtype, experiment.device)
    with measured:
        show_measured(experiment, formula, x)
    with right:
        show_example(experiment, formula, explanation)
        show_share("derivative", experiment)
    show_section(
        "How exact is each formula?", "formulas", partial(show_formulas, experiment, explanation)
    )
    show_section("How can a gradient be NaN, infinite or zero by mistake?", "unsafe", show_unsafe)
    show_section("Is 1/(1/x) equal to x?", "round-trips", partial(show_round_trips, experiment))


def choose_formula_and_x(experiment: Experiment) -> None:
    """Draw the controls for the formula, and for the x of the drawing."""
    row = st.container(horizontal=True)
    row.selectbox(
        "Formula by hand",
        FUNCTIONS[experiment.differentiated].formulas,
        None,
        key="formula",
        placeholder="automatic",
        **controls.BOUND,
    )
    row.text_input(
        "x in the drawing",
        key="explain",
        placeholder="automatic",
        help="Decimal or hexadecimal digits, rounded to the dtype. Empty: an example is chosen.",
        **controls.BOUND,
    )


def formula_and_x(tally: DerivativeTally, experiment: Experiment) -> tuple[str, float]:
    """Return the formula to compare, and the x to draw: the chosen ones, or else an example."""
    formula = curve.formula_to_compare(tally, experiment, st.session_state["formula"])
    x = typed_x(experiment.dtype)[0]
    return formula, example_x(tally, experiment, formula) if x is None else x


def typed_x(dtype: str) -> tuple[float | None, str]:
    """Return the typed x, None if there is no valid one, and an error message or ""."""
    text = st.session_state["explain"]
    try:
        x = float(read_number(str(text))) if text else None
    except PasteError as error:
        return None, str(error)
    if x is None or torch.tensor(x, dtype=getattr(torch, dtype)).isfinite():
        return x, ""
    return None, f"x must be a finite {dtype}, and {text} is not."


@st.fragment
def show_measured(experiment: Experiment, formula: str, x: float) -> None:
    """Draw the errors of autograd and the formula over x, while the run goes on.

    `formula` and `x` are those in the drawing.
    """
    run = follow(Derivative, experiment)
    tally = run.tally
    if formula_and_x(tally, experiment) != (formula, x):
        # The formula or x has changed, and the drawing is outside this fragment.
        st.rerun()
    facts = sentences.facts(tally, formula, experiment)
    st.header(said(sentences.HEADLINE, facts), anchor=False)
    st.markdown(said(sentences.REASON, facts))
    show_progress(run, "x")
    errors = curve.errors_over_x(tally, experiment, formula)
    data = {"errors": errors, "here": curve.place_of_x(experiment, x)}
    alt = "The mean error of autograd and of the formula over x."
    chart = curve.errors_chart(axis_of(experiment))
    draw_chart("errors", chart, data, alt, partial(pick_bin, experiment, formula))
    matter = facts.verdict.matter
    # A formula with a counterexample is not recommended.
    refuted = experiment.df if counterexample_so_far(tally, experiment, experiment.df) else ""
    best = curve.best_formula(tally, formula, refuted)
    if best:
        matter += f" Take {code(best)}: its mean error is the smallest."
    show_answers(
        {
            "Does it matter?": matter,
            "Which formula does autograd use?": said(sentences.RULE, facts),
            "Why do they differ?": said(sentences.STEPS, facts),
        }
    )
    tick("measured", run)


def pick_bin(experiment: Experiment, formula: str, selected: object) -> None:
    """Draw the derivative at another x: the one in the selected bin with the largest error."""
    # A browser may send anything.
    match selected:
        case [{"bin": int() as bin_}]:
            worst = curve.worst_x(follow(Derivative, experiment).tally, formula, bin_)
            if worst is not None:
                dtype = getattr(torch, experiment.dtype)
                st.session_state["explain"] = shortest(worst, dtype)


def show_example(experiment: Experiment, formula: str, explanation: Explanation) -> None:
    """Draw the derivative at one x: the results, the bits and the code of both sides."""
    if fault := typed_x(experiment.dtype)[1]:
        st.markdown(f":red[{plain(fault)} This is an example:]")
    draw("derivative", derivative_drawing(explanation, experiment, formula), height=446)
    function = FUNCTIONS[experiment.differentiated]
    # If a derivative found by the rules of calculus is long, its name is `rules`, and its code is
    # in `function.where`, as "rules = …".
    by_hand = function.where.partition(" = ")[2] if formula == BY_RULES else formula
    lines = f"y = {function.call}; y.backward(); x.grad\n{by_hand}"
    st.code(lines, language="python", wrap_lines=True)


@st.fragment
def show_formulas(experiment: Experiment, explanation: Explanation) -> None:
    """Draw all formulas in two tables: over all x, and at the x in the drawing."""
    run = follow(Derivative, experiment)
    tally = run.tally
    st.caption(sentences.about_formulas(tally, experiment))
    if tally.existing:
        table = tables.comparison(tally, getattr(torch, experiment.dtype))
        show_table(table, "Table of autograd and the formulas")
    st.caption("At the x in the drawing, digit by digit:")
    show_table(tables.explained(explanation), "Table of the derivative at one x")
    tick("formulas", run)


def show_unsafe() -> None:
    """Draw the picked function, whose gradient is wrong or not finite, and a safe one."""
    first = next(iter(UNSAFE))
    key = st.pills("Case", UNSAFE, default=first, key="case", bind="query-params", required=True)
    row = UNSAFE.get(key or "")
    if row is None:
        return
    columns = st.columns(2, gap="large")
    titled = {"Unsafe": row.code, "Instead": row.safe}
    for column, (title, lines) in zip(columns, titled.items(), strict=True):
        column.markdown(f"**{title}**")
        column.code(lines, language="python", wrap_lines=True)
    table = tables.unsafe(row, ask(gradients, key))
    show_table(table, "Table of both gradients and the exact one")
    st.markdown(row.explanation)


def show_round_trips(experiment: Experiment) -> None:
    """Draw how often 1/(1/x) is x, by dtype, and two formulas for -1/x**2 in float64."""
    chosen = {name: getattr(experiment, name) for name in ("samples", "x_from", "seed")}
    # The other fields have no effect: at their defaults, more viewers share the answer.
    by_dtype, lines = ask(round_trips, Experiment(**chosen))
    st.caption(
        "On paper 1/(1/x) is x and 29/100·100 is 29. In floats each division and product rounds."
    )
    show_table(by_dtype, "Table of the round trips, by dtype")
    st.caption(
        "Two formulas for the derivative of 1/x, equal on paper, at the first few x in float64:"
    )
    show_table(lines, "Table of both formulas at each x")
