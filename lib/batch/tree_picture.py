"""The tree of a sum as a picture: its terms as leaves, from left to right, and each partial sum above what it adds."""

from collections.abc import Sequence
from math import isnan
from typing import Any

from lib.batch.tree_sum import TreeSum
from lib.display.quantities import counted, minus
from lib.floats.float_line import value_text
from lib.replay.trees import Tree

MOST_LEAVES = 32
"""A tree with more leaves has its smallest partial sums drawn as one leaf each."""

MOST_NAMED = 18
"""So many leaves have room for their names; then those are marked that are moved."""


def tree_picture(traced: TreeSum, dtype: str, beside: TreeSum | None = None) -> dict[str, Any]:
    """Return the data of the picture: `leaves` and `sums`, in the order in which they are added.

    A leaf has a `name`, a `text`, and `told`; `zero` says that it adds nothing, and `moved` that it adds something and
    stands in another place than in the tree `beside`. A sum has its addends, `of`: numbers of leaves from the left and,
    from there on, of sums. It has its height `y`, 0 for the leaves and 1 for the root, and what is `told` of it.
    """
    tree, counts = traced.tree, _counts(traced.tree)
    leaves = _leaves(tree)
    elsewhere = _leaves(beside.tree) if beside else leaves
    named = len(leaves) == tree.terms == len(elsewhere) <= MOST_NAMED
    most = max(counts[leaf] for leaf in leaves)
    sums = [node for node in range(tree.terms, len(counts)) if counts[node] > most]
    numbers = {node: number for number, node in enumerate([*leaves, *sums])}
    heights = dict.fromkeys(leaves, 0)
    for node in sums:
        heights[node] = 1 + max(heights[addend] for addend in tree.sums[node - tree.terms])
    held = "float64" if dtype == "float64" else "float32"
    return {
        "leaves": [
            {"moved": named and elsewhere[place] != leaf and traced.values[leaf] != 0}
            | _leaf(leaf, traced, counts, held)
            for place, leaf in enumerate(leaves)
        ],
        "sums": [
            {
                "of": [numbers[addend] for addend in tree.sums[node - tree.terms]],
                "y": round(heights[node] / heights[sums[-1]], 4),
                "told": _sum(node, traced, counts, held),
            }
            for node in sums
        ],
        "result": value_text(traced.result, dtype),
    }


def _counts(tree: Tree) -> list[int]:
    """Return how many terms each node adds up."""
    counts = [1] * tree.terms
    for addends in tree.sums:
        counts.append(sum(counts[addend] for addend in addends))
    return counts


def _leaves(tree: Tree) -> list[int]:
    """Return the nodes that are drawn as leaves, from left to right: the terms or, of a large tree, sums of few."""
    counts = _counts(tree)
    sizes = sorted({*counts})
    return next(found for most in sizes if len(found := _cut(tree, counts, most)) <= MOST_LEAVES)


def _cut(tree: Tree, counts: Sequence[int], most: int) -> list[int]:
    """Return the largest nodes that add up at most so many terms, from left to right."""
    stack, found = [len(counts) - 1], []
    while stack:
        node = stack.pop()
        if counts[node] <= most:
            found.append(node)
        else:
            stack += reversed(tree.sums[node - tree.terms])
    return found


def _leaf(node: int, traced: TreeSum, counts: Sequence[int], held: str) -> dict[str, Any]:
    if node >= traced.tree.terms:
        return {"name": f"{counts[node]} terms", "text": "", "zero": False, "told": _sum(node, traced, counts, held)}
    name, value = traced.names[node], traced.values[node]
    fused = " (not rounded: fused into its addition)" if node in (traced.tree.fused or ()) else ""
    told = f"{name} = {value_text(value, held)}{fused}"
    return {"name": name, "text": _short(value), "zero": value == 0, "told": told}


def _sum(node: int, traced: TreeSum, counts: Sequence[int], held: str) -> str:
    """Say what a sum adds, and how it is rounded."""
    terms, values = traced.tree.terms, traced.values
    added = " + ".join(
        f"{traced.names[addend] if addend < terms else f'a sum of {counts[addend]}'} ({_short(values[addend])})"
        for addend in traced.tree.sums[node - terms]
    )
    error = traced.errors[node - terms]
    rounding = "" if isnan(error) else ", exact" if not error else f", rounded by {minus(f'{error:+.2f}')} ulp"
    return f"{counted(counts[node], 'term')}: {added} = {value_text(values[node], held)}{rounding}"


def _short(value: float) -> str:
    """Write a term in few digits."""
    if value == 0:
        return "0"
    return minus(f"{value:.3f}" if 0.001 <= abs(value) < 100 else f"{value:.0e}")
