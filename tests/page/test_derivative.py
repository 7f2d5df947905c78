"""Is my derivative right? The picture has what the library gives, of the x, the formula and the range chosen."""

import json
import re
from urllib.parse import urlencode

import pandas as pd
import pytest
import torch
from streamlit.testing.v1 import AppTest

from lib.derivative import tables as derivative_tables
from lib.derivative.axis import axis_of
from lib.derivative.curve import compared, errors_over_x
from lib.derivative.explanation import explain
from lib.derivative.line import at_one_x
from lib.derivative.opening_sentences import head_claim, head_why, one_x
from lib.derivative.points import example_x
from lib.derivative.saturation import saturation
from lib.derivative.sentences import derivative_reference, round_trip, saturation_claim, twins
from lib.derivative.study import Derivative
from lib.experiment.choices import DTYPES
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.page.at_x import KNOWN
from lib.run.stream import Stream
from tests.page.visiting import BY_HAND, drawn, numbers, tick, visit, watch


def visit_derivative(query: str) -> AppTest:
    """The tab of the derivatives, when its run is finished."""
    return watch(visit(f"{query}&{urlencode({'tab': BY_HAND})}"), "Derivative")


def picture(at: AppTest) -> dict:
    """The data that the picture is drawn from."""
    (found,) = [json.loads(one.proto.json) for one in at.get("bidi_component") if '"curve":' in one.proto.json]
    return found


def as_sent(data: object) -> object:
    return json.loads(json.dumps(data))


def markdown(at: AppTest) -> set[str]:
    return {text.value for text in at.markdown}


QUERIES = [
    f"samples=60&function={function}&dtype={dtype}"
    for i, function in enumerate(FUNCTIONS)
    for dtype in (list(DTYPES)[i % 4], list(DTYPES)[(i + 2) % 4])
]


@pytest.mark.parametrize("query", [*QUERIES, "samples=40&dtype=float64&function=tanh&x_from=uniform"])
def test_the_opening_shows_what_the_library_gives(query):
    experiment = Experiment.parse(query)
    at = visit_derivative(query)
    assert not at.error
    tally = Stream(Derivative(experiment)).finish()
    assert progress_of(at, "x") == (tally.samples, experiment.samples)
    formula = compared(tally, experiment)
    (title,) = at.title
    assert title.value == head_claim(tally, formula, experiment) and len(title.value) <= 75
    explanation = explain(experiment.function, example_x(tally, experiment, formula), experiment.dtype)
    assert {head_why(tally, formula, experiment), one_x(explanation, formula, experiment)} <= markdown(at)
    shown = picture(at)
    assert shown["line"] == as_sent(at_one_x(explanation, experiment, formula))
    assert shown["curve"] == as_sent(errors_over_x(tally, experiment, formula))
    assert shown["range"] == [0, axis_of(experiment).bins]
    assert shown["label"] == one_x(explanation, formula, experiment)
    assert len(f"{title.value} {head_why(tally, formula, experiment)}".split()) <= 40


def progress_of(at: AppTest, unit: str) -> tuple[int, int]:
    (bar,) = at.get("progress")
    return numbers(rf"([\d,]+) of ([\d,]+) {unit}", bar.proto.text)


@pytest.mark.parametrize("query", ["samples=60", "samples=50&function=log", "samples=50&function=gelu&dtype=float64"])
def test_all_formulas_are_in_a_section_that_opens(query):
    experiment = Experiment.parse(query)
    at = visit_derivative(f"{query}&formulas=true&saturation=true")
    tally = Stream(Derivative(experiment)).finish()
    assert f"{twins(tally)} {round_trip(tally, experiment)}" in markdown(at)
    assert saturation_claim(saturation(experiment), experiment) in markdown(at)
    assert derivative_reference(tally) in {text.value for text in at.caption}
    shown = drawn(at)
    for name, table in derivative_tables.tables(tally, experiment).items():
        pd.testing.assert_frame_equal(shown[name], table, obj=name)
    comparison = derivative_tables.comparison(tally, getattr(torch, experiment.dtype))
    assert any(table.value.equals(comparison) for table in at.table)
    assert all(chart.proto.alt for chart in at.get("vega_lite_chart"))


