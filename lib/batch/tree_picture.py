"""The tree of a sum as a picture: its terms as leaves, from left to right, and each partial sum above what it adds."""

from collections.abc import Sequence
from math import isnan
from typing import Any

import torch

from lib.batch.traced_sum import TracedSum
from lib.display.float_line import value_text
from lib.display.quantities import counted, minus
from lib.replay.orders import accumulates

MOST_LEAVES = 32
"""A tree with more leaves has its smallest partial sums drawn as one leaf each."""

MOST_NAMED = 18
"""So many leaves have room for their names."""


def tree_picture(traced: TracedSum, dtype: str, beside: TracedSum | None = None) -> dict[str, Any]:
    """Return the data of the picture: `leaves` and `sums`, in the order in which they are added.

    A leaf has a `name`, a `text`, and `told`; `zero` says that it adds nothing, and `moved` that it adds something and
    stands in another place than in the tree `beside`. A sum has its addends, `of`: numbers of leaves from the left and,
    from there on, of sums. It has its height `y`, 0 for the leaves and 1 for the root, and what is `told` of it.
    """
    tree = traced.tree
    shown = _shown(tree.terms, tree.sums)
    order = _from_left(tree.terms, tree.sums, shown)
    elsewhere = _from_left(tree.terms, beside.tree.sums, _shown(tree.terms, beside.tree.sums)) if beside else order
    whole = len(order) == tree.terms == len(elsewhere)
    held = accumulates(getattr(torch, dtype)).__name__
    numbers = {node: number for number, node in enumerate(order)}
    heights: dict[int, int] = dict.fromkeys(order, 0)
    sums = [node for node in shown if node not in numbers]
    for node in sums:
        numbers[node] = len(numbers)
        heights[node] = 1 + max(heights[addend] for addend in tree.sums[node - tree.terms])
    return {
        "leaves": [
            {"moved": whole and elsewhere[place] != node and traced.values[node] != 0} | _leaf(node, traced, held)
            for place, node in enumerate(order)
        ],
        "sums": [
            {
                "of": [numbers[addend] for addend in tree.sums[node - tree.terms]],
                "y": round(heights[node] / heights[sums[-1]], 4),
                "told": _told(node, traced, held),
            }
            for node in sums
        ],
        "result": value_text(traced.result, dtype),
    }


def _counts(terms: int, sums: Sequence[Sequence[int]]) -> list[int]:
    counts = [1] * terms
    for addends in sums:
        counts.append(sum(counts[addend] for addend in addends))
    return counts


def _shown(terms: int, sums: Sequence[Sequence[int]]) -> list[int]:
    """Return the nodes that are drawn, leaves first; among the leaves are the largest sums that are small enough to be
    drawn as one."""
    counts = _counts(terms, sums)
    for most in range(1, terms + 1):
        inside = {
            addend for node in range(terms, len(counts)) if counts[node] <= most for addend in _below(node, terms, sums)
        }
        shown = [node for node in range(len(counts)) if node not in inside]
        if sum(node < terms or counts[node] <= most for node in shown) <= MOST_LEAVES:
            break
    return shown


def _below(node: int, terms: int, sums: Sequence[Sequence[int]]) -> Sequence[int]:
    return sums[node - terms] if node >= terms else ()


def _from_left(terms: int, sums: Sequence[Sequence[int]], shown: Sequence[int]) -> list[int]:
    """Return the nodes that are drawn as leaves, from left to right."""
    drawn, stack, found = set(shown), [terms + len(sums) - 1], []
    while stack:
        node = stack.pop()
        below = _below(node, terms, sums)
        if below and all(addend in drawn for addend in below):
            stack += reversed(below)
        else:
            found.append(node)
    return found


def _leaf(node: int, traced: TracedSum, held: str) -> dict[str, Any]:
    if node >= traced.tree.terms:
        count = _counts(traced.tree.terms, traced.tree.sums)[node]
        return {"name": f"{count} terms", "text": "", "zero": False, "told": _told(node, traced, held)}
    term, value = traced.terms[node], traced.values[node]
    fused = " (not rounded: fused into its addition)" if node in (traced.tree.fused or ()) else ""
    told = f"{term.name} = {value_text(value, held)}{fused}"
    return {"name": term.name, "text": _short(value), "zero": value == 0, "told": told}


def _told(node: int, traced: TracedSum, held: str) -> str:
    """Say what a sum adds, and how it is rounded."""
    tree, values = traced.tree, traced.values
    counts = _counts(tree.terms, tree.sums)

    def named(addend: int) -> str:
        name = traced.terms[addend].name if addend < tree.terms else f"a sum of {counts[addend]}"
        return f"{name} ({_short(values[addend])})"

    error = traced.errors[node - tree.terms]
    rounding = "" if isnan(error) else ", exact" if not error else f", rounded by {minus(f'{error:+.2f}')} ulp"
    added = " + ".join(named(addend) for addend in tree.sums[node - tree.terms])
    return f"{counted(counts[node], 'term')}: {added} = {value_text(values[node], held)}{rounding}"


def _short(value: float) -> str:
    """Write a term in few digits."""
    if value == 0:
        return "0"
    return minus(f"{value:.3f}" if 0.001 <= abs(value) < 100 else f"{value:.0e}")
