"""What the page's address says beside the experiment: what the visitor looks at, which changes no figure."""

import re
from collections.abc import Iterable

VIEW_KEYS = frozenset(
    {"tab", "tour", "look_at", "explain", "trace_sample", "trace_component", "worst_by"}
    | {"fixes", "distances", "meeting", "costs"}
    | {"batch", "batch_sample", "batch_component"}
    | {"batch_closer", "batch_conditions", "batch_orders", "batch_cpus", "batch_why"}
    | {"right", "bug", "apart", "operations"}
    | {"controls", "agreement", "scaling", "remedies", "ladder"}
    | {"formula", "range", "formulas", "digits", "saturation", "edges", "kinks", "round_trip", "why_by_hand"}
    | {"unsafe", "case", "spelling", "g"}
    | {"numbers", "numbers_dtype", "numbers_at", "numbers_why", "numbers_figures", "stop"}
    | {"code", "script", "report", "link", "files", "plotted", "chart"}
)
"""Keys that the page adds to its address: they say what the visitor looks at and are not part of the experiment."""

_NUMBERED = frozenset({"look_at", "trace_sample", "trace_component", "numbers_at", "stop", "batch", "batch_sample"})
"""The view keys whose values are whole numbers."""


def unfit_views(pairs: Iterable[tuple[str, str]]) -> set[str]:
    """Return the view keys that should be whole numbers but are not.

    A link is not refused because of them, since they are not part of the experiment.
    """
    return {key for key, text in pairs if key in _NUMBERED and not re.fullmatch("[0-9]{1,20}", text)}
