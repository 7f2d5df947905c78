"""Adding along a tree, compared with exact fractions that are rounded where the tree says."""

from collections import defaultdict
from fractions import Fraction

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.replay.steps import ROUNDING, TreeSum, add_up, in_steps
from tests.cases import every_dtype
from tests.oracles import ulp_exponent
from tests.replay.known_trees import added_up, adder, trees


def in_ulps(value, exact, dtype):
    off = Fraction(value) - exact
    return float(off / Fraction(2) ** ulp_exponent(Fraction(value), dtype))


@every_dtype
@settings(max_examples=30)
@given(data=st.data())
def test_every_number_is_an_exact_one_rounded_once(dtype, data):
    tree = data.draw(trees(dtype))
    number = getattr(torch, dtype)
    wide = "float64" if dtype == "float64" else "float32"
    generator = torch.Generator().manual_seed(data.draw(st.integers(0, 2**31)))
    left = torch.randn(2, tree.terms, generator=generator)
    left[:, tree.terms - tree.values :] = 1
    left = left.to(number)
    right = torch.randn(tree.terms, 2, generator=generator).to(number)
    entries = add_up(tree, left, right)
    expected = [[adder(tree, dtype)(row, column).item() for column in right.T] for row in left]
    assert entries.tolist() == expected

    factors = list(zip(right[:, 1].tolist(), left[1].tolist(), strict=True))
    exact = [Fraction(a) * Fraction(b) for a, b in factors]
    terms = [(f"{k}", *pair) for k, pair in enumerate(factors)]
    for k in range(tree.terms - tree.values, tree.terms):
        terms[k] = f"{k}", None, factors[k][0]
    values, *others = added_up(tree, exact, dtype)
    whole = TreeSum.of(tree, terms, number)
    assert (list(whole.values), list(whole.roundings), whole.result) == (values, *others)
    assert whole.exact == sum(exact) and whole.names == tuple(map(str, range(tree.terms)))

    held = defaultdict(float)
    steps = in_steps(tree, terms, number)
    for step in steps:
        assert step.before == held[step.accumulator]
        of = dtype if step.label == ROUNDING else wide
        assert step.error == in_ulps(step.after, step.exact, of)
        if step.term is not None:
            k = step.term
            is_product = k < tree.terms - tree.values
            is_fused = k in (tree.fused or ())
            assert step.label == f"{k}"
            of_product = (*factors[k], values[k]) if is_product else (None, None, None)
            assert (step.left, step.right, step.product) == of_product
            assert step.product_error == (0 if is_fused else in_ulps(values[k], exact[k], wide))
        elif step.label != ROUNDING:
            added = held[int(step.label.removeprefix("accumulator "))]
            assert step.exact == Fraction(step.before) + Fraction(added)
        held[step.accumulator] = step.after
    assert steps[-1].after == entries[1, 1].item()
    assert sorted(step.term for step in steps if step.term is not None) == [*range(tree.terms)]
    roundings = sum(step.label == ROUNDING for step in steps)
    assert roundings == (number.itemsize < 4)
