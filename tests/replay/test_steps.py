"""Adding along a tree: on numbers that can be added in the head, and on whole numbers."""

from collections import defaultdict
from fractions import Fraction

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lib.replay.steps import ROUNDING, Step, TreeSum, add_up, in_steps
from lib.replay.trees import Tree
from tests.cases import EVERY_DTYPE
from tests.oracles import rounded, ulp_exponent
from tests.replay.known_trees import added_up, adder, chain, trees

ULP = 2.0**-23


def steps(
    terms: list[tuple[float | None, float]], dtype: str = "float32", tree: Tree | None = None
) -> list[Step]:
    """The steps from left to right, or along a tree."""
    named = [(f"t{place}", *term) for place, term in enumerate(terms)]
    tree = tree or Tree.of(len(terms), chain(len(terms)), ())
    return list(in_steps(tree, named, getattr(torch, dtype)))


def test_a_product_and_a_sum_are_each_rounded():
    """(1 + ulp)² is 1 + 2 ulp + ulp², of which the product loses ulp² = 2**-23 ulp; then 2**-25 is
    a quarter ulp."""
    first, second = steps([(1 + ULP, 1 + ULP), (0.5, 2.0**-24)])
    assert first == Step(
        "t0",
        0,
        1 + ULP,
        1 + ULP,
        1 + 2 * ULP,
        -ULP,
        0.0,
        1 + 2 * ULP,
        1 + 2 * Fraction(ULP),
        0.0,
        0,
    )
    exact = 1 + 2 * Fraction(ULP) + Fraction(1, 2**25)
    assert second == Step(
        "t1", 0, 0.5, 2.0**-24, 2.0**-25, 0.0, 1 + 2 * ULP, 1 + 2 * ULP, exact, -0.25, 1
    )


def check(
    found: tuple[Step, ...], tree: Tree, terms: list[tuple[str, float | None, float]], dtype: str
) -> None:
    """Every number of every step, by the definition, in fractions."""
    wide, held = "float64" if dtype == "float64" else "float32", defaultdict(float)

    def in_ulps(value: float, exact: Fraction, of: str) -> float:
        return float((Fraction(value) - exact) / Fraction(2) ** ulp_exponent(Fraction(value), of))

    for step in found:
        exact, fused = Fraction(held[step.accumulator]), step.term in (tree.fused or ())
        if step.term is not None:
            label, left, right = terms[step.term]
            added = Fraction(right) * (1 if left is None else Fraction(left))
            assert (step.label, step.left, step.right) == (
                label,
                left,
                None if left is None else right,
            )
            if left is None:
                assert (step.product, step.product_error) == (None, 0)
            elif fused:
                assert (step.product, step.product_error) == (float(added), 0)
            else:
                product = rounded(added, wide)
                assert (step.product, step.product_error) == (
                    product,
                    in_ulps(product, added, wide),
                )
                added = Fraction(product)
            exact += added
        elif step.label != ROUNDING:
            exact += Fraction(held[int(step.label.removeprefix("accumulator "))])
        of = dtype if step.label == ROUNDING else wide
        after = rounded(exact, of)
        assert (step.before, step.after, step.exact) == (held[step.accumulator], after, exact)
        assert step.error == in_ulps(after, exact, of) and abs(step.error) <= 0.5
        held[step.accumulator] = after


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
@given(data=st.data())
def test_every_entry_every_step_and_every_node_is_that_of_exact_numbers_rounded_once(dtype, data):
    tree, number = data.draw(trees(dtype)), getattr(torch, dtype)
    generator = torch.Generator().manual_seed(data.draw(st.integers(0, 2**31)))
    left, right = (
        torch.randn(shape, generator=generator) for shape in ((2, tree.terms), (tree.terms, 3))
    )
    left[:, tree.terms - tree.values :] = 1
    left, right = left.to(number), right.to(number)
    found = add_up(tree, left, right)
    expected = [[adder(tree, dtype)(row, column) for column in right.T] for row in left]
    assert found.dtype == number and found.tolist() == [
        [entry.item() for entry in row] for row in expected
    ]

    products = tree.terms - tree.values
    factors = zip(range(tree.terms), right[:, 2].tolist(), left[1].tolist(), strict=True)
    terms = [
        (str(k), weight, number) if k < products else (str(k), None, weight)
        for k, weight, number in factors
    ]
    one_by_one = in_steps(tree, terms, number)
    check(one_by_one, tree, terms, dtype)
    assert one_by_one[-1].after == found[1, 2].item()
    assert sorted(step.term for step in one_by_one if step.term is not None) == [*range(tree.terms)]
    exact = [
        Fraction(a) * Fraction(b)
        for a, b in zip(left[1].tolist(), right[:, 2].tolist(), strict=True)
    ]
    whole = TreeSum.of(tree, terms, number)
    assert (list(whole.values), list(whole.roundings), whole.result) == added_up(tree, exact, dtype)
    assert whole.exact == sum(exact) and whole.names == tuple(map(str, range(tree.terms)))
