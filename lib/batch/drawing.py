"""The drawing of *Why does the batch change it?*: one sum in two orders, and where both end."""

from math import ceil, floor
from os.path import commonprefix
from typing import TypedDict

from lib.batch.example import Ends, Example
from lib.batch.findings import KEY
from lib.batch.tree_picture import Place, Step, Tree, tree_pictures
from lib.floats.exact_floats import FORMATS
from lib.floats.picture import float_line, tick_distance, value_text
from lib.floats.quantities import beside, tick_text
from lib.floats.sentences import said

KINDS, SIDES = ("first", "second"), ("alone", "in the batch")
_MOST_TICKS = 25  # of the float line


class Side(TypedDict):
    """One order: its heading, its tree or None, its result, and what the tree shows in words."""

    kind: str
    heading: str
    tree: Tree | None
    result: str
    label: str


class Way(TypedDict):
    """How a side gets to its float, which is `at` a place: the digits that both have, the `rest`, and its steps."""

    kind: str
    name: str
    at: int
    same: str
    rest: str
    steps: list[Step]


class Line(TypedDict):
    """What `static/walks.js` is told: the float line from `low` to `high`, the exact value, and the way of each side.

    Places are in floats from the float below the exact value. `how` explains the line, and `said` says it in words.
    """

    ticks: list[int]
    how: str
    exact: float
    exact_text: str
    low: float
    high: float
    ways: list[Way]
    apart: str
    said: str


class BatchDrawing(TypedDict):
    """What `static/batch.js` is told.

    `sides` are both orders, `name` is the sum's, and `about` says what differs. `title` is that of the line, which is
    None where there is no number to draw.
    """

    sides: list[Side]
    name: str
    about: str
    title: str
    line: Line | None


def batch_drawing(example: Example) -> BatchDrawing:
    """Return the drawing of an example."""
    shown, orders = example.shown, example.orders
    row = f"row {example.row + 1} of {example.place.size} in a batch"
    headings = ("Added alone", f"Added as {row}") if orders else ("Alone", row.capitalize())
    measured = shown.exact is not None and shown.floats is not None
    trees = (
        tree_pictures(orders, shown.dtype, _place(shown) if measured else None)
        if orders
        else [None, None]
    )
    sides: list[Side] = [
        {
            "kind": kind,
            "heading": heading,
            "tree": tree,
            "result": value_text(result, shown.dtype),
            "label": f"{heading}: how the terms are added. {shown.name}.",
        }
        for kind, heading, tree, result in zip(
            KINDS, headings, trees, (shown.alone, shown.batch), strict=True
        )
    ]
    return {
        "sides": sides,
        "name": f"{example.place.sample} {shown.name}",
        "about": said(KEY, example) if orders else example.reason,
        "title": f"{shown.name}, sample {example.place.sample}: from exact to result",
        "line": walks(shown, [tree["steps"] if tree else None for tree in trees])
        if measured
        else None,
    }


def _place(ends: Ends) -> Place:
    """Return where a number is on the line that `float_line` draws around the exact value."""
    floats = FORMATS[ends.dtype]
    assert ends.exact is not None
    base = floats.floor(max(-floats.largest, min(ends.exact, floats.largest)))

    return lambda number: float(floats.place(number) - base)


def walks(ends: Ends, steps: list[list[Step] | None]) -> Line:
    """Return the line around an exact value, and for each side where it ends and the steps by which it gets there.

    Without steps the way is one.
    """
    assert ends.exact is not None
    line = float_line(
        ends.exact, ends.dtype, dict(zip(SIDES, (ends.alone, ends.batch), strict=True))
    )
    marks = [next(mark for mark in line["marks"] if name in mark["names"]) for name in SIDES]
    same = len(commonprefix([mark["text"] for mark in marks]))
    ways: list[Way] = []
    for kind, name, mark, walked in zip(KINDS, SIDES, marks, steps, strict=True):
        told = f"All roundings, {beside(mark['off'], 'the exact value')}"
        whole: Step = {"node": None, "from": line["exact"], "to": mark["at"], "told": told}
        ways.append(
            {
                "kind": kind,
                "name": name,
                "at": mark["at"],
                "same": mark["text"][:same],
                "rest": mark["text"][same:],
                "steps": [whole] if walked is None else walked,
            }
        )
    places = [
        float(place)
        for way in ways
        for step in way["steps"]
        for place in (step["from"], step["to"])
    ]
    bar = "one step's rounding error" if all(steps) else "the error of all roundings"
    margin = max(1.0, 0.3 * (max(places) - min(places)))
    low, high = min(places) - margin, max(places) + margin
    every = tick_distance(int(high - low), _MOST_TICKS)
    ended = (f"{mark['text']}, {beside(mark['off'], 'the exact value')}." for mark in marks)
    return {
        "ticks": list(range(ceil(low / every) * every, floor(high) + 1, every)),
        "how": f"Each bar is {bar}; {'each tick is a float' if every == 1 else tick_text(every)}.",
        "exact": line["exact"],
        "exact_text": line["exact_text"],
        "low": low,
        "high": high,
        "ways": ways,
        "apart": f"{ends.apart} apart" if ends.floats else "on the same float",
        "said": "{}. Alone: {} In the batch: {}".format(ends.name, *ended),
    }
