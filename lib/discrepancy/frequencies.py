"""How many floats apart the two results of all components are, for a picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lib.discrepancy.study import MOST_ULPS, DiscrepancyTally
from lib.discrepancy.tables import ULP_LABELS
from lib.display.quantities import counted, percent

BARS = range(-MOST_ULPS, MOST_ULPS + 1)
"""The distances that have a bar, which are the bars' keys; the bars at the ends collect longer distances."""

_WRITTEN = (-MOST_ULPS, -MOST_ULPS // 2, 0, MOST_ULPS // 2, MOST_ULPS)
_STEPS = (0.02, 0.05, 0.1, 0.2, 0.25)  # shares from grid line to grid line
_LINES = 4


@dataclass(frozen=True)
class Ghost:
    """The histogram of the experiment that was seen before: its name, and the share of each bar."""

    name: str
    shares: tuple[float, ...]


def bar_of(ulps: int) -> int:
    """Return the key of the bar that counts a signed distance in floats."""
    return max(-MOST_ULPS, min(ulps, MOST_ULPS))


def shares(tally: DiscrepancyTally) -> tuple[float, ...]:
    """Return the share of the finite components that each bar counts, 0 if there are none."""
    return tuple(float(f"{count / max(tally.finite, 1):.5g}") for count in _counts(tally))


def frequencies(
    tally: DiscrepancyTally, names: tuple[str, str], picked: int | None, ghost: Ghost | None = None
) -> dict[str, Any]:
    """Return the data of the picture; `names` are those of the two sides, `picked` is the key of a bar."""
    counts, parts = _counts(tally), shares(tally)
    tallest = max([*parts, *(ghost.shares if ghost else ())], default=0.0)
    step = next((step for step in _STEPS if tallest <= _LINES * step), _STEPS[-1])
    top = max(tallest * 1.04, step)
    lines = [step * k for k in range(_LINES + 1) if step * k <= top]
    return {
        "heading": f"How often: all {counted(tally.finite, 'component')}",
        "note": "Neighbouring floats are one float apart (1 ulp). Pick a bar to see one of its components.",
        "label": _label(tally, counts),
        "steps": ["One bar to the left", "One bar to the right"],
        "axis": f"{names[0]} − {names[1]}, in floats",
        "top": top,
        "lines": [{"share": line, "text": f"{line:.0%}"} for line in lines],
        "picked": picked,
        "bars": [
            {
                "key": key,
                "label": label if key in _WRITTEN else "",
                "above": "" if key or not tally.finite else f"equal: {percent(count, tally.finite)}",
                "told": f"{_told(key, names)}: {counted(count, 'component')}, {percent(count, tally.finite)}",
                "share": part,
            }
            for key, label, count, part in zip(BARS, ULP_LABELS, counts, parts, strict=True)
        ],
        "ghost": {"name": f"before: {ghost.name}", "shares": list(ghost.shares)} if ghost else None,
    }


def _counts(tally: DiscrepancyTally) -> list[int]:
    counts = np.zeros(len(BARS), np.int64)
    np.add.at(counts, tally.ulps.keys.clip(-MOST_ULPS, MOST_ULPS) + MOST_ULPS, tally.ulps.counts)
    return [int(count) for count in counts]


def _told(key: int, names: tuple[str, str]) -> str:
    if not key:
        return "equal"
    apart = f"{MOST_ULPS} or more floats" if abs(key) == MOST_ULPS else counted(abs(key), "float")
    return f"{apart} apart, {names[0] if key > 0 else names[1]} above"


def _label(tally: DiscrepancyTally, counts: Sequence[int]) -> str:
    """Say what the picture shows."""
    if not tally.finite:
        return "No component is counted yet."
    near = counts[MOST_ULPS - 1] + counts[MOST_ULPS + 1]
    return (
        f"Of {counted(tally.finite, 'component')}, {percent(counts[MOST_ULPS], tally.finite)} are equal, "
        f"{percent(near, tally.finite)} are one float apart, "
        f"{percent(counts[0] + counts[-1], tally.finite)} are {MOST_ULPS} or more floats apart."
    )
