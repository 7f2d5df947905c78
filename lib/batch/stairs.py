"""The share of components that change, by batch size, as the staircase of the picture."""

from typing import Any

from lib.batch.arrangements import SIZES
from lib.batch.one_pass import QUANTITIES
from lib.batch.study import BatchTally, PairTally
from lib.batch.tables import NAMES

_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25)  # shares from grid line to grid line
_LINES = 4

Shares = dict[str, list[float]]
"""The share of each batch size, by quantity; none as long as nothing is measured."""


def shares(tally: BatchTally) -> Shares:
    sizes = SIZES if tally.samples else ()
    return {quantity: [_share(tally.at(quantity, size)) for size in sizes] for quantity in QUANTITIES}


def _share(pair: PairTally) -> float:
    return float(f"{pair.changed / max(pair.components, 1):.5g}")


def stairs(tally: BatchTally, size: int, former: tuple[str, Shares] | None = None) -> dict[str, Any]:
    """Return the data of the picture; `size` is the one that is picked, and `former` the name and the shares of the
    experiment before this one."""
    found = shares(tally)
    ghost = former[1] if former else {}
    highest = max((share for of_sizes in [*found.values(), *ghost.values()] for share in of_sizes), default=0.0)
    step = next((step for step in _STEPS if highest <= _LINES * step), _STEPS[-1])
    top = max(highest * 1.06, step)
    return {
        "title": "Components whose bits change",
        "hint": "Pick a size to see its orders.",
        "picked": size,
        "label": f"The share of components that change, by batch size. In a {_told(tally, size)}.",
        "top": top,
        "lines": [{"share": step * k, "text": f"{step * k:.0%}"} for k in range(_LINES + 1) if step * k <= top],
        "curves": [{"name": NAMES[quantity], "shares": found[quantity]} for quantity in QUANTITIES],
        "sizes": [{"size": n, "told": _told(tally, n)} for n in SIZES],
        "ghost": {"name": f"before: {former[0]}", "shares": list(former[1].values())} if former else None,
    }


def _told(tally: BatchTally, size: int) -> str:
    pairs = [tally.at(quantity, size) for quantity in QUANTITIES]
    if not any(pair.components for pair in pairs):
        return f"batch of {size}: not measured yet"
    return f"batch of {size}: {pairs[0].share} of outputs and {pairs[1].share} of the gradient's components change"
