"""A sum in two orders as a picture: two trees, and every rounding as a step.

The leaves stand in the order of each tree, so that no two branches cross, and each partial sum
stands above what it adds.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypedDict

from lib.floats.exact_floats import FORMATS
from lib.floats.picture import value_text
from lib.floats.quantities import counted, in_floats, minus
from lib.replay.steps import TreeSum

MOST_LEAVES = 48
"""In a tree with more leaves, each partial sum of few terms is drawn as one leaf."""


class TreeNode(TypedDict):
    """A term or a partial sum of a tree.

    `x` and `y` go from 0 to 1. `of` has the indices of its addends in the list of nodes. A leaf has
    a `name`, and a term also has its value as `text`. `shared` says whether the other tree has a
    sum of the same terms with the same value.
    """

    x: float
    y: float
    of: list[int]
    name: str
    text: str
    shared: bool


class Step(TypedDict):
    """A step of a sum in words, and the index of its `node`. `node` is None if the step is not an
    addition: the rounding of all products, and that of the final result."""

    node: int | None
    text: str


class Tree(TypedDict):
    """What `static/sum_tree.js` draws: the nodes, each after what it adds, and the steps."""

    nodes: list[TreeNode]
    steps: list[Step]


@dataclass
class _Node:
    """A term or a partial sum.

    Attributes:
        name: its name in a step.
        value: its rounded value.
        key: which terms it adds up, one bit for each.
        count: the number of these terms.
        below: its addends.
        rounding: rounded − exact, of its own addition; `total` for a partial sum drawn as a leaf.
        total: the sum of the roundings of this node and of all nodes below.
    """

    name: str
    value: float
    key: int
    count: int = 1
    below: list["_Node"] = field(default_factory=list)
    rounding: Fraction = Fraction()
    total: Fraction = Fraction()

    @property
    def height(self) -> int:
        return 1 + max(node.height for node in self.below) if self.below else 0

    def all(self) -> Iterator["_Node"]:
        """Yield all nodes below and this one, in the order of addition."""
        for node in self.below:
            yield from node.all()
        yield self


def tree_pictures(orders: tuple[TreeSum, TreeSum], dtype: str) -> list[Tree]:
    """Return the trees of both orders of a sum, whose result has this dtype."""
    trees = [list(_drawn(order).all()) for order in orders]
    values = [{node.key: node.value for node in tree} for tree in trees]
    return [
        {"nodes": _nodes(tree, values_of_other), "steps": _steps(tree, order, dtype)}
        for tree, order, values_of_other in zip(trees, orders, reversed(values), strict=True)
    ]


def _drawn(traced: TreeSum) -> _Node:
    """Return the root of the tree that is drawn, with at most `MOST_LEAVES` leaves.

    Partial sums with at most a certain number of terms become leaves. This number is the smallest
    for which the tree has so few leaves.
    """
    tree = traced.tree
    nodes = [_Node(name, traced.values[term], 1 << term) for term, name in enumerate(traced.names)]
    sums = zip(tree.sums, traced.values[tree.terms :], traced.roundings, strict=True)
    for addends, value, rounding in sums:
        below = [nodes[addend] for addend in addends]
        count = sum(node.count for node in below)
        key = sum(node.key for node in below)
        total = sum((node.total for node in below), rounding)
        nodes.append(_Node(f"a sum of {count}", value, key, count, below, rounding, total))
    root = nodes[-1]
    sizes = sorted({node.count for node in nodes})
    most = next(size for size in sizes if _leaves(nodes, size) <= MOST_LEAVES)
    for node in nodes:
        if node.below and node.count <= most < root.count:
            node.name = f"{node.count} terms"
            node.rounding = node.total
            node.below = []
    return root


def _leaves(nodes: list[_Node], most: int) -> int:
    """Return how many leaves there are if sums of at most so many terms are leaves."""
    return sum(below.count <= most < node.count for node in nodes for below in node.below)


def _nodes(tree: list[_Node], values_of_other: dict[int, float]) -> list[TreeNode]:
    leaves = [node.key for node in tree if not node.below]
    numbers = {node.key: number for number, node in enumerate(tree)}
    across = {key: (i + 0.5) / len(leaves) for i, key in enumerate(leaves)}
    drawn: list[TreeNode] = []
    for node in tree:
        if node.below:
            across[node.key] = sum(across[below.key] for below in node.below) / len(node.below)
        is_term = not node.below and node.count == 1
        drawn.append(
            {
                "x": round(across[node.key], 4),
                "y": round(node.height / max(tree[-1].height, 1), 4),
                "of": [numbers[below.key] for below in node.below],
                "name": "" if node.below else node.name,
                "text": _short(node.value) if is_term else "",
                "shared": values_of_other.get(node.key) == node.value,
            }
        )
    return drawn


def _steps(tree: list[_Node], traced: TreeSum, dtype: str) -> list[Step]:
    """Return the steps: the products, the partial sums in order, the last rounding."""
    # The dtype of the partial sums.
    held = "float64" if dtype == "float64" else "float32"
    last = Fraction(traced.result) - Fraction(tree[-1].value)
    products = Fraction(traced.result) - traced.exact - last - tree[-1].total
    steps: list[tuple[int | None, str, Fraction]] = []
    if products:
        steps.append((None, "All products", products))
    for number, node in enumerate(tree):
        if node.below or node.rounding:
            addends = [f"{below.name} ({_short(below.value)})" for below in node.below]
            added = " + ".join(addends) or node.name
            text = f"{counted(node.count, 'term')}: {added} = {value_text(node.value, held)}"
            steps.append((number, text, node.rounding))
    if last:
        text = f"The sum as {dtype}, {value_text(traced.result, dtype)}"
        steps.append((None, text, last))
    form = FORMATS[dtype]
    place = form.floor(abs(traced.exact))
    ulp = form.value(place + 1) - form.value(place)
    return [
        {"node": number, "text": f"{text}, {_rounded(rounding / ulp)}"}
        for number, text, rounding in steps
    ]


def _rounded(ulps: Fraction) -> str:
    if not ulps:
        return "exact"
    return f"rounded by {'+' if ulps > 0 else '−'}{in_floats(float(abs(ulps)))} ulps"


def _short(value: float) -> str:
    """Return a term in few digits."""
    if value == 0:
        return "0"
    return minus(f"{value:.3f}" if 0.001 <= abs(value) < 100 else f"{value:.1g}")
