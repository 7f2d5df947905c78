"""What the page's address says beside the experiment: what the visitor looks at, which changes no figure."""

from collections.abc import Iterable

VIEW_KEYS = frozenset(
    {"tab", "look_at", "explain", "trace_sample", "trace_component", "worst_by"}
    | {"right", "bug", "operations", "remedies", "ladder", "specialists", "special"}
    | {"fixes", "costs"}
    | {"batch", "batch_sample", "batch_component", "batch_closer", "batch_conditions", "batch_orders", "batch_why"}
    | {"formula", "range", "formulas", "digits", "saturation", "edges", "why_by_hand", "unsafe", "case"}
    | {"numbers", "numbers_dtype", "numbers_at"}
)
"""Keys that the page adds to its address: they say what the visitor looks at and are not part of the experiment."""

RETIRED = {
    "tour": "the tour",
    "stop": "the additions one by one",
    "apart": "the reason for many floats",
    "lean": "the gradient that is closer with more outputs",
    "differences": "the curve of steps of finite differences",
    "controls": "the section of controls, now for specialists",
    "agreement": "the section of methods, now for specialists",
    "scaling": "the section of width and depth, now for specialists",
    "distances": "the second histogram",
    "meeting": "the place where the rows meet",
    "batch_cpus": "fingerprints of other machines",
    "kinks": "the section of kinks, now with the edges",
    "round_trip": "round trips such as 1/(1/x)",
    "spelling": "another spelling of a function",
    "g": "another spelling of a function",
    "numbers_why": "the explanation of a paste",
    "numbers_figures": "the figures of a paste as JSON",
    "code": "the code in a section of its own",
    "script": "the script in a section of its own",
    "report": "the report in a section of its own",
    "link": "the link in a section of its own",
    "files": "the files in a section of its own",
    "plotted": "the tables behind charts",
    "chart": "the tables behind charts",
}
"""Keys of older links, and what they showed. Such a link opens, and the key is ignored."""


def retired(keys: Iterable[str]) -> str:
    """Say, in one line, which of the keys of a link are ignored; nothing if none is."""
    return " ".join(f"{key} is ignored: older links have it for {RETIRED[key]}." for key in keys if key in RETIRED)
