"""The contract of what is said of a replay."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

from lib.experiment.methods import METHODS
from lib.replay.first_divergence import FirstDivergence
from lib.replay.replay import Replay
from lib.replay.sentences import first_divergence_claim, replayed_method, verified
from tests.contract import Row, State, Subject, alone, always, has

REPLAYED = Replay(4, 3, "float32", "functional", 1.5, 1.25, 1.25, True, True, dot_order="a", sum_order="b")

FIRST_DIVERGENCE = FirstDivergence("sum", "h3", 1.5, (1.0, 0.25), Fraction(5, 4), None)

OPERATIONS = {
    "product": "where a product is rounded",
    "sum": "where an addition is rounded",
    "order": "where the terms are added in another order",
    "rounding": "where the sum is rounded to 16 bits",
    "slope": "where the slope of the activation is multiplied in",
    "sum of rows": "where the rows are added",
}

REASONS = {
    "device": "Only what the CPU computes is replayed, not what a graphics card does.",
    "not finite": "A gradient of this sample is infinite or NaN.",
    "unknown": "The order of 9 terms is not revealed: that would take too much time.",
    "values": "On this machine, the replay does not reproduce PyTorch's own values.",
}

REPLAYS = {
    **{name: replace(REPLAYED, jacobian_verified=False, reason=reason) for name, reason in REASONS.items()},
    **{name: replace(REPLAYED, first_divergence=replace(FIRST_DIVERGENCE, operation=name)) for name in OPERATIONS},
    "many rows": replace(REPLAYED, first_divergence=replace(FIRST_DIVERGENCE, rows=(1.0,) * 7)),
    "as many rows as are shown": replace(REPLAYED, first_divergence=replace(FIRST_DIVERGENCE, rows=(1.0,) * 4)),
    "no float64": replace(
        REPLAYED, first_divergence=replace(FIRST_DIVERGENCE, exact=Fraction(5, 4) + Fraction(1, 2**70))
    ),
    "equal in the end": replace(REPLAYED, jacobian_result=1.5, first_divergence=FIRST_DIVERGENCE),
    "equal all the way": replace(REPLAYED, jacobian_result=1.5),
    "by another method": replace(REPLAYED, replayed="rows", first_divergence=FIRST_DIVERGENCE),
}

TWO = "`backward()` and {code2}"


def named(s: State) -> bool:
    """Whether the side that is not `backward()` has the name of the method that was replayed."""
    return s.m["code2"] == {"functional": "`functional.jacobian`", "rows": "`grad, row by row`"}[s.f.replayed]


DIVERGES = [
    Row("Component 3 of sample 4 is not replayed.", has(lambda f: f.reason)),
    *(Row(reason, lambda s, reason=reason: s.f.reason == reason) for reason in REASONS.values()),
    Row(
        f"In component 3 of sample 4, {TWO} never diverge: both give `1.5`.",
        lambda s: named(s) and not s.f.first_divergence,
    ),
    *(
        Row(
            f"In component 3 of sample 4, {TWO} first diverge in the gradient of h3, {text}: `backward()` has "
            "{code}, the rows have {any} = {x}.",
            lambda s, name=name: (
                named(s)
                and s.f.first_divergence.operation == name
                and s.number("x") == s.f.first_divergence.exact
                and s.m["any"].count("`") == 2 * min(len(s.f.first_divergence.rows), 4)
                and s.m["any"].endswith("…") == (len(s.f.first_divergence.rows) > 4)
            ),
        )
        for name, text in OPERATIONS.items()
    ),
    Row(
        f"In component 3 of sample 4, {TWO} first diverge in the gradient of h3, where an addition is rounded: "
        "`backward()` has {code}, the rows have {any} ≈ {x}.",
        lambda s: named(s) and s.number("x") == float(s.f.first_divergence.exact) != s.f.first_divergence.exact,
    ),
    Row("The results are `1.5` and `1.25`.", has(lambda f: f.backward_result != f.jacobian_result), sometimes=True),
    Row("Yet both results are `1.5`.", has(lambda f: f.first_divergence and f.backward_result == f.jacobian_result)),
]

BY_METHODS = {
    (name, x, replayed): replace(REPLAYED, method=name, method_result=x, replayed=replayed)
    for name, x in product(METHODS, (1.25, 1.5, 1.75))
    for replayed in {name, "functional", "rows"}
}

REPLAYED_IN = "These are the operations of {code2}: {code} gives"


def another(s: State, same: bool) -> bool:
    """Whether another method was chosen, and gave the value that is replayed, or not."""
    names = named(s) and s.m["code"] == f"`{s.f.method}`" != f"`{s.f.replayed}`"
    return names and (s.f.method_result == s.f.jacobian_result) == same


def of_backward(s: State) -> bool:
    """Whether the method is the very pass of `backward()`, whose operations are shown."""
    return s.f.method == "summed-output" and s.f.method_result == s.f.backward_result


OTHER_METHOD = [
    Row(f"{REPLAYED_IN} the same value here.", lambda s: another(s, same=True)),
    Row(
        f"{REPLAYED_IN} {{code3}} here, by operations that are not shown.",
        lambda s: another(s, same=False) and s.m["code3"] == f"`{s.f.method_result}`" and not of_backward(s),
    ),
    Row(
        f"{REPLAYED_IN} {{code3}} here, as `backward()` does, by the same operations.",
        lambda s: another(s, same=False) and s.m["code3"] == f"`{s.f.method_result}`" and of_backward(s),
    ),
]

VERIFIED = [
    Row(
        "Verified: the replay reproduces PyTorch's own bits in every gradient on the way.", has(lambda f: not f.reason)
    ),
    Row(
        "Order of addition: {word} in dot products, {word2} in the sum of rows.",
        lambda s: (s.m["word"], s.m["word2"]) == (s.f.dot_order, s.f.sum_order),
    ),
    Row("Errors are in ulps, and ≈ marks an exact sum that is rounded to float64.", always),
]

SUBJECTS = [
    Subject(first_divergence_claim, DIVERGES, alone(REPLAYS)),
    Subject(verified, VERIFIED, alone({name: replay for name, replay in REPLAYS.items() if replay.verified})),
    Subject(replayed_method, OTHER_METHOD, alone(BY_METHODS)),
]
