"""A sum in two orders as a picture: its terms as leaves in the order of each tree, so that no two brackets cross, each
partial sum above what it adds, and every rounding as a step of a walk on the float line.

A walk begins at the exact value and ends on a float: after k steps it is where the sum would end if no later operation
rounded. Terms that are 0 in both orders add nothing and are left out.
"""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256
from typing import TypedDict

from lib.floats.picture import value_text
from lib.floats.quantities import counted, in_floats, minus
from lib.replay.steps import TreeSum

MOST_LEAVES = 48
"""A tree with more leaves has its smallest partial sums drawn as one leaf each."""

Place = Callable[[Fraction], float]
"""Where a number is on the float line, in floats."""


class TreeNode(TypedDict):
    """A term or a partial sum of a tree.

    `key` stands for its terms; `x` and `y` go from 0 to 1; `of` has the numbers of its addends. A leaf has a `name` and
    a `text`. `shared` says whether the other tree has the same sum with the same value.
    """

    key: str
    x: float
    y: float
    of: list[int]
    name: str
    text: str
    shared: bool


Step = TypedDict("Step", {"node": int | None, "from": float, "to": float, "told": str})
"""A step of a walk `from` one place of the float line `to` another, in words, and its `node`, None if it is no sum."""


class Tree(TypedDict):
    """What `static/sum_tree.js` is told: the nodes, each after what it adds, and the steps of the walk."""

    nodes: list[TreeNode]
    steps: list[Step]


@dataclass
class _Node:
    """A term or a partial sum. `count` is that of its terms, without those left out, and `key` stands for them, the
    same in every order. `rounding` is rounded − exact, and `total` the sum of those of all nodes below and of this one.
    """

    name: str
    value: float
    key: int
    count: int = 1
    of: list["_Node"] = field(default_factory=list)
    rounding: Fraction = Fraction()
    total: Fraction = Fraction()

    @property
    def height(self) -> int:
        return 1 + max(below.height for below in self.of) if self.of else 0

    def all(self) -> Iterator["_Node"]:
        """Yield all nodes below and this one, in the order of addition."""
        for below in self.of:
            yield from below.all()
        yield self


def tree_pictures(orders: tuple[TreeSum, TreeSum], dtype: str, place: Place | None) -> list[Tree]:
    """Return both trees. Where there is no float line, `place` is None, and there are no steps."""
    zero = {
        term
        for term in range(orders[0].tree.terms)
        if not any(order.values[term] for order in orders)
    }
    trees = [list(_drawn(order, zero).all()) for order in orders]
    values = [{node.key: node.value for node in tree} for tree in trees]
    held = "float64" if dtype == "float64" else "float32"
    return [
        {
            "nodes": _nodes(tree, values[1 - i]),
            "steps": _steps(tree, order, dtype, held, place) if place else [],
        }
        for i, (tree, order) in enumerate(zip(trees, orders, strict=True))
    ]


def _drawn(traced: TreeSum, zero: Collection[int]) -> _Node:
    """Return the root of the tree that is drawn: without the terms that are zero, one of which stays if all are, and
    with the smallest partial sums as leaves, as few as will do."""
    tree = traced.tree
    kept = set(range(tree.terms)) - set(zero) or {0}
    nodes: list[_Node | None] = [
        _Node(name, traced.values[term], int(sha256(b"%d" % term).hexdigest()[:12], 16))
        if term in kept
        else None
        for term, name in enumerate(traced.names)
    ]
    for k, addends in enumerate(tree.sums):
        of = [node for addend in addends if (node := nodes[addend])]
        node = of[0] if len(of) == 1 else None
        if len(of) > 1:
            count = sum(below.count for below in of)
            node = _Node(f"a sum of {count}", 0.0, sum(below.key for below in of), count, of)
            node.total = sum((below.total for below in of), Fraction())
        if node:  # what is added to a zero may still be rounded, to 16 bits
            node.value = traced.values[tree.terms + k]
            node.rounding += traced.roundings[k]
            node.total += traced.roundings[k]
        nodes.append(node)
    found = list({id(node): node for node in nodes if node}.values())
    root = found[-1]
    sizes = sorted({node.count for node in found})
    most = sizes[bisect_left(sizes, True, key=lambda most: _leaves(found, most) <= MOST_LEAVES)]
    for node in found:
        if node.of and node.count <= most < root.count:
            node.name, node.rounding, node.of = f"{node.count} terms", node.total, []
    return root


def _leaves(nodes: list[_Node], most: int) -> int:
    """Return how many leaves there are if sums of at most so many terms are leaves."""
    return sum(below.count <= most < node.count for node in nodes for below in node.of)


def _nodes(tree: list[_Node], other: dict[int, float]) -> list[TreeNode]:
    leaves = [node.key for node in tree if not node.of]
    numbers = {node.key: number for number, node in enumerate(tree)}
    across = {key: (i + 0.5) / len(leaves) for i, key in enumerate(leaves)}
    drawn: list[TreeNode] = []
    for node in tree:
        if node.of:
            across[node.key] = sum(across[below.key] for below in node.of) / len(node.of)
        drawn.append(
            {
                "key": f"{node.key:x}",
                "x": round(across[node.key], 4),
                "y": round(node.height / max(tree[-1].height, 1), 4),
                "of": [numbers[below.key] for below in node.of],
                "name": "" if node.of else node.name,
                "text": "" if node.of or node.count > 1 else _short(node.value),
                "shared": other.get(node.key) == node.value,
            }
        )
    return drawn


def _steps(tree: list[_Node], traced: TreeSum, dtype: str, held: str, place: Place) -> list[Step]:
    """Return the steps of the walk: the products, the partial sums in the order of addition, the last rounding."""
    last = Fraction(traced.result) - Fraction(tree[-1].value)
    products = Fraction(traced.result) - traced.exact - last - tree[-1].total
    found: list[tuple[int | None, str, Fraction]] = []
    if products:
        found.append((None, "All products", products))
    for number, node in enumerate(tree):
        if node.of or node.rounding:
            added = (
                " + ".join(f"{below.name} ({_short(below.value)})" for below in node.of)
                or node.name
            )
            told = f"{counted(node.count, 'term')}: {added} = {value_text(node.value, held)}"
            found.append((number, told, node.rounding))
    if last:
        found.append((None, f"The sum as {dtype}, {value_text(traced.result, dtype)}", last))
    walk: list[Step] = []
    now = traced.exact
    for number, told, rounding in found:
        start, end = place(now), place(now := now + rounding)
        off = minus(f"{'+' if end > start else '-'}{in_floats(float(abs(end - start)))}")
        words = f"rounded by {off} floats" if rounding else "exact"
        walk.append({"node": number, "from": start, "to": end, "told": f"{told}, {words}"})
    return walk


def _short(value: float) -> str:
    """Write a term in few digits."""
    if value == 0:
        return "0"
    return minus(f"{value:.3f}" if 0.001 <= abs(value) < 100 else f"{value:.1g}")
