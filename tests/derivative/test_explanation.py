"""The derivatives at one x: each is on its float, or it is said where it is."""

from math import isfinite

import pytest

from lib.derivative.drawing import derivative_drawing
from lib.derivative.explanation import X_OF_RECIPROCAL, example_x, explain
from lib.derivative.formulas import AUTOGRAD
from lib.derivative.sentences import about_formulas
from lib.derivative.study import Derivative
from lib.experiment.functions import FUNCTIONS, LISTED
from lib.experiment.query import Experiment
from tests.cases import every_dtype, finish
from tests.oracles import exact_derivative, place_of, rounded


@every_dtype
@pytest.mark.parametrize("function", LISTED)
def test_marks_are_where_counting_puts_them(function, dtype):
    """Against the exact derivative of mpmath, and the places of the values by their bits."""
    for x in (0.3, 11.0):
        found = explain(function, x, dtype)
        exact = exact_derivative(function, found.x)
        names = {"first": AUTOGRAD, "second": list(found.computed)[-1]}
        if not all(map(isfinite, (rounded(exact, dtype), *found.computed.values()))):
            continue
        drawn = derivative_drawing(
            found, Experiment(function=function, dtype=dtype), names["second"]
        )
        nearest = place_of(rounded(exact, dtype), dtype)
        base = nearest - round(drawn["line"]["exact"])
        assert len(drawn["labels"]) == len({found.computed[name] for name in names.values()})
        for label in drawn["labels"]:
            name = names[label["kind"]]
            value = found.computed[name]
            place = place_of(value, dtype)
            assert abs(found.steps(name) - abs(place - nearest)) <= 0.5
            assert ("exact" in label["lines"]) == (value == exact)
            assert label["side"] == ("high" if value > exact else "low")
            is_near = abs(place - base - drawn["line"]["exact"]) <= 12
            assert label["at"] == (place - base if is_near else None)


@pytest.mark.parametrize(
    "query, x, texts",
    [
        # below a power of two
        ("f=x&df=1-2**-24", 0.5, ("exact", "off by 1.00 floats")),
        ("function=tanh&df=1/cosh(x)**2", 12.0, ("off by 100%", "off by 1.50 floats")),
        ("f=x*1e-60&df=1", 0.5, ("off by less than 0.01 floats", "off by 1.07 billion floats")),
    ],
)
def test_how_far_off_a_value_is(query, x, texts):
    experiment = Experiment.parse(query.replace("+", "%2B"))
    found = explain(experiment.differentiated, x, "float32")
    assert (found.off(AUTOGRAD), found.off(experiment.df)) == texts


@pytest.mark.parametrize(
    "function, x, formula, texts, told",
    [
        ("sqrt", 0.0, "sqrt(x)/(2*x)", ["∞", "not a number"], "does not exist."),
        ("reciprocal", 2.0**-64, "-x**-2", ["−∞"], "is beyond the largest float32."),
        ("abs(x)", 0.0, "sign(x)", ["0"], "is undecided: two branches meet there, or its "),
    ],
)
def test_nothing_is_to_scale_without_a_derivative(function, x, formula, texts, told):
    """A finite one."""
    experiment = Experiment(f=function) if "(" in function else Experiment(function=function)
    drawn = derivative_drawing(explain(function, x, "float32"), experiment, formula)
    assert drawn["line"] is None and all(label["at"] is None for label in drawn["labels"])
    assert [label["text"] for label in drawn["labels"]] == texts
    assert f"derivative {told}" in drawn["label"]


def test_a_value_that_is_no_float_is_not_said_to_be_one():
    """tanh'(3000) is above 0, and tanh'(1e-200) below 1, by less than any picture could show."""
    experiment = Experiment(function="tanh", dtype="float64")
    for x in (3000.0, 1e-200):
        drawn = derivative_drawing(explain("tanh", x, "float64"), experiment, "1-tanh(x)**2")
        assert drawn["line"]["exact_text"].startswith("≈ ") or "…" in drawn["line"]["exact_text"]
        assert not any("exact" in label["lines"] for label in drawn["labels"])


def test_examples_refute_or_show_a_difference():
    def example(query):
        experiment = Experiment.parse(f"samples=300&{query}")
        tally = finish(Derivative, experiment)
        formula = FUNCTIONS[experiment.differentiated].formulas[0]
        x = example_x(tally, experiment, formula)
        values = explain(experiment.differentiated, x, experiment.dtype).computed
        return x, values[AUTOGRAD] != values[formula]

    assert example("dtype=float32") == (X_OF_RECIPROCAL, True)
    assert example("f=x**2&df=3*x") == (-0.0625, True)
    # At many x at once a processor may use another kernel, and the two differ only there.
    others = [x for x, _ in map(example, ("dtype=float64", "function=tanh"))]
    assert X_OF_RECIPROCAL not in others
    assert example_x(Derivative.empty, Experiment(function="log", seed=1), "1/x") > 0


@pytest.mark.parametrize(
    "query, end",
    [
        ("function=log", "The shares leave out {tally.outside} x without a derivative and 0 x"),
        ("f=where(x*x-x**2>0,x,-x)*exp(x)", "and 50 x where it is undecided."),
    ],
)
def test_what_is_in_no_figure_is_told(query, end):
    experiment = Experiment.parse(f"samples=50&{query}")
    tally = finish(Derivative, experiment)
    text = about_formulas(tally, experiment)
    assert end.format(tally=tally) in text
    assert ("The shares leave out" in text) == (tally.existing < 50)
