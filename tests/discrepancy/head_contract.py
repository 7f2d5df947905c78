"""The contract of the claim and of the line of why at the head of the page."""

from lib.discrepancy.head_sentences import headline, why_in_short
from lib.experiment.methods import METHODS
from tests.contract import (
    Row,
    State,
    Subject,
    all_equal,
    approximate,
    both,
    forward_mode,
    has,
    many_sums,
    no,
    none_finite,
    of_choices,
    of_discrepancies,
    one_pass,
    rows,
    running,
    some_differ,
)


def differ(s: State) -> bool:
    return some_differ(s) and s.share("p", s.f.different, s.f.finite)


SUBJECT = {
    "One gradient, computed two ways": both(no(approximate), no(many_sums)),
    "A gradient against finite differences": approximate,
    "A gradient against a single call": many_sums,
}
"""What is compared: where it is no gradient, it is not said to be one."""

HEADLINE = [
    row
    for two, compared in SUBJECT.items()
    for row in [
        Row(f"{two}: do they agree?", both(running, compared)),
        Row(f"{two}: no component is finite in both.", both(none_finite, compared)),
        Row(
            f"{two}: all {{n}} components are equal.",
            both(all_equal, compared, lambda s: s.number("n") == s.f.finite > 1 and not s.f.nonfinite),
        ),
        Row(
            f"{two}: all {{n}} finite components are equal.",
            both(all_equal, compared, lambda s: s.number("n") == s.f.finite > 1 and s.f.nonfinite),
        ),
        Row(f"{two}: {{p}} of its components differ.", both(differ, compared, has(lambda f: not f.nonfinite))),
        Row(f"{two}: {{p}} of finite components differ.", both(differ, compared, has(lambda f: f.nonfinite))),
    ]
]
HEADLINE += [Row("Why?", both(some_differ, has(lambda f: not f.nonfinite)))]


def added_first(s: State) -> bool:
    """Whether the method goes back row by row, and there are rows to add."""
    return rows(s) and not forward_mode(s) and s.e.outputs > 1


LINE = [
    Row(
        "Rounding makes it matter when you add: in {word}, `3*(0.1 + 0.5) != 3*0.1 + 3*0.5`.",
        lambda s: s.m["word"] == s.e.dtype and (rows(s) or one_pass(s)) and not added_first(s),
    ),
    Row(
        "Same mathematics, different rounding: in {word}, `3*(0.1 + 0.5) != 3*0.1 + 3*0.5`.",
        lambda s: s.m["word"] == s.e.dtype and added_first(s),
    ),
    Row(
        "`backward()` adds outputs on its way back, {code} its rows at the end.",
        lambda s: added_first(s) and s.m["code"] == f"`{METHODS[s.e.method].call}.sum(0)`",
    ),
    Row("`backward()` adds outputs on its way back, the Jacobian its rows at the end.", added_first, sometimes=True),
    Row("`backward()` goes from outputs to inputs, forward mode from inputs to outputs.", forward_mode),
    Row(
        "With one output, no rows are added: only operations on the way may round differently.",
        lambda s: rows(s) and not forward_mode(s) and s.e.outputs == 1,
    ),
    Row("But here both are one backward pass: same additions, same rounding.", one_pass),
    Row("`grad` adds up what all outputs send back to x, and returns that sum as every row.", many_sums),
    Row(
        "A finite difference subtracts two nearly equal outputs: the digits they share cancel, their rounding errors "
        "stay.",
        approximate,
    ),
]

SUBJECTS = [Subject(headline, HEADLINE, of_discrepancies), Subject(why_in_short, LINE, of_choices)]
