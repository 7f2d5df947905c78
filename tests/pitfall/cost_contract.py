"""The contract of what is said of the costs."""

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.pitfall.cost_sentences import cost_claim, cost_spread, vmap_claim
from lib.pitfall.costs import Cost
from tests.contract import ROWS, Row, State, Subject, alone, each, no


def timed(outputs: int, best: str, seconds: float = 1e-4, rival: str = "", spread: float = 0.2) -> list[Cost]:
    """Every method at so many outputs, the best of them clearly so, but for a rival."""
    costs = {method: 9 * seconds for method in METHODS} | {best: seconds} | ({rival: 1.05 * seconds} if rival else {})
    low, high = 1 - spread / 2, 1 + spread / 2
    return [Cost(method, outputs, low * t, t, high * t, 1) for method, t in costs.items()]


COSTS = {
    "nothing yet": [],
    "one method": timed(64, "rows")[:1],
    "one size": timed(2, "rows"),
    "each timed once": timed(2, "rows", spread=0),
    "the same everywhere": [*timed(1, "rows"), *timed(2, "rows"), *timed(64, "rows")],
    "another at the end": [*timed(1, "rows"), *timed(2, "rows"), *timed(64, "batched-grad")],
    "another from 2 on": [*timed(1, "rows"), *timed(2, "batched-grad"), *timed(64, "batched-grad")],
    "another in between": [*timed(1, "rows"), *timed(2, "jacrev"), *timed(64, "rows", rival="copies")],
    "vmap everywhere": [*timed(1, "batched-grad"), *timed(2, "batched-grad"), *timed(64, "batched-grad")],
}


def best_of(s: State) -> dict[int, str]:
    """The fastest of the methods that give the rows, where all of them were timed."""
    sizes = sorted({cost.outputs for cost in s.f})
    at = {n: {cost.method: cost.seconds for cost in s.f if cost.outputs == n} for n in sizes}
    return {n: min(ROWS, key=at[n].get) for n in sizes if at[n].keys() >= ROWS}


def is_fastest(s: State) -> bool:
    return best_of(s).get(s.e.outputs) == s.m["code"].strip("`") and s.number("n") == s.e.outputs


def from_then_on(s: State, again: bool = False) -> bool:
    """Whether the method named is the fastest from n to k outputs, not before, and not at the outputs chosen."""
    best, method = best_of(s), s.m["code"].strip("`")
    start = int(s.number("n"))
    before = [n for n in best if n < start]
    since = all(best[n] == method for n in best if n >= start) and (not before or best[before[-1]] != method)
    return since and start > s.e.outputs and (best[s.e.outputs] == method) == again


COST = [
    Row("The first timings are on their way.", lambda s: not s.f),
    Row("Not every method has been timed with {n} output so far.", lambda s: s.e.outputs not in best_of(s)),
    Row("Not every method has been timed with {n} outputs so far.", lambda s: s.e.outputs not in best_of(s)),
    Row("With {n} output, {code} is fastest: {any} a Jacobian.", is_fastest),
    Row("With {n} outputs, {code} is fastest: {any} a Jacobian.", is_fastest),
    Row(
        "With {n} outputs, {code} is fastest: {any} a Jacobian; {code2} may be as fast: the timings overlap.",
        lambda s: is_fastest(s) and s.m["code2"] == "`copies`",
    ),
    Row(
        "It stays fastest up to {n} outputs.",
        lambda s: (
            s.number("n") == max(best_of(s)) > s.e.outputs
            and len({method for n, method in best_of(s).items() if n >= s.e.outputs}) == 1
        ),
    ),
    Row("With {n} outputs it is {code}.", lambda s: from_then_on(s) and s.number("n") == max(best_of(s))),
    Row("With {n} outputs it is {code} again.", lambda s: from_then_on(s, True) and s.number("n") == max(best_of(s))),
    Row("From {n} to {k} outputs it is {code}.", lambda s: from_then_on(s) and s.number("k") == max(best_of(s))),
]

NOISY = "Timings are noisy: the middle half of a method's timings (the bars) spans {} of their median."


def once(s: State) -> bool:
    return bool(s.f) and all(cost.low == cost.high for cost in s.f)


SPREAD = [
    Row("A smaller difference means nothing.", no(once)),
    Row("Timings are noisy, and most of these are of one call each.", once),
    Row("A small difference means nothing.", once),
    Row(NOISY.format("some per cent"), lambda s: not s.f),
    Row(NOISY.format("{p}"), lambda s: bool(s.f) and s.m["p"] == "20%"),  # from 0.9 to 1.1 of the median, all of them
]


def vmap_wins(s: State) -> dict[int, bool]:
    seconds = {(cost.method, cost.outputs): cost.seconds for cost in s.f}
    sizes = sorted({n for method, n in seconds if method == "batched-grad"})
    return {n: seconds["batched-grad", n] < seconds["rows", n] for n in sizes}


VMAP = "All rows at once, by vmap (`batched-grad`), are"

BY_VMAP = [
    Row("The first timings of `batched-grad` are on their way.", lambda s: not vmap_wins(s)),
    Row(
        f"{VMAP} slower than one by one (`rows`), even at the most outputs tried: vmap has its price.",
        lambda s: bool(vmap_wins(s)) and not vmap_wins(s)[max(vmap_wins(s))],
    ),
    Row(
        f"{VMAP} faster than one by one (`rows`) at every number of outputs tried.",
        lambda s: bool(vmap_wins(s)) and all(vmap_wins(s).values()),
    ),
    Row(
        f"{VMAP} faster than one by one (`rows`) from {{n}} outputs on, not always with fewer.",
        lambda s: all(won == (n >= s.number("n")) for n, won in vmap_wins(s).items()),
    ),
]


def by_outputs() -> list[Experiment]:
    return [Experiment(outputs=outputs) for outputs in (1, 2, 64)]


SUBJECTS = [
    Subject(cost_claim, COST, each(COSTS, chosen=by_outputs)),
    Subject(vmap_claim, BY_VMAP, alone(COSTS)),
    Subject(cost_spread, SPREAD, alone(COSTS)),
]
