"""Expressions are read as Python reads them, and nothing but expressions in x is read."""

import ast
import math
from operator import add, mul, truediv

import pytest
import torch

from lib.derivative.formulas import elementwise
from lib.experiment import functions
from lib.experiment.expressions import OF_ONE_NUMBER, Arithmetic, on_paper
from lib.experiment.parser import X, definitions, parse, read
from tests.hostile import NO_EXPRESSIONS


def test_equal_subtrees_are_evaluated_once():
    """`f` and the formulas keep every operation: autograd sums what comes back through each."""
    calls = []
    operations = {"add": add, "mul": mul, "truediv": truediv}
    operations["neg"] = lambda x: calls.append(x) or -x
    counting = Arithmetic(float, operations)
    tree = parse("(1+-(x*x))*-(x*x)/(2+(1+-(x*x)))", X)
    for shared, count in ((False, 3), (True, 1)):
        calls.clear()
        assert counting.function(tree, shared)(2.0) == -12
        assert len(calls) == count


def test_a_letter_stands_for_what_defines_it():
    letters = definitions("t = tanh(x), y = t*t")
    assert parse("y+x", letters) == parse("torch.tanh(x)*tanh(x)+x", X)


FAULTS = """
x+9**9**9 | '9**9' at character 6 is not allowed as an exponent: use a number from −64 to 64
x+1/(1-1) | '1/(1-1)' at character 3 is a constant, and it has no finite value
x+1e300*1e300/1e9 | '1e300*1e300' at character 3 is a constant, and it has no finite value
x > 0 | a comparison such as x > 0 may only be the condition of where
where(x, 1, 2) | 'x' at character 7 must be a comparison such as x > 0
where(2 > 1, x, 1) | '2 > 1' at character 7 has no x, so that where has nothing to choose
maximum(x) | 'maximum' at character 1 takes 2 operands in parentheses, not 1
2*sin+x | 'sin' at character 3 is a function: it needs parentheses, as in sin(x)
where(x != 0, sin(x)/x, 1) | 'x != 0' at character 7 compares in a way that where does not take
x*sigmod(x) | 'sigmod' at character 3 is not a function on the list (the closest on it is sigmoid)
x^2 | character 2 is '^', which no expression has (a power is written **)
\u0445+1 | character 1 is '\\u0445', which no expression has
x**65 | '65' at character 4 is not allowed as an exponent
x**x | 'x' at character 4 is not allowed as an exponent
1e999*x | '1e999' at character 1 is beyond the largest float
"""
LONG = "(" + "x*x+" * 13 + "x)*(" + "x*x+" * 13 + "x)"


@pytest.mark.parametrize(
    "text, fault",
    [
        *(line.split(" | ") for line in FAULTS.strip().splitlines()),
        ("-" * 31 + "x", "'x' at character 32 lies 31 operations deep, and at most 30 are allowed"),
        (LONG, "it has 107 numbers, letters and operations, and at most 100 are allowed"),
        ("x" * 201, "it has 201 characters, and at most 200 are read"),
    ],
)
def test_a_visitor_is_told_the_place_and_what_is_allowed(text, fault):
    with pytest.raises(ValueError) as caught:
        read(text)
    assert fault in str(caught.value)


def test_the_bounds_are_allowed():
    # 49 nodes
    half = "+".join("x" * 25)
    for text in ("-" * 30 + "x", f"({half})-(-({half}))", "x**64+x**-64", "x" + " " * 199):
        read(text)


OTHERS = [
    *("", "x x", "y", "exp", "x.real", "__import__('os')", "torch.load(x)", "exp(x=x)", "exp(*x)"),
    *("exp(x)(x)", "x if x else 1", "True", "1j", "x//2", "~x", "0<x<1", "x\0", "\ud800"),
]


@pytest.mark.parametrize("text", [*NO_EXPRESSIONS, *OTHERS], ids=lambda text: ascii(text[:12]))
def test_what_is_no_expression_is_soon_refused(text, monkeypatch):
    """Python's parser sees only texts within the bound, and the sentence is short."""
    seen = []
    parse_python = ast.parse

    def record(source, **options):
        seen.append(len(source))
        return parse_python(source, **options)

    monkeypatch.setattr(ast, "parse", record)
    with pytest.raises(ValueError) as caught:
        read(text)
    assert sum(seen) <= 200 and bool(seen) <= (len(text) <= 200)
    assert len(str(caught.value)) < 300 and "\n" not in str(caught.value)


@pytest.mark.parametrize("name", OF_ONE_NUMBER)
def test_a_number_has_the_value_of_a_tensor(name):
    of_x = elementwise(parse(f"{name}(x)"))
    for value in (0.3, 0.7, -0.3):
        x = torch.tensor([value], dtype=torch.float64)
        expected = of_x(x).item()
        if math.isfinite(expected):
            of_number = elementwise(parse(f"x*{name}({value})"))(x) / x
            assert of_number.item() == pytest.approx(expected, rel=1e-15)


def test_an_exponent_is_written_as_it_is_read():
    assert on_paper("x**2+x**2e1-x**2.5-x**-2*y+x**2**3") == "x²+x^2e1−x^2.5−x⁻²·y+x^2^3"


@pytest.mark.parametrize(
    "text, reason",
    [
        ("x*y", "'y' at character 3 is not on the list"),
        ("where(x > 0, ones_like(x), 2)", "autograd needs an x"),
        ("x/0", "in its derivative by the rules, '1/0' at character 1 is a constant"),
    ],
)
def test_what_autograd_refuses_is_no_function(text, reason):
    assert reason in functions.fault(text)
    assert not functions.fault("where(x > 0, x, 2)")


def test_a_visitors_function_is_a_row_like_others():
    row = functions.FUNCTIONS[functions.named("x*tanh(x)", "2*x")]
    assert (row.call, row.label) == ("x*tanh(x)", "x·tanh(x)")
    assert row.formulas == ("2*x", "tanh(x)+x*(1-tanh(x)**2)")
    long = functions.FUNCTIONS["x*tanh(softplus(x))*x*tanh(softplus(x))"]
    assert (long.label, long.formulas) == ("f", ("rules",))
    assert long.where == f"rules = {functions.rules(long.call)}"
    assert functions.FUNCTIONS["tanh; 1-tanh(x)**2"] == functions.FUNCTIONS["tanh"]
