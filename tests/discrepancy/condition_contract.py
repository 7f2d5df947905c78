"""The contract of what is said of ulps against the condition number."""

from lib.discrepancy.condition_sentences import line_claim, reading
from tests.contract import (
    Row,
    State,
    Subject,
    all_equal,
    alone,
    approximate,
    between_kinks,
    both,
    has,
    linear_difference,
    many_times,
    none_finite,
    of_discrepancies,
    one_pass,
    rows,
    some_differ,
    times,
    truncated,
    zero_times,
)
from tests.states import FOUND, Found


def on_the_line(s: State) -> bool:
    known = s.f.finite - s.f.without - s.f.cancelled
    return s.number("n") == known > 0 and s.share("p", known - s.f.above, known)


ON_THE_LINE = [
    Row("No component has a condition number.", has(lambda f: f.without == f.finite)),
    Row(
        "S/|g| is infinite for all {n} components.",
        lambda s: s.number("n") == s.f.cancelled == s.f.finite - s.f.without > 0,
    ),
    Row(
        "In {p} of {n} components the two values are at most S/|g| floats apart.",
        lambda s: s.f.cancelled == 0 and on_the_line(s),
    ),
    Row(
        "In {p} of {n} components with a finite S/|g| the two values are at most S/|g| floats apart.",
        lambda s: s.f.cancelled > 0 and on_the_line(s),
    ),
]

READING = [
    Row("No component is finite in both gradients, so there is nothing to compare.", none_finite),
    Row(
        "Every difference is zero, so every cell is in the grey row at the bottom.",
        both(all_equal, has(lambda f: f.without < f.finite)),
    ),
    Row(
        "Every difference is zero, and S is 0 for every component: none has a condition number or a cell.",
        both(all_equal, has(lambda f: f.without == f.finite)),
    ),
    Row(
        "Components below 2⁻¹⁴ in size lie lower: there the floats of float16 are evenly spaced.",
        lambda s: some_differ(s) and s.e.dtype == "float16" and s.e.output_activation != "softmax",
    ),
    Row("On paper the two vectors are equal.", both(some_differ, rows)),
    Row(
        "Rounding errors scale with S, the sum of the sizes of all terms; the spacing of floats scales with |g|, the "
        "size of their sum.",
        both(some_differ, rows),
    ),
    Row(
        "So where the terms cancel and the condition number S/|g| doubles, the same rounding error spans twice as "
        "many floats: a line of slope one.",
        both(some_differ, rows),
    ),
    Row(
        "On the dashed line the number of floats equals the condition number, and the difference is one to two "
        "rounding units.",
        both(some_differ, rows),
    ),
    Row(
        "On paper the two vectors are equal, and each comes from one backward pass with the same operations.",
        both(some_differ, one_pass),
    ),
    Row(
        "There is only one row, so no rows are added up: every difference should lie in the bottom row, that of the "
        "zeros.",
        both(some_differ, one_pass),
    ),
    Row(
        "On paper each of the {k} rows of the single call is the sum of all rows, so their sum is {k} times the "
        "gradient.",
        both(some_differ, many_times, times),
    ),
    Row("The difference scales with the component itself.", both(some_differ, many_times)),
    Row(
        "So it spans about as many floats whatever the condition number S/|g|, the sum of the sizes of all terms "
        "over the size of their sum: the cells lie in one row.",
        both(some_differ, many_times),
    ),
    Row(
        "The dashed line is for rounding: on it the number of floats equals the condition number.",
        both(some_differ, many_times),
    ),
    Row("On paper finite differences only approximate the gradient.", both(some_differ, truncated)),
    Row(
        "On paper finite differences are equal to the gradient here, unless the step crosses a kink: the network is "
        "linear in x between its kinks.",
        both(some_differ, between_kinks),
    ),
    Row("On paper finite differences are equal to the gradient here, as {any}.", both(some_differ, linear_difference)),
    Row(
        "The outputs of softmax add up to 1, so on paper the gradient of their sum is 0.", both(some_differ, zero_times)
    ),
    Row(
        "Each of the {k} rows of the single call is that sum of all rows, so on paper the two vectors are equal: both "
        "are 0.",
        both(some_differ, zero_times, times),
    ),
    Row("Whatever either of them returns is rounding error.", both(some_differ, zero_times)),
    Row(
        "The error of a finite difference depends on the step and on the size of the outputs, not on the size of the "
        "component or of its terms.",
        both(some_differ, approximate),
    ),
    Row(
        "The dashed line is for rounding: on it the number of floats equals the condition number S/|g|, the sum of the "
        "sizes of all terms over the size of their sum.",
        both(some_differ, approximate),
    ),
    *(Row(row.sentence, both(some_differ, row.holds)) for row in ON_THE_LINE),
    Row(
        "In {n} the condition number is 1/u = {a} or more: there, rounding alone can make every digit wrong.",
        lambda s: (
            some_differ(s)
            and s.number("n") == s.f.cancelled > 0
            and s.m["a"] == {"float64": "2⁵³", "float32": "2²⁴", "bfloat16": "2⁸", "float16": "2¹¹"}[s.e.dtype]
        ),
    ),
    Row(
        "S is 0 for {n}, which have no condition number and are in no cell.",
        lambda s: s.number("n") == s.f.without > 0 and (some_differ(s) or s.f.without < s.f.finite),
    ),
]

SUBJECTS = [Subject(line_claim, ON_THE_LINE, alone(FOUND, Found.tally)), Subject(reading, READING, of_discrepancies)]
