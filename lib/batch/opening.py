"""The opening picture of *Why does the batch change it?*: one sum in two orders, where both end, and how often.

The page draws what is handed over here and computes nothing. The example stays the same while the staircase grows.
"""

from dataclasses import replace
from typing import Any

from lib.batch.example import Ends, Example
from lib.batch.sentences import HINTS, ORDER
from lib.batch.stairs import Shares, stairs
from lib.batch.study import BatchTally
from lib.batch.tree_picture import tree_picture
from lib.display.quantities import beside
from lib.display.sentences import said
from lib.floats.float_line import float_line

NEAREST = "nearest float"


def opening(
    tally: BatchTally, size: int, example: Example | None, former: tuple[str, Shares] | None = None
) -> dict[str, Any]:
    """Return the data of the picture, for JSON; `example` is None until it is known.

    `size` is the batch size that is picked, and `former` the name and the shares of the experiment before this one.
    """
    return {"example": None if example is None else _example(example), "stairs": stairs(tally, size, former)}


def _example(example: Example) -> dict[str, Any]:
    shown, orders = example.shown, example.orders or ()
    headings = "Alone", f"Row {example.row} of a batch of {example.place.size}"
    sides: list[dict[str, Any]] = [
        {"kind": kind, "heading": heading, "note": "", "tree": None, "label": heading}
        for kind, heading in zip(("first", "second"), headings, strict=True)
    ]
    for side, traced in zip(sides, orders, strict=False):
        side["tree"] = tree_picture(traced, shown.dtype, orders[0])
        side["note"] = said(ORDER, traced.tree)
        side["label"] += f": the order in which the terms are added. {shown.name}."
    moved = any(leaf["moved"] for leaf in sides[1]["tree"]["leaves"]) if orders else False
    return {
        "sides": sides,
        "reason": example.reason,
        "said": said(HINTS, moved) if orders else "",
        "title": f"{shown.name}: where it ends",
        "line": float_line_of(shown),
    }


def float_line_of(ends: Ends) -> dict[str, Any] | None:
    """Return the line around an exact value with a label above each result; the nearest float is labelled, too.

    There is none where the exact value is not known, or a result is infinite or NaN.
    """
    if ends.exact is None or ends.floats is None:
        return None
    line = float_line(ends.exact, ends.dtype, {"alone": ends.alone, "in the batch": ends.batch})
    nearest = None if line.exact == 0.5 else int(line.exact > 0.5)  # midway none is
    labels = [
        {
            "kind": "first" if "alone" in mark.names else "second",
            "lines": [" and ".join(mark.names), *([NEAREST] if mark.at == nearest else [])],
            "text": mark.text,
            "at": mark.at,
            "side": "",
        }
        for mark in line.marks
    ]
    missed = nearest is not None and all(mark.at != nearest for mark in line.marks)
    told = (f"{' and '.join(mark.names)}: {mark.text}, {beside(mark.off, 'the exact value')}." for mark in line.marks)
    return {
        "line": replace(line, marks=()).data(),
        "labels": labels,
        "notes": [{"at": nearest, "text": NEAREST}] if missed else [],
        "said": " ".join([f"{ends.name}.", *(f"{text[0].upper()}{text[1:]}" for text in told)]),
    }
