"""Adding along a tree, held against exact fractions that are rounded where the tree says."""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.replay.steps import ROUNDING, Step, TreeSum, add_up, in_steps
from lib.replay.trees import Tree
from tests.cases import EVERY_DTYPE
from tests.oracles import rounded, ulp_exponent
from tests.replay.known_trees import added_up, adder, trees


def in_ulps(value: float, exact: Fraction, dtype: str) -> float:
    off = Fraction(value) - exact
    return float(off / Fraction(2) ** ulp_exponent(Fraction(value), dtype))


def check(
    steps: Sequence[Step], tree: Tree, terms: list[tuple[str, float | None, float]], dtype: str
) -> None:
    """Every number of every step, by the definition, in fractions."""
    wide = "float64" if dtype == "float64" else "float32"
    held = defaultdict(float)
    for step in steps:
        exact = Fraction(held[step.accumulator])
        if step.term is not None:
            label, left, right = terms[step.term]
            factors = (None, None) if left is None else (left, right)
            assert (step.label, step.left, step.right) == (label, *factors)
            added = Fraction(right) * (1 if left is None else Fraction(left))
            expected = (None, 0)
            if left is not None and step.term in (tree.fused or ()):
                expected = (float(added), 0)
            elif left is not None:
                product = rounded(added, wide)
                expected = (product, in_ulps(product, added, wide))
                added = Fraction(product)
            assert (step.product, step.product_error) == expected
            exact += added
        elif step.label != ROUNDING:
            exact += Fraction(held[int(step.label.removeprefix("accumulator "))])
        of = dtype if step.label == ROUNDING else wide
        after = rounded(exact, of)
        assert (step.before, step.after, step.exact) == (held[step.accumulator], after, exact)
        assert step.error == in_ulps(after, exact, of) and abs(step.error) <= 0.5
        held[step.accumulator] = after


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@settings(max_examples=30)
@given(data=st.data())
def test_every_entry_every_step_and_every_node_is_that_of_exact_numbers_rounded_once(dtype, data):
    tree = data.draw(trees(dtype))
    number = getattr(torch, dtype)
    generator = torch.Generator().manual_seed(data.draw(st.integers(0, 2**31)))
    left = torch.randn(2, tree.terms, generator=generator)
    left[:, tree.terms - tree.values :] = 1
    left = left.to(number)
    right = torch.randn(tree.terms, 2, generator=generator).to(number)
    entries = add_up(tree, left, right)
    expected = [[adder(tree, dtype)(row, column).item() for column in right.T] for row in left]
    assert entries.dtype == number and entries.tolist() == expected

    products = tree.terms - tree.values
    factors = list(zip(right[:, 1].tolist(), left[1].tolist(), strict=True))
    terms = [
        (str(k), weight, number) if k < products else (str(k), None, weight)
        for k, (weight, number) in enumerate(factors)
    ]
    steps = in_steps(tree, terms, number)
    check(steps, tree, terms, dtype)
    roundings = sum(step.label == ROUNDING for step in steps)
    assert roundings == (len(tree.rounded) + 1 if number.itemsize < 4 else 0)
    assert steps[-1].after == entries[1, 1].item()
    assert sorted(step.term for step in steps if step.term is not None) == [*range(tree.terms)]
    exact = [Fraction(a) * Fraction(b) for a, b in factors]
    whole = TreeSum.of(tree, terms, number)
    assert (list(whole.values), list(whole.roundings), whole.result) == added_up(tree, exact, dtype)
    assert whole.exact == sum(exact) and whole.names == tuple(map(str, range(tree.terms)))