def test_closed_sections_draw_nothing():
    at = visit_derivative("samples=10")
    assert not at.table and not at.dataframe and not at.get("vega_lite_chart")


def test_the_posts_number_is_explained():
    at = visit_derivative("samples=10&digits=true")
    (claim,) = (text.value for text in at.markdown if "One ulp is 2⁻²⁴ = 5.9605e-08" in text.value)
    assert "`1.0497569`" in claim
    table = at.table[0].value.set_index("derivative")
    assert table.loc["`-1/x**2`", "correctly rounded"] == "✓" and table.loc["`autograd`", "correctly rounded"] == "✗"
    assert any("from a forum post" in text for text in markdown(at))


def test_the_tab_speaks_of_the_function_that_was_chosen():
    at = visit_derivative("samples=10&function=tanh&digits=true&why_by_hand=true&formulas=true&edges=true")
    texts = [element.value for element in [*at.markdown, *at.title, *at.caption]]
    assert any("tanh" in text for text in texts)
    assert not any("1/x" in text or "1/a" in text for text in texts)


@pytest.mark.parametrize("formula", FUNCTIONS["reciprocal"].formulas)
def test_the_formula_held_against_autograd_is_the_one_in_the_link(formula):
    at = visit_derivative(f"samples=200&{urlencode({'formula': formula})}")
    tally = Stream(Derivative(Experiment(samples=200))).finish()
    assert at.title[0].value == head_claim(tally, formula, Experiment(samples=200))
    assert picture(at)["curve"] == as_sent(errors_over_x(tally, Experiment(samples=200), formula))


def test_a_formula_of_another_function_is_dropped():
    at = visit_derivative("samples=100&formula=-x**-2")
    at.selectbox(key="function").set_value("exp")
    at = watch(tick(at), "Derivative")
    assert at.selectbox(key="formula").value is None and "exp" in at.title[0].value


def test_where_no_x_has_an_error_none_is_named():
    query = next(
        query
        for seed in range(1000)
        if Stream(Derivative(Experiment.parse(query := f"samples=1&function=exp&x_from=log-uniform&seed={seed}")))
        .finish()
        .overflow
    )
    at = visit_derivative(query)
    assert any("No x so far has a finite derivative" in text for text in markdown(at))
    assert not any("inf floats" in text for text in markdown(at))


def test_any_x_can_be_looked_at():
    at = visit_derivative("samples=10&function=tanh&digits=true")
    at.text_input(key="explain").set_value("0x1.4p+3")
    tick(at)
    assert any("x = `10.0` = `0x1.4p+3`" in text for text in markdown(at))
    assert picture(at)["title"] == "The derivative of tanh at x = 10.0"
    assert visit(f"samples=10&explain=1e5&{urlencode({'tab': BY_HAND})}").text_input(key="explain").value == "1e5"


@pytest.mark.parametrize("text", ["![a](//b.cc)", "1e999", "three", "1" * 5000, "<script>"])
def test_what_is_no_number_gets_a_sentence(text):
    at = visit_derivative("samples=10")
    at.text_input(key="explain").set_value(text)
    (error,) = tick(at).error
    assert "`` " not in error.value and len(error.value) < 300
    assert picture(at)["title"] == "The derivative of 1/x at x = 1.0497569"


@pytest.mark.parametrize(
    ("query", "sentence", "values"),
    [
        ("function=sqrt&explain=0", "does not exist", ["∞", "not a number"]),
        ("function=relu&explain=0", "there PyTorch takes 0", ["0.0", "0.5", "not a number"]),
        ("function=abs&explain=0", "there PyTorch takes 0", None),
        ("explain=0", "does not exist", ["−∞"]),
        ("explain=inf", None, None),
        ("function=log&explain=-1", "does not exist", None),
        ("dtype=float16&explain=0.0001", "beyond the largest float16", ["−∞"]),
        ("dtype=float16&explain=1e6", "does not exist", None),
        ("function=tanh&explain=12", "neither ends", None),
        ("function=sigmoid&explain=20", "autograd is 9.28 million floats off", None),
        ("function=tanh&explain=3000&dtype=float64", "both end", None),
    ],
)
def test_a_special_x_has_a_picture_and_a_sentence(query, sentence, values):
    at = visit_derivative(f"samples=30&{query}")
    assert sentence is None or any(sentence in text for text in markdown(at)), markdown(at)
    labels = picture(at)["line"]["labels"]
    assert values is None or [label["text"] for label in labels] == values
    experiment = Experiment.parse(query.split("explain")[0].rstrip("&"))
    named = {line for label in labels for line in label["lines"]}
    assert "autograd" in named and len(named) > len(FUNCTIONS[experiment.function].formulas)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("8-24", [8, 24]), ("0-56", [0, 56]), ("24-8", [0, 56]), ("0-57", [0, 56]), ("-1-5", [0, 56]), ("a", [0, 56])],
)
def test_the_range_of_the_link_is_shown_if_the_axis_has_it(text, expected):
    assert picture(visit_derivative(f"samples=10&range={text}"))["range"] == expected


