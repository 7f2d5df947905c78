"""Expressions are read as Python reads them, and nothing but an expression of one number is read at all."""

import math
from dataclasses import replace
from fractions import Fraction
from operator import add, mul, neg, sub, truediv

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.derivative.expressions import (
    FUNCTIONS,
    MOST_CHARACTERS,
    Arithmetic,
    Number,
    Operation,
    Variable,
    definitions,
    parse,
    repeated,
)
from lib.derivative.formulas import elementwise

X = {"x": Variable()}

FRACTIONS = Arithmetic(
    "fractions",
    Fraction,
    {"add": add, "sub": sub, "mul": mul, "truediv": truediv, "neg": neg, "pow": lambda base, n: base ** int(n)},
)

TEXTS = st.recursive(
    st.sampled_from(["x", "2", "3", "0.5"]),
    lambda parts: st.one_of(
        st.tuples(parts, st.sampled_from("+-*/"), parts).map("".join),
        parts.map("-{}".format),
        parts.map("({})".format),
        st.tuples(parts, st.sampled_from(["**2", "**-1", "**3"])).map("".join),
    ),
    max_leaves=8,
).filter(lambda text: len(text) <= MOST_CHARACTERS)


@given(TEXTS)
def test_a_text_has_the_value_that_python_gives_it(text):
    """Precedence, signs and the order of operations: Python itself is the oracle, in exact fractions."""
    x = Fraction(3, 7)
    try:
        expected = eval(text.replace("0.5", "Fraction(1, 2)"), {"x": x, "Fraction": Fraction})
    except (ZeroDivisionError, OverflowError):
        return
    if isinstance(expected, float):  # integers alone: Python divides them as floats
        return
    assert FRACTIONS.function(parse(text, X))(x) == expected


def test_the_tree_of_an_expression():
    assert parse("-1/x**2", X) == Operation(
        "truediv", (Operation("neg", (Number(1),)), Operation("pow", (Variable(), Number(2))))
    )
    assert parse("torch.nn.functional.gelu(x)", X) == parse("gelu(x)", X) == Operation("gelu", (Variable(),))
    assert parse(" 1*(x>0)", X) == Operation("mul", (Number(1), Operation("gt", (Variable(), Number(0)))))
    assert parse("pi", X) == Operation("pi")


def test_an_operation_that_an_arithmetic_lacks_is_refused():
    with pytest.raises(ValueError, match="fractions has no exp"):
        FRACTIONS.function(parse("1/(1+exp(x))", X))


@given(TEXTS)
def test_what_is_evaluated_once_has_the_same_value(text):
    tree = parse(f"({text})+-({text})*x", X) if len(text) < MOST_CHARACTERS / 3 else parse(text, X)
    try:
        expected = FRACTIONS.function(tree)(Fraction(3, 7))
    except (ZeroDivisionError, OverflowError):
        return
    assert FRACTIONS.function(tree, repeated(tree))(Fraction(3, 7)) == expected


def test_equal_subtrees_are_evaluated_once_where_that_is_asked_for():
    """`f` and the formulas keep every operation: autograd sums what comes back through each of them."""
    calls = []
    counting = replace(FRACTIONS, operations=FRACTIONS.operations | {"neg": lambda x: calls.append(x) or -x})
    tree = parse("(1+-(x*x))*-(x*x)/(2+(1+-(x*x)))", X)
    assert repeated(tree) == [parse(text, X) for text in ("-(x*x)", "1+-(x*x)")]
    assert counting.function(tree)(Fraction(2)) == Fraction(-12)
    assert len(calls) == 3
    assert counting.function(tree, repeated(tree))(Fraction(2)) == Fraction(-12)
    assert len(calls) == 4


def test_a_letter_stands_for_what_defines_it():
    letters = definitions("t = tanh(x), y = t*t", X)
    assert parse("y+x", letters) == parse("tanh(x)*tanh(x)+x", X)
    assert definitions("", X) == X


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x x",
        "y",
        "exp",
        "x.real",
        "().__class__",
        "__import__('os')",
        "torch.load(x)",
        "exp(x, x)",
        "exp(x=x)",
        "exp(*x)",
        "exp(x)(x)",
        "[x for x in x]",
        "lambda: x",
        "x if x else 1",
        "(x := 1)",
        "f'{x}'",
        "'x'",
        "True",
        "1j",
        "1e999",
        "x//2",
        "x@x",
        "~x",
        "not x",
        "x and 1",
        "0<x<1",
        "x\0",
        "\ud800",
        "x; x",
        "(" * MOST_CHARACTERS,
    ],
)
def test_whatever_else_is_refused(text):
    with pytest.raises(ValueError, match="is no expression|is not understood in an expression; allowed are finite"):
        parse(text, X)


def test_what_is_long_is_refused_and_what_is_deep_is_read():
    deep = "-" * (MOST_CHARACTERS - 1) + "x"
    assert elementwise(parse(deep, X))(torch.tensor([2.0])).tolist() == [-2.0]
    with pytest.raises(ValueError, match="the expression has 201 characters; at most 200 are read"):
        parse(f"-{deep}", X)


@pytest.mark.parametrize("text", ["x+9**9**9", "x+1/(1-1)", "x+(-8)**0.5", "x+1e300*1e300/(1e300*1e300)"])
def test_numbers_that_have_no_value_end_at_once(text):
    f = elementwise(parse(text, X))
    try:
        assert f(torch.ones(2)).isnan().all()
    except (ArithmeticError, ValueError):
        pass


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
def test_values_have_the_shape_and_the_dtype_of_x(dtype):
    x = torch.tensor([[-1.0, 0.0], [1.0, math.inf]], dtype=getattr(torch, dtype))
    for text, expected in [("3", 3.0), ("x>0", [[0, 0], [1, 1]]), ("1*(x!=0)", [[1, 0], [1, 1]]), (f"{10**30}>-x", 1)]:
        found = elementwise(parse(text, X))(x)
        assert found.dtype == x.dtype and found.shape == x.shape
        assert torch.equal(found, torch.tensor(expected, dtype=x.dtype).expand_as(x))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_of_a_number_is_that_of_a_tensor_in_float64(name):
    x = torch.tensor([0.3], dtype=torch.float64)
    assert torch.equal(elementwise(parse(f"x*{name}(0.3)", X))(x), x * elementwise(parse(f"{name}(x)", X))(x).item())
