"""The meaning of every column of the files that hold all components. Nothing here needs torch."""

_OF_DISCREPANCY = {
    "sample": ("int64", "number of the sample, counted from 0"),
    "component": ("int64", "component of the gradient: the number of its input variable"),
    "x": ("float64", "the input variable"),
    "backward": ("float64", "the component of the backward gradient"),
    "jacobian": ("float64", "the component of the summed Jacobian"),
    "discrepancy": ("float64", "backward − jacobian"),
    "ulps": ("int64", "the discrepancy in ulps, at most 2^63 − 1; missing where a value is infinite or NaN"),
    "block": ("int64", "the block of samples that were drawn at once"),
    "index": ("int64", "number of the sample in its block"),
    "units": ("float64", "the discrepancy in rounding units, u·S and what underflow may lose; missing likewise"),
    "condition": (
        "float64",
        "the condition number S/abs(g): g is the reference or, where that is missing, backward, with softmax always 0; "
        "infinite where g is 0; "
        "missing where S is 0, and likewise",
    ),
    "reference": (
        "float64",
        "the exact component, about as near as float64 can hold it; missing where it is not known",
    ),
}
_LIKE_DISCREPANCY = ("discrepancy", "ulps", "block", "index", "units", "reference")

COLUMNS = {
    "discrepancy": _OF_DISCREPANCY,
    "batch": {
        "sample": _OF_DISCREPANCY["sample"],
        "batch": ("int64", "number of samples in the batch"),
        "quantity": ("string", "output or gradient"),
        "component": ("int64", "number of the output, or of the input variable of the gradient"),
        "alone": ("float64", "the component of the sample alone"),
        "in_batch": ("float64", "the component of the sample in the batch"),
    }
    | {name: _OF_DISCREPANCY[name] for name in _LIKE_DISCREPANCY}
    | {"discrepancy": ("float64", "alone − in_batch")},
}
"""The type and meaning of each column of the files that hold every component, by study."""