def test_a_range_belongs_to_its_axis():
    at = visit_derivative("samples=10&range=8-24")
    at.selectbox(key="dtype").set_value("float64")
    assert picture(watch(tick(at), "Derivative"))["range"] == [8, 24]
    at.selectbox(key="function").set_value("tanh")
    assert picture(watch(tick(at), "Derivative"))["range"] == [0, 64]
    assert "range" not in at.query_params


def test_the_former_curve_stays_as_a_ghost_on_the_same_axis():
    at = visit_derivative("samples=500")
    assert picture(at)["curve"]["ghost"] == []
    before = picture(at)["curve"]["series"]
    at.selectbox(key="dtype").set_value("bfloat16")
    shown = picture(watch(tick(at), "Derivative"))
    assert "thin: float32" in shown["hint"] and [one["kind"] for one in shown["curve"]["ghost"]] == ["first", "second"]
    if shown["curve"]["levels"][-1]["text"] == "1":
        assert shown["curve"]["ghost"][0]["height"] == before[0]["height"]
    at.selectbox(key="function").set_value("tanh")
    assert picture(watch(tick(at), "Derivative"))["curve"]["ghost"] == []


@pytest.mark.parametrize("name", KNOWN)
def test_what_visitors_come_with_is_one_click_away(name):
    at = visit_derivative("samples=10&function=log")
    (row,) = [group for group in at.button_group if set(KNOWN) <= set(group.options)]
    row.set_value(name)
    at = tick(at)
    place = KNOWN[name]
    assert (
        at.session_state["chosen"] == place.experiment and at.text_input(key="explain").value == place.view["explain"]
    )


def test_single_points_are_shown():
    at = visit_derivative("samples=10&function=abs&dtype=bfloat16&kinks=true&edges=true&round_trip=true")
    kinks = {table.value.columns[0]: table.value for table in at.table if "spelt" in str(table.value.columns[0])}
    relu, absolute = (kinks[f"{name}, spelt as"].set_index(f"{name}, spelt as") for name in ("relu", "abs"))
    assert (
        relu.loc["`x.clamp(min=0)`", "gradient at 0"] == "1.0" and relu.loc["`torch.relu(x)`", "gradient at 0"] == "0.0"
    )
    assert absolute.loc["`torch.sqrt(x**2)`", "gradient at 0"] == "nan"
    (edges,) = at.dataframe
    assert len(edges.value) == 9
    (hundredths,) = (text for text in markdown(at) if "n / 100 * 100" in text)
    wrong = [n for n in range(101) if n / 100 * 100 != n]
    assert [int(n) for n in re.findall(r"(\d+) \(", hundredths)] == wrong and "28.999999999999996" in hundredths
    assert any("has no inverse" in text for text in markdown(at))


@pytest.mark.parametrize(
    ("query", "jumps", "gaps", "linear"),
    [
        ("samples=2000", True, True, True),
        ("samples=3000&x_from=uniform", True, False, True),
        ("samples=100&function=relu", False, True, True),
        ("samples=500&function=tanh&x_from=uniform", False, False, False),
    ],
)
def test_marks_gaps_and_the_axis_are_explained_where_there_are_any(query, jumps, gaps, linear):
    shown = picture(visit_derivative(query))
    assert ("power of two" in shown["hint"]) == jumps == bool(shown["curve"]["jumps"])
    assert ("gap: nothing" in shown["hint"]) == gaps
    assert gaps == any(None in series["height"] for series in shown["curve"]["series"])
    assert ("log₂(1 + error)" in shown["unit"]) != linear


