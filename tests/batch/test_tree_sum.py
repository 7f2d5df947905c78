"""A sum along a tree against exact fractions that the tests round, and against PyTorch's own bits."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from lib.batch.study import block
from lib.batch.tree_sum import Term, along
from lib.experiment.query import Experiment
from lib.network import network
from lib.replay.layers import layer_orders
from lib.replay.trees import Tree
from tests.batch.random_trees import trees
from tests.cases import EVERY_DTYPE
from tests.known_orders import known
from tests.oracles import FORMATS, rounded, ulp_exponent


def exact(term: Term) -> Fraction:
    _, left, right = term
    return Fraction(right) * (Fraction(1) if left is None else Fraction(left))


def ulps(after: float, sum_: Fraction, held: str) -> Fraction:
    quantum = Fraction(2) ** (ulp_exponent(Fraction(after), held) if after else FORMATS[held][1])
    return (Fraction(after) - sum_) / quantum


def added_up(tree: Tree, terms: list[Term], dtype: str) -> tuple[list[float], list[float], float]:
    """The values, the errors and the result by the definition: every sum is that of two exact numbers, rounded once."""
    held = "float64" if dtype == "float64" else "float32"
    fused = tree.fused or ()
    numbers = [exact(term) if k in fused else Fraction(rounded(exact(term), held)) for k, term in enumerate(terms)]
    errors = []
    for place, addends in enumerate(tree.sums):
        whole = sum((numbers[addend] for addend in addends), Fraction())
        after = rounded(whole, held)
        errors.append(float(ulps(after, whole, held)))
        numbers.append(Fraction(rounded(Fraction(after), dtype) if place in tree.rounded else after))
    return [float(number) for number in numbers], errors, rounded(numbers[-1], dtype)


def of_dtype(values: Iterable[float], dtype: str) -> list[float]:
    return torch.tensor(list(values), dtype=torch.float64).to(getattr(torch, dtype)).tolist()


@settings(max_examples=200)
@given(trees(), st.sampled_from(EVERY_DTYPE), st.data())
def test_every_sum_is_that_of_exact_numbers_rounded_once(tree, dtype, data):
    if dtype in ("bfloat16", "float16"):
        below_root = st.sets(st.integers(0, max(0, len(tree.sums) - 2)))
        tree = replace(tree, rounded=tuple(data.draw(below_root))) if len(tree.sums) > 1 else tree
    numbers = st.floats(-8, 8, allow_subnormal=False).filter(lambda value: value == 0 or abs(value) > 2**-9)
    drawn = [data.draw(st.lists(numbers, min_size=tree.terms, max_size=tree.terms)) for _ in range(2)]
    left, right = (of_dtype(values, dtype) for values in drawn)
    terms = [
        (f"t{k}", None if k >= tree.terms - tree.values else w, h)
        for k, (w, h) in enumerate(zip(left, right, strict=True))
    ]
    found = along(tree, terms, getattr(torch, dtype))
    values, errors, result = added_up(tree, terms, dtype)
    assert list(found.values) == values and found.result == result
    assert list(found.errors) == errors
    assert found.exact == sum(map(exact, terms)) and found.names == tuple(name for name, _, _ in terms)


def test_a_single_term_has_no_errors_of_sums():
    single = along(Tree(1, ()), [("", 0.5, 0.25)], torch.float32)
    assert single.values == (0.125,) and single.errors == () and single.result == 0.125


def sums(net: nn.Sequential, x: Tensor, row: int | None, layer: int, direction: str) -> tuple[list[list[Term]], Tensor]:
    """The terms of every sum of a layer for one row, and PyTorch's own results."""
    values = [x.clone().requires_grad_()]
    for module in net:
        values.append(module(values[-1]))
        values[-1].retain_grad()
    values[-1].backward(torch.ones_like(values[-1]))
    ahead = direction == "forward"
    of_row = [(v.detach() if ahead else v.grad)[... if row is None else row] for v in values]
    linear, place = net[2 * layer - 2], 2 * layer - 2
    weight = linear.weight.detach() if ahead else linear.weight.detach().T
    inner, results = of_row[place if ahead else place + 1], of_row[place + 1 if ahead else place]
    terms = [[("", w, h) for w, h in zip(row.tolist(), inner.tolist(), strict=True)] for row in weight]
    if ahead:
        for of_unit, bias in zip(terms, linear.bias.tolist(), strict=True):
            of_unit.append(("bias", None, bias))
    return terms, results


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@pytest.mark.parametrize("shape", [(5, (10,), 2), (9, (6, 4), 3), (17, (), 5)], ids=str)
def test_the_revealed_orders_give_pytorchs_own_bits(shape, dtype):
    inputs, hidden, outputs = shape
    experiment = Experiment(inputs=inputs, hidden=hidden, outputs=outputs, activation="tanh", dtype=dtype, seed=3)
    net, samples = network.build(experiment), block(experiment, 0)
    checked = 0
    for batch, row in [(None, 0), (4, 0), (4, 3), (8, 5)]:
        x = samples[0] if batch is None else samples[:batch]
        for order in layer_orders(experiment, batch):
            known(order.groups, order.reason)
            terms, results = sums(net, x, None if batch is None else row, order.layer, order.direction)
            trees_of = [(one.tree, column) for one in order.groups if row in one.rows for column in one.columns]
            for tree, column in trees_of:
                found = along(tree, terms[column], getattr(torch, dtype))
                assert found.result == results[column].item(), (batch, row, order.layer, order.direction, column)
                checked += 1
    assert checked == 4 * (sum(experiment.widths) + sum(experiment.widths[1:-1]))
