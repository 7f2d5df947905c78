"""The drawing of *Why does the batch change it?*: one sum in two orders, and where both end."""

from typing import TypedDict

from lib.batch.example import Example, Results
from lib.batch.tree_picture import Tree, tree_pictures
from lib.floats.picture import FloatLine, float_line, value_text
from lib.floats.quantities import in_floats

KINDS = ("first", "second")
"""The kinds of the two sides, alone and in the batch: the drawing has a colour for each."""

FUSED = (
    "The two do not round the same products: a fused multiply-add (FMA) adds a product before it "
    "is rounded."
)


class Side(TypedDict):
    """One order of addition.

    Without a sum to draw, `tree` is None and `result` is empty. `label` says what the tree shows.
    """

    kind: str
    heading: str
    tree: Tree | None
    result: str
    label: str


class Label(TypedDict):
    """A result on the float line: its place in floats from the base of the line, and its text."""

    kind: str
    at: int
    lines: list[str]


class Line(TypedDict):
    """What `static/float_line.js` draws: a line and its labels; `label` describes it."""

    line: FloatLine
    labels: list[Label]
    label: str


class BatchDrawing(TypedDict):
    """What `static/batch.js` draws: both orders, and the float line.

    `about` says which component depends on the sum, or why no sum is drawn. `title` stands above
    the line. `line` is None if a result is not finite or the exact value is not known.
    """

    sides: list[Side]
    about: str
    title: str
    line: Line | None


def batch_drawing(example: Example) -> BatchDrawing:
    """Return the drawing of an example."""
    shown = example.shown
    name = f"{shown.name}, sample {example.pick.sample}"
    row = f"row {example.row + 1} of {example.pick.size} in a batch"
    if example.orders:
        headings = ("Added alone", f"Added as {row}")
        trees: list[Tree | None] = [*tree_pictures(example.orders, shown.dtype)]
        about = f"{example.pick.name} depends on this sum."
        if any(node["of"] and node["shared"] for node in trees[0]["nodes"]):
            about = f"Grey: the same value in both orders. {about}"
        first, second = (order.tree.fused for order in example.orders)
        if first != second:
            about += f" {FUSED}"
        results = [value_text(order.result, shown.dtype) for order in example.orders]
    else:
        headings = ("Alone", row.capitalize())
        trees = [None, None]
        about = example.reason
        results = ["", ""]
    sides: list[Side] = [
        {
            "kind": kind,
            "heading": heading,
            "tree": tree,
            "result": result,
            "label": f"{heading}: how the terms are added. {shown.name}.",
        }
        for kind, heading, tree, result in zip(KINDS, headings, trees, results, strict=True)
    ]
    measured = shown.exact is not None and shown.floats is not None
    return {
        "sides": sides,
        "about": about,
        "title": f"{name}: {shown.apart} apart" if measured else name,
        "line": labelled_line(shown) if measured else None,
    }


def labelled_line(shown: Results) -> Line:
    """Return the line around the exact value, with both results, which have to be finite."""
    assert shown.exact is not None
    results = {"alone": shown.alone, "in the batch": shown.batch}
    line, places = float_line(shown.exact, shown.dtype, results)
    labels: list[Label] = []
    words = [f"exact {line['exact_text']}"]
    for kind, (name, place) in zip(KINDS, places.items(), strict=True):
        off = f"off by {in_floats(abs(place - line['exact']))} floats"
        labels.append({"kind": kind, "at": place, "lines": [name, off]})
        words.append(f"{name} {value_text(results[name], shown.dtype)}, {off}")
    return {"line": line, "labels": labels, "label": f"{shown.name}: {'; '.join(words)}."}