@pytest.mark.parametrize(
    ("query", "opens"),
    [
        ("samples=10", "edges"),
        ("function=sqrt&explain=0", "edges"),
        ("function=relu&explain=0", "kinks"),
        ("function=abs&explain=0", "kinks"),
        ("function=tanh&explain=12", "saturation"),
    ],
)
def test_a_card_leads_to_the_section_about_this_x(query, opens):
    at = visit_derivative(f"samples=10&{query}")
    at.button(key=f"on to {opens}").click()
    at = tick(at)
    assert at.session_state[opens] and {"edges": at.dataframe, "kinks": at.table}.get(opens, True)


def test_the_former_name_of_the_tab_still_opens_it():
    at = visit(f"samples=10&{urlencode({'tab': 'Why is 1/x off?'})}")
    assert at.query_params["tab"] in (BY_HAND, [BY_HAND]) and picture(at)


def test_a_range_that_is_dragged_is_put_into_the_link_by_a_run_of_the_whole_page():
    at = visit_derivative("samples=10")
    for dragged, shown in (("8-24", [8, 24]), ("", [0, axis_of(Experiment()).bins])):
        at.session_state["dragged"] = dragged
        tick(at)
        assert "".join(at.query_params.get("range", "")) == dragged and picture(at)["range"] == shown


def in_link(at: AppTest, key: str) -> str:
    """What the address has under a key, or nothing."""
    found = at.query_params.get(key, "")
    return found if isinstance(found, str) else "".join(found)


OWN = [
    {"f": "x*tanh(softplus(x))"},
    {"f": "tanh(x)", "df": "1-tanh(x)"},
    {"f": "where(x > 0, log(x), 0)", "df": "where(x > 0, 1/x, 0)", "dtype": "bfloat16"},
    {"function": "tanh", "df": "1-tanh(x)**2"},
]


@pytest.mark.parametrize("chosen", OWN)
def test_a_function_of_the_visitors_own_is_shown_like_the_others(chosen):
    query = urlencode(chosen | {"samples": "50"})
    experiment = Experiment.parse(query)
    at = visit_derivative(f"{query}&saturation=true&edges=true&digits=true&formulas=true&round_trip=true")
    assert not at.error and not at.exception
    tally = Stream(Derivative(experiment)).finish()
    formula = compared(tally, experiment)
    assert at.title[0].value == head_claim(tally, formula, experiment)
    assert head_why(tally, formula, experiment) in markdown(at)
    assert picture(at)["curve"] == as_sent(errors_over_x(tally, experiment, formula))
    assert in_link(at, "df") == experiment.df and in_link(at, "f") == experiment.f


def test_a_function_is_typed_and_what_is_wrong_with_it_is_said():
    at = visit_derivative("samples=30")
    assert not [one for one in at.text_input if one.key == "f"]
    at.selectbox(key="function").set_value("your own…")
    at = watch(tick(at), "Derivative")
    assert in_link(at, "f") == "x*tanh(softplus(x))" and "f′" in at.title[0].value
    at.text_input(key="f").set_value("sin(x)**2")
    at.text_input(key="df").set_value("2*sin(x)")
    at = watch(tick(at), "Derivative")
    assert at.title[0].value == "2·sin(x) is not the derivative of sin(x)²."
    at.text_input(key="f").set_value("sine(x)")
    at = watch(tick(at), "Derivative")
    (fault,) = at.error
    assert "'sine' at character 1 is not a function on the list (the closest on it is" in fault.value.replace("\\", "")
    assert at.text_input(key="f").value == "sine(x)" and (in_link(at, "f"), in_link(at, "df")) == (
        "sin(x)**2",
        "2*sin(x)",
    )
    at.text_input(key="f").set_value("")
    at = tick(at)
    assert at.error[0].value.startswith("f(x) is empty")
    at.selectbox(key="function").set_value("exp")
    at = watch(tick(at), "Derivative")
    assert not at.error and in_link(at, "f") == in_link(at, "df") == ""


def test_a_link_with_a_hostile_function_gets_a_sentence_and_the_default():
    at = visit_derivative(f"samples=30&{urlencode({'f': '__import__(chr(111)).system(x)'})}")
    assert "This link does not describe an experiment: f = " in at.error[0].value
    assert "1/x" in at.title[0].value
