"""The meaning of every field of the JSON. Nothing here needs torch.

A dot leads to a field within another field or within the rows of a list, as in `autograd.equal` and `ladder.dtype`.
"""

from collections.abc import Mapping

from lib.experiment.choices import complete
from lib.experiment.studies import STUDIES

PLACE = "where it is: block, index of the sample in the block, and component, all from 0; null if there is none"

EVERY_STUDY = {
    "study": "the study; an option names the study it belongs to",
    "experiment": "every key of the query with its value",
    "query": "the canonical query: every value that is not the default",
    "environment": "versions, processor and settings, on which the last bits depend",
    "complete": "false if the run was interrupted",
    "samples": "samples counted",
    "seconds": "how long the run took, without loading PyTorch",
}
"""The figures that every study prints in addition to its own."""

_COUNTS = {
    "components": "components counted, `inputs` for each sample",
    "nonfinite": "components that are infinite or NaN on either side; no other count includes them",
    "equal": "components with equal values on both sides",
    "max_abs": "largest abs(discrepancy)",
    "max_abs_at": PLACE,
    "max_ulps": "largest distance in ulps",
    "max_ulps_at": PLACE,
}
_OF_NETWORKS = {
    "networks": "networks that the samples come from",
    "lean_of_networks": "the lean and its standard error over networks; null if fewer than two are decided",
    "lean_of_networks_interval": "its 95% interval over networks; null where too few are decided",
}
_CLOSER = "components by which side is closer to the exact gradient: backward, jacobian, tie or undecided"

_OF_DERIVATIVE = {
    "equal": "x at which it has autograd's value",
    "correctly_rounded": "x at which it is the correctly rounded derivative",
    "max_ulps": "largest error in ulps of the exact derivative; null if no x has one, or float64 cannot hold it",
    "max_ulps_at": "where that error is: the number of the sample, x, and x in hexadecimal; null likewise",
    "mean_ulps": "mean error in ulps; null if no x has one, or an error is above 2^900",
    "finite": "x with an error in ulps: there, both it and the correctly rounded derivative are finite",
    "nonfinite": "x at which exactly one of the two is finite",
    "zero": "x at which it is 0 and the correctly rounded derivative is not",
    "zero_from": "of these, the x nearest to 0, below and above it; null where there is none",
    "ulps": "histogram of the errors: lower end, upper end, count",
}

_RUNG = {"dtype": "the dtype", "eps": "distance from 1 to the next float"}
_RUNG |= _COUNTS | {"mean_abs": "mean abs(discrepancy)"}

_OF_BATCH = {name: about for name, about in _COUNTS.items() if name != "components"} | {
    "components": "components compared; samples left over at the end of a block are not",
    "max_units": "largest discrepancy in rounding units: u·S and what underflow may lose",
    "bound_units": "a-priori bound on max_units; null where none is proved (lib/reference/output_bounds.py says where)",
    "over_bound": "components above the bound; 0 where there is none",
    "referenced": "samples compared with the exact output or gradient",
    "certified": "of these, those that ball arithmetic judged",
    "closer": "components by which side is closer to the exact one: alone, batch, tie or undecided",
}
_VARIED = "components compared, of these nonfinite ones, and equal ones"
_CONDITIONS = {
    "place": "all rows of a batch moved on by one place, against the batch as it was:",
    "neighbours": "likewise, with every other row of the batch exchanged for that of the next batch",
    "order": "likewise, with the rows shuffled",
    "slice": "likewise, with X[i:i+n] in place of the copy X[i:i+n].clone()",
    "vmap": "likewise, with `torch.func.vmap` of single samples in place of the batch; not measured for a method",
}


def _within(field: str, rows: Mapping[str, str]) -> dict[str, str]:
    return {f"{field}.{name}": about for name, about in rows.items()}


