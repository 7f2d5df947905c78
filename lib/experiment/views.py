"""What the page's address says beside the experiment: what the visitor looks at, which changes no figure."""

from collections.abc import Iterable

VIEW_KEYS = frozenset(
    {"tab", "explain", "trace_sample", "trace_component", "worst_by"}
    | {"right", "bug", "small", "first", "remedies", "ladder", "specialists", "special"}
    | {"fixes", "costs", "example_x"}
    | {"batch", "batch_sample", "batch_component", "batch_conditions", "batch_why"}
    | {"formula", "range", "formulas", "digits", "unsafe", "case"}
    | {"numbers", "numbers_dtype", "paste"}
)
"""Keys that the page adds to its address: they say what the visitor looks at and are not part of the experiment."""

RETIRED = frozenset(
    {
        "tour",
        "stop",
        "apart",
        "lean",
        "differences",
        "controls",
        "agreement",
        "scaling",
        "distances",
        "meeting",
        "look_at",
    }
    | {
        "batch_cpus",
        "edges",
        "kinks",
        "round_trip",
        "saturation",
        "spelling",
        "g",
        "numbers_why",
        "numbers_figures",
    }
    | {
        "code",
        "script",
        "report",
        "link",
        "files",
        "plotted",
        "chart",
        "batch_orders",
        "batch_closer",
        "why_by_hand",
    }
    | {"numbers_at", "operations"}
)
"""Keys of older links, which ask for what is gone or is elsewhere. Such a link opens, and the key is ignored."""


def retired(keys: Iterable[str]) -> str:
    """Say, in one line, which of the keys of a link are ignored; nothing if none is."""
    found = sorted(RETIRED.intersection(keys))
    return f"The link is of an older version; this one ignores {', '.join(found)}." if found else ""
