"""The contract of the claim, of the line of why and of the cards at the head of the tab."""

from lib.pitfall.card_sentences import fix_card, notice_card, rounding_card
from lib.pitfall.head_sentences import headline, why_in_short
from tests.contract import Row, State, Subject, both, each, has, no, of_choices, running
from tests.pitfall.contract import ENTRIES, Entries, equal_rows

POWER = {"": 1.0, "million": 1e6, "billion": 1e9}


def alone(s: State) -> bool:
    return s.e.outputs == 1


def far(s: State) -> bool:
    """Whether the single call is off by at least ten times what the right rows are."""
    return bool(s.f.compared) and s.f.single >= 10 * s.f.right > 0


def typical(s: State, name: str, size: float) -> bool:
    """Whether a text such as 1.02 × 10⁻⁹ is a size in three digits."""
    return abs(number(s.m[name]) - size) <= 0.0051 * size


def times(s: State) -> bool:
    return abs(number(s.m["any"]) * s.f.right / s.f.single - 1) <= 0.051


def number(text: str) -> float:
    """The number that a text such as 1.02 × 10⁻⁹ or 19 million writes."""
    plain = text.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")).replace(" × 10", "e").replace(",", "")
    digits, _, word = plain.partition(" ")
    return float(digits) * POWER[word]


several = no(alone)
seen = both(several, has(lambda f: f.entries > 0))

CALL = "One call for all Jacobian rows puts their sum in each"

HEAD = [
    Row("With one output, one call is right: the sum of all rows is its row.", alone),
    Row("One call for all rows of a Jacobian: what comes back?", both(several, running)),
    Row(
        "One call for all rows of a Jacobian: no entry is finite.",
        both(several, has(lambda f: f.samples and not f.entries)),
    ),
    Row(
        "One call for all rows gave rows that differ in {n} of {k} samples.",
        lambda s: s.f.differing == s.number("n") > 0 and s.number("k") == s.f.samples,
    ),
    Row(f"{CALL}, and here each row equals that sum.", lambda s: equal_rows(s) and s.f.off == 0),
    Row(f"{CALL}: {{any}} times rounding error.", lambda s: equal_rows(s) and far(s) and times(s)),
    Row(f"{CALL}.", lambda s: equal_rows(s) and s.f.off > 0 and not far(s)),
]

WHY = [
    Row("`grad(y, x)` sends one gradient back to x: nothing is added to it.", alone),
    Row(
        "`grad([y[0], y[1], …], [x, x, …])` adds up the gradients of all outputs; naming x again repeats the sum.",
        several,
    ),
]

ROUNDING = [
    Row("The first samples are on their way.", running),
    Row("No entry could be compared with the exact one.", has(lambda f: f.samples and not f.compared)),
    Row(
        "Yes: with one output the sum is the row, typically off by {any}.",
        lambda s: alone(s) and typical(s, "any", s.f.single),
    ),
    Row("No.", lambda s: several(s) and s.f.single > s.f.right and (far(s) or s.f.right == 0)),
    Row(
        "Wrong rows are typically off by {any}; the right ones, by rounding alone, by {any2}.",
        lambda s: far(s) and typical(s, "any", s.f.single) and typical(s, "any2", s.f.right),
    ),
    Row(
        "One call is typically off by {any}, and the right rows are typically exact.",
        lambda s: s.f.right == 0 and typical(s, "any", s.f.single),
    ),
    Row(
        "It cannot be told here: one call is typically off by {any}, the right rows by {any2}.",
        lambda s: (
            several(s)
            and not far(s)
            and (s.f.right > 0 or s.f.single == 0)
            and typical(s, "any", s.f.single)
            and typical(s, "any2", s.f.right)
        ),
    ),
]

FIX = [
    Row("None is needed: there is 1 row, and it is the sum.", alone),
    Row("One call per row: {n} for your network.", lambda s: s.number("n") == s.e.outputs > 1),
    Row("Or `is_grads_batched=True`, with the identity matrix as `grad_outputs`.", several),
]

NOTICE = [
    Row("There is nothing to notice: a single row has no other to equal.", alone),
    Row("All rows are equal.", both(several, running)),
    Row(
        "All rows are equal, as in {p} of {n} samples.",
        lambda s: (
            several(s) and s.number("n") == s.f.samples and s.share("p", s.f.samples - s.f.differing, s.f.samples)
        ),
    ),
    Row("A warning sign, not a proof: right rows can be equal, too.", several),
]

SUBJECTS = [
    Subject(headline, HEAD, each(ENTRIES, Entries.tally)),
    Subject(why_in_short, WHY, of_choices),
    Subject(rounding_card, ROUNDING, each(ENTRIES, Entries.tally)),
    Subject(fix_card, FIX, of_choices),
    Subject(notice_card, NOTICE, each(ENTRIES, Entries.tally)),
]