FIELDS = {
    "discrepancy": _COUNTS
    | {
        "samples_equal": "samples with equal values in all components",
        "max_units": "largest discrepancy in rounding units: u·S and what underflow may lose, much in float16",
        "max_units_at": PLACE,
        "max_condition": "largest condition number S/abs(g) that is finite; 0 if there is none",
        "max_condition_at": PLACE,
        "bound_units": "a-priori bound on max_units; null where none is proved (lib/reference/bounds.py says where)",
        "over_bound": "components above the bound; 0 where there is none",
        "over_bound_at_kinks": "of these, those at a kink of ReLU: always 0, as both sides share the forward pass",
        "closer": _CLOSER,
        "referenced": "samples compared with the exact gradient: those off a kink, in float64 only certified ones",
        "certified": "of these, those that ball arithmetic judged",
        "lean": "share of components where backward is closer minus the share where the Jacobian is, and its standard "
        "error over samples; null if fewer than two samples are decided",
        "lean_interval": "its 95% interval over samples of one network; null where too few are decided, and with a "
        "network for each block",
        **_OF_NETWORKS,
        "ulps": "signed distances in ulps, each with its count; beyond 65,536 rounded down to a power of two",
    },
    "pitfall": {
        "entries": "finite entries of the single call that were compared",
        "nonfinite": "entries that are infinite or NaN on either side; no distance includes them",
        "rows_equal": "whether in every sample all rows of the single call are equal",
        "rows": "rows of the single call",
        "rows_backward": "of these, those equal to the gradient of `backward()`",
        "single_vs_rows_max": "largest distance of an entry from the right row",
        "single_vs_rows_max_at": PLACE,
        "single_vs_rows_median": "median of these distances",
        "single_vs_sum_max": "largest distance of an entry from the sum of the right rows",
        "decades": "log10 of the quotient of the two largest distances; null where one of them is 0",
        "exact_entries": "entries that were compared with the exact Jacobian",
        "rows_vs_exact_median": "median error of the right rows in these entries",
        "single_vs_exact_median": "median error of the single call in these entries",
    },
    "derivative": {
        "function": "the function f",
        "outside": "x at which the derivative does not exist; apart from the round trips, no other count includes them",
        "undecided": "x at which ball arithmetic does not tell whether it exists or how it rounds; not counted either",
        "overflow": "x at which the correctly rounded derivative is infinite",
        "reference": "x decided in float64, and certified ones, decided by ball arithmetic",
        "autograd": "autograd's derivative:",
        **_within("autograd", _OF_DERIVATIVE),
        "formulas": "the same for each formula by hand, by its text",
        "round_trips": "x for which there is a way back: f has an inverse, and f(x) is not NaN",
        "round_trip_equal": "of these, those with f⁻¹(f(x)) = x",
    },
    "batch": {
        "sizes": "a row for each batch size:",
        "sizes.batch": "samples in a batch",
        "sizes.output": "the outputs of a sample alone against those of the same sample in a batch:",
        **_within("sizes.output", _OF_BATCH),
        "sizes.gradient": "the same for the gradient, by `backward()` or by the method",
        "sizes.conditions": "what else may matter, measured on some of the samples; a single row has no other place:",
        **_within("sizes.conditions", _CONDITIONS),
        "sizes.conditions.place.output": f"the outputs: {_VARIED}",
        "sizes.conditions.place.gradient": f"the gradient: {_VARIED}",
    },
    "ladder": {"ladder": "a row for each dtype:", **_within("ladder", _RUNG)},
    "methods": {
        "components": "components counted",
        "names": "`backward` and every method, in the order of the rows and columns below",
        "equal": "matrix of the components in which two of them have equal values",
        "nonfinite": "matrix of the components in which either of the two is infinite or NaN",
        "classes": "names grouped by equal values in every component",
    },
}
"""The figures of each study, by name."""

complete("glossary of the study", STUDIES, FIELDS)

_STEP = {
    "label": "what is added",
    "accumulator": "the accumulator that it is added to",
    "left": "the weight; null where nothing is multiplied",
    "right": "the δ; null likewise",
    "product": "left · right, rounded unless it is fused; null likewise",
    "product_error": "its rounding error in ulps",
    "before": "the accumulator before",
    "after": "the accumulator after",
    "exact": "what after would be without rounding, as the nearest float64",
    "exact_fraction": "the same exactly, as text",
    "error": "rounding error of after in ulps",
    "term": "number of the unit or row that is added; null where an accumulator is added or the result is rounded",
}

TRACE = {
    "sample": "the sample",
    "component": "the component",
    "dtype": "the dtype",
    "verified": "whether the replay has PyTorch's bits on both sides",
    "backward_verified": "the same for the side of `backward()` alone",
    "jacobian_verified": "the same for the side of the Jacobian alone",
    "reason": "why it is not verified; empty if it is",
    "dot_order": "order in which the terms of a dot product are added",
    "sum_order": "order in which the rows are added",
    "backward": "the component by `backward()`",
    "jacobian": "the component of the summed Jacobian by the method `replayed`",
    "replayed": "the method of the query if it can be replayed, else `functional`",
    "method": "the method of the query",
    "method_result": "the component by that method; null where it is infinite or NaN",
    "discrepancy": "backward − jacobian",
    "parting": "the first divergence, where the bits of the two sides first differ; null if there is none:",
    "parting.operation": "product, sum, order, rounding, slope or sum of rows",
    "parting.unit": "the unit whose gradient it belongs to",
    "parting.backward": "its result by `backward()`",
    "parting.rows": "its result in each row",
    "parting.exact": "the exact result, as the nearest float64",
    "parting.exact_fraction": "the same exactly, as text",
    "parting.step": "that operation as one of the steps below; null for a slope",
    "backward_parts_at": "number of its step among those of backward; null if there is none",
    "jacobian_parts_at": "the same among those of the Jacobian",
    "backward_steps": "each operation of `backward()`:",
    **_within("backward_steps", _STEP),
    "jacobian_steps": "each operation of the Jacobian, likewise",
}
"""What `--trace` prints after `query` and `environment`."""

POST = {"single": "the matrix of the second post, by a single call", "rows": "the same, row by row"}
"""What `--post` prints."""
