"""How many floats apart the two results of all components are, for a picture."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from lib.discrepancy.study import BARS, MOST_ULPS, DiscrepancyTally
from lib.floats.quantities import counted, minus, percent

_LABELS = [f"≤ −{MOST_ULPS}", *(minus(str(ulps)) for ulps in BARS[1:-1]), f"≥ {MOST_ULPS}"]
_STEPS = (0.02, 0.05, 0.1, 0.2, 0.25)  # shares from grid line to grid line
_LINES = 4


@dataclass(frozen=True)
class Ghost:
    """The histogram of the experiment that was seen before: its name, and the share of each bar."""

    name: str
    shares: tuple[float, ...]


def shares(tally: DiscrepancyTally) -> tuple[float, ...]:
    """Return the share of the finite components that each bar counts, 0 if there are none."""
    return tuple(float(f"{count / max(tally.finite, 1):.5g}") for count in _counts(tally))


def frequencies(
    tally: DiscrepancyTally, names: tuple[str, str], ulps: int | None, ghost: Ghost | None = None
) -> dict[str, Any]:
    """Return the data of the picture; `names` are those of the two sides, `ulps` is the distance that is picked."""
    counts, parts = _counts(tally), shares(tally)
    tallest = max([*parts, *(ghost.shares if ghost else ())])
    step = next((step for step in _STEPS if tallest <= _LINES * step), _STEPS[-1])
    top = max(tallest * 1.04, step)
    equal = f"equal: {percent(counts[MOST_ULPS], tally.finite)}"
    return {
        "heading": f"How often: {counted(tally.finite, 'component')}",
        "note": "Neighbouring floats are one float apart (1 ulp). Pick a bar to see one of its components.",
        "label": f"How many floats apart: a bar for each distance, {equal}",
        "steps": ["One bar to the left", "One bar to the right"],
        "axis": f"{names[0]} − {names[1]}, in floats",
        "top": top,
        "lines": [{"share": step * k, "text": f"{step * k:.0%}"} for k in range(_LINES + 1) if step * k <= top],
        "picked": None if ulps is None else max(-MOST_ULPS, min(ulps, MOST_ULPS)),
        "bars": [
            {
                "key": key,
                "label": "" if key % (MOST_ULPS // 2) else label,
                "above": equal if key == 0 and tally.finite else "",
                "told": f"{label} floats: {counted(count, 'component')}, {percent(count, tally.finite)}",
                "share": part,
            }
            for key, label, count, part in zip(BARS, _LABELS, counts, parts, strict=True)
        ],
        "ghost": {"name": f"before: {ghost.name}", "shares": list(ghost.shares)} if ghost else None,
    }


def _counts(tally: DiscrepancyTally) -> list[int]:
    counts = np.zeros(len(BARS), np.int64)
    np.add.at(counts, tally.ulps.keys.clip(-MOST_ULPS, MOST_ULPS) + MOST_ULPS, tally.ulps.counts)
    return counts.tolist()
