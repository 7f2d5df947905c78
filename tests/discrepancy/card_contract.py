"""The contract of the three cards below the picture."""

from dataclasses import replace

from lib.discrepancy.card_sentences import bug_card, remedy_card, right_card
from tests.contract import (
    Row,
    Said,
    Sayer,
    State,
    Subject,
    approximate,
    both,
    called,
    each,
    has,
    many_sums,
    narrow,
    no,
    one_pass,
    other_forward,
    rows,
)
from tests.discrepancy.verdict_contract import (
    BOUNDED,
    below,
    judged,
    proved,
    roundings,
    silu_in_16_bits,
    softmax_forward,
    with_bounds,
)
from tests.states import FOUND, Found


def shares(s: State) -> bool:
    counts = {"p": s.f.backward, "q": s.f.jacobian, "r": s.f.tie}
    return (
        called(s)
        and s.number("n") == s.f.judged
        and all(s.share(name, count, s.f.judged) for name, count in counts.items())
    )


CLOSER = "`backward()` is closer in {p}, {side} in {q}, {r} tie"

RIGHT = [
    Row("The first samples are being judged.", has(lambda f: f.judged == 0 and not (f.nonfinite and not f.finite))),
    Row("No component is finite in both.", has(lambda f: f.judged == 0 and f.finite == 0 < f.nonfinite)),
    Row("Both are equally close in all {n} components judged.", lambda s: s.f.tie == s.f.judged == s.number("n") > 0),
    Row(f"{CLOSER}, of {{n}} judged.", both(shares, has(lambda f: not f.undecided and f.tie < f.judged))),
    Row(
        f"{CLOSER}; {{s}} are undecided, of {{n}} judged.",
        both(shares, lambda s: s.f.undecided > 0 and s.share("s", s.f.undecided, s.f.judged)),
    ),
]

none_differs = has(lambda f: f.judged and not f.different)

WORST = "Worst seen: {x} rounding units"


def worst(s: State) -> bool:
    return s.f.units > 0 and abs(s.number("x") - s.f.units) <= 0.005 * s.f.units


def exceeded(s: State) -> bool:
    return proved(s) and s.f.over > 0 and s.number("y") >= 14 / 7


BUG = [
    Row("Yes, the pitfall: each row of the single call is the sum of all rows.", many_sums),
    Row("No difference has been measured.", has(lambda f: not f.judged and not f.units), sometimes=True),
    Row("There is no difference to explain.", none_differs, sometimes=True),
    Row(f"{WORST}.", worst),
    Row("A finite difference cancels digits, and no bound is proved for that.", approximate, sometimes=True),
    Row(
        "No bound is proved: {code} has another forward pass.",
        lambda s: other_forward(s) and s.m["code"] == f"`{s.e.method}`",
    ),
    Row("No bound is proved for softmax by {code}.", softmax_forward),
    Row("No bound is proved for its slopes by {code} in 16 bits.", silu_in_16_bits),
    Row("No bound is proved for {word}.", lambda s: s.e.device != "cpu" and s.m["word"] == s.e.device.upper()),
    Row(
        "With so many roundings in {word}, there is no bound.",
        lambda s: proved(s) and roundings(s) >= 1 and s.m["word"] == s.e.dtype,
    ),
    Row(
        "Look into it: {n} components are beyond the proved bound, {y} rounding units.",
        lambda s: exceeded(s) and s.number("n") == s.f.over > 1,
    ),
    Row(
        "Look into it: 1 component is beyond the proved bound, {y} rounding units.",
        lambda s: exceeded(s) and s.f.over == 1,
    ),
    Row(
        "In {word} the proved bound, {y}, excludes nothing.",
        lambda s: proved(s) and not s.f.over and roundings(s) > 0.3 and s.m["word"] == s.e.dtype,
    ),
    Row("Rounding alone can explain it.", below, sometimes=True),
    Row(
        "Worst seen: {x} of at most {y} rounding units (proved).",
        lambda s: below(s) and worst(s) and s.number("y") > s.f.units,
    ),
]

REMEDY = [
    Row("Differentiate `net(x).sum()`, or round once, from float64.", both(rows, narrow, no(none_differs))),
    Row("Differentiate `net(x).sum()`.", both(rows, no(narrow), no(none_differs))),
    Row("In tests, use a tolerance.", both(rows, no(none_differs))),
    Row("Nothing to remove: no difference was seen.", both(rows, none_differs)),
    Row("Nothing to remove: both sides do the same additions in the same order.", one_pass),
    Row("Use autograd.", approximate),
    Row("No step makes a finite difference round as `backward()` does.", approximate),
    Row("Ask for one row at a time, or sum the outputs and differentiate `net(x).sum()`.", many_sums),
]

SELDOM = {"the Jacobian is seldom closer": replace(FOUND["apart"], backward=240, jacobian=10)}


def with_seldom(sayer: Sayer) -> Said:
    yield from judged(sayer, classes=("affine",))
    yield from each(SELDOM, Found.verdict)(sayer)


JUDGED = BOUNDED | {"not judged yet": FOUND["not judged yet"]}

SUBJECTS = [
    Subject(right_card, RIGHT, with_seldom),
    Subject(bug_card, BUG, each(JUDGED, Found.verdict, with_bounds)),
    Subject(remedy_card, REMEDY, each(JUDGED, Found.verdict)),
]
