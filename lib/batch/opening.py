"""The opening picture of *Why does the batch change it?*: one sum in two orders, where both end, and how often.

The page draws what is handed over here and computes nothing. The example stays the same while the staircase grows.
"""

from dataclasses import replace
from fractions import Fraction
from math import isfinite
from typing import Any

from lib.batch.example import Example
from lib.batch.example_sentences import HINT, order_note, sum_title, tree_label
from lib.batch.stairs import Shares, stairs
from lib.batch.study import BatchTally
from lib.batch.tree_picture import MOST_NAMED, tree_picture
from lib.display.float_line import FloatLine, float_line
from lib.display.quantities import beside
from lib.experiment.query import Experiment

NEAREST = "nearest float"


def opening(
    experiment: Experiment,
    tally: BatchTally,
    size: int,
    example: Example | None,
    former: tuple[str, Shares] | None = None,
) -> dict[str, Any]:
    """Return the data of the picture, for JSON; `example` is None until it is known.

    `size` is the batch size that is picked, and `former` the name and the shares of the experiment before this one.
    """
    return {
        "example": None if example is None else _example(experiment, example),
        "stairs": {
            "title": "Components whose bits change",
            "hint": "Pick a size to see its orders.",
            **stairs(tally, size, former),
        },
    }


def _example(experiment: Experiment, example: Example) -> dict[str, Any]:
    headings = "Alone", f"Row {example.row} of a batch of {example.place.size}"
    sides: list[dict[str, Any]] = [
        {"kind": kind, "heading": heading, "note": "", "tree": None, "label": heading}
        for kind, heading in zip(("first", "second"), headings, strict=True)
    ]
    shared = example.sum
    if shared:
        for side, traced, beside in zip(sides, (shared.alone, shared.batch), (None, shared.alone), strict=True):
            tree = tree_picture(traced, experiment.dtype, beside)
            underlined = any(leaf["moved"] for leaf in tree["leaves"]) and len(tree["leaves"]) <= MOST_NAMED
            side["tree"], side["note"] = tree, order_note(example, traced, beside, underlined)
            side["label"] = tree_label(str(side["heading"]), example, traced)
    title = sum_title(example, experiment)
    return {
        "sides": sides,
        "reason": example.reason,
        "said": HINT if shared else "",
        "title": title,
        "line": _line(example, title),
    }


def _line(example: Example, title: str) -> dict[str, Any] | None:
    """The float line around the sum, or around the component where it is not the sum that differs."""
    shared = example.shown
    exact = shared.alone.exact if shared else example.exact
    values = (shared.alone.result, shared.batch.result) if shared else (example.alone, example.batch)
    if exact is None or not all(map(isfinite, values)):
        return None
    return labelled(exact, example.dtype, *values, title)


def labelled(exact: Fraction, dtype: str, alone: float, batch: float, title: str) -> dict[str, Any]:
    """Return the line around an exact value with a label above each result; the nearest float is labelled, too."""
    line = float_line(exact, dtype, {"alone": alone, "in the batch": batch})
    nearest = _nearest(line)
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
    notes = [{"at": nearest, "text": NEAREST}] if missed else []
    return {"line": replace(line, marks=()).data(), "labels": labels, "notes": notes, "said": f"{title}. {_ends(line)}"}


def _ends(line: FloatLine) -> str:
    """Say on which floats the results end, and how far each is from the exact value."""
    ends = (f"{' and '.join(mark.names)}: {mark.text}, {beside(mark.off, 'the exact value')}." for mark in line.marks)
    return " ".join(f"{end[0].upper()}{end[1:]}" for end in ends)


def _nearest(line: FloatLine) -> int | None:
    """The place of the float nearest to the exact value, None if two are as near."""
    return None if line.exact == 0.5 else int(line.exact > 0.5)
