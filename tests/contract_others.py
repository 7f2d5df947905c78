"""The contract of what is said of the other studies: their states, made up, and their tables."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import inf, log10

from lib.derivative import sentences as derivative_sentences
from lib.derivative.points import Explanation
from lib.derivative.saturation import Stretch
from lib.derivative.tally import DerivativeTally, SeriesTally
from lib.experiment.choices import DEVICES, DTYPES, METHODS
from lib.experiment.functions import FUNCTIONS, X_FROM
from lib.experiment.query import Experiment
from lib.pitfall import cost_sentences, sentences
from lib.pitfall.costs import Cost
from lib.pitfall.study import PitfallTally
from lib.replay.first_divergence import FirstDivergence
from lib.replay.replay import Replay
from lib.run.tally import ByName, Constant, Extreme, Place
from lib.takeaway import data_sentences
from lib.takeaway.files import FilesTally
from lib.variations import origin_sentences
from lib.variations.agreement import NAMES, AgreementTally, pair
from lib.variations.controls import CONTROLS, ControlsTally, ControlTally
from lib.variations.ladder import LadderTally, RungTally
from lib.variations.remedies import RemediesTally
from lib.variations.scaling import PointTally, Scaling, ScalingTally, points
from tests.contract import ROWS, Row, State, Table, always, has, many_times, running, truncated
from tests.states import FOUND, counted, experiments

Said = Iterator[tuple[State, str]]


@dataclass(frozen=True)
class Subject:
    """A function that makes sentences, their table, and all that it is made to say, by state."""

    sayer: Callable[..., str]
    table: Table
    states: Callable[[], Said]


def of_experiments(sayer: Callable[..., str], cases: dict[str, object], tally: Callable[[object], object]) -> Said:
    tallies = {name: tally(case) for name, case in cases.items()}
    for experiment in experiments():
        for name, case in cases.items():
            yield State(experiment, case, {}), sayer(tallies[name], experiment)


# The pitfall.


@dataclass(frozen=True)
class Entries:
    """`differing` samples have rows that differ; `off` and `off_sum` are the largest distances of an entry."""

    samples: int = 100
    entries: int = 1000
    differing: int = 0
    rows: int = 200
    backward: int = 150
    off: float = 3.3e-2
    off_sum: float = 2e-9

    def tally(self) -> PitfallTally:
        place = Place(0, 0, 0)
        return PitfallTally(
            seen=counted({1: self.samples - self.differing, 0: self.differing}),
            backward=counted({1: self.backward, 0: self.rows - self.backward}),
            against_rows=counted({7: self.entries}),
            worst=Extreme(self.off, place if self.off else None),
            worst_sum=Extreme(self.off_sum, place if self.off_sum else None),
        )


ENTRIES = {
    "nothing yet": Entries(0, 0, 0, 0, 0, 0, 0),
    "none finite": Entries(entries=0, off=0, off_sum=0),
    "far off": Entries(),
    "off by no more than their sum": Entries(off=3e-9),
    "the sum itself": Entries(off_sum=0, backward=200),
    "all zero": Entries(off=0, off_sum=0),
    "rows that differ": Entries(differing=3),
}
CALL = "One call of `torch.autograd.grad` for all rows"


def equal_rows(s: State) -> bool:
    return s.f.entries > 0 == s.f.differing and s.e.outputs > 1


def far(s: State) -> bool:
    return equal_rows(s) and s.number("n") == s.e.outputs and s.f.off <= s.number("x") <= 1.01 * s.f.off


PITFALL = [
    Row(f"{CALL}: the first samples are on their way.", running),
    Row(f"{CALL} gave no finite entries.", has(lambda f: f.samples and not f.entries)),
    Row(
        f"{CALL} is right with one output: there is one row, and it is the sum.",
        lambda s: s.e.outputs == 1 and s.f.entries > 0,
    ),
    Row(f"{CALL} gave rows that differ in {{n}} of {{k}} samples.", lambda s: s.f.differing == s.number("n") > 0),
    Row(
        f"{CALL} gave {{n}} equal rows, and here all rows are equal to their sum.",
        lambda s: equal_rows(s) and s.f.off == 0 and s.number("n") == s.e.outputs,
    ),
    Row(
        f"{CALL} gave {{n}} equal rows, each the sum of all: up to {{x}} off the right row.",
        lambda s: far(s) and (s.f.off_sum == 0 or s.f.off < 2 * s.f.off_sum),
    ),
    Row(
        f"{CALL} gave {{n}} equal rows, each the sum of all: up to {{x}} off the right row, {{y}} decades farther than "
        "off the sum of the right rows.",
        lambda s: far(s) and abs(s.number("y") - log10(s.f.off / s.f.off_sum)) <= 0.25 and s.number("y") > 0,
    ),
]
RIGHT_ROWS = [
    Row(
        "{p} of the {n} rows of the single call are equal to the gradient of `backward()`, value for value.",
        lambda s: s.number("n") == s.f.rows > 0 and s.share("p", s.f.backward, s.f.rows),
    ),
    Row("The right rows are by {code}.", lambda s: s.e.method in ROWS),
    Row(
        "The right rows are by {code}, as {code2} gives none.",
        lambda s: s.e.method not in ROWS and s.m["code2"] == f"`{s.e.method}`",
    ),
]

# Where it comes from.

REPLAYED = Replay(4, 3, "float32", "functional", 1.5, 1.25, 1.25, True, True, dot_order="a", sum_order="b")
FIRST_DIVERGENCE = FirstDivergence("sum", "h3", 1.5, (1.0, 0.25), Fraction(5, 4), None)
OPERATIONS = {
    "product": "where a product is rounded",
    "sum": "where an addition is rounded",
    "rounding": "where the sum is rounded to 16 bits",
    "slope": "where the slope of the activation is multiplied in",
    "sum of rows": "where the rows are added",
}
REASONS = {
    "batched": "Only per-sample evaluation is replayed: batches go through other kernels.",
    "device": "Only what the CPU computes is replayed, not what a graphics card does.",
    "not finite": "A gradient of this sample is infinite or NaN.",
    "order": "The order in which this machine adds 10 terms in each of 5 columns is not known.",
    "values": "On this machine the replay does not give PyTorch's own values.",
}
REPLAYS = {
    **{name: replace(REPLAYED, jacobian_verified=False, reason=reason) for name, reason in REASONS.items()},
    **{name: replace(REPLAYED, first_divergence=replace(FIRST_DIVERGENCE, operation=name)) for name in OPERATIONS},
    "many rows": replace(REPLAYED, first_divergence=replace(FIRST_DIVERGENCE, rows=(1.0,) * 7)),
    "equal in the end": replace(REPLAYED, jacobian_result=1.5, first_divergence=FIRST_DIVERGENCE),
    "equal all the way": replace(REPLAYED, jacobian_result=1.5),
}
TWO = "`backward()` and `functional.jacobian`"


def replays() -> Said:
    for replay in REPLAYS.values():
        yield State(Experiment(), replay, {}), origin_sentences.first_divergence_claim(replay)


DIVERGES = [
    Row("Component 3 of sample 4 is not replayed.", has(lambda f: f.reason)),
    *(Row(reason, lambda s, reason=reason: s.f.reason == reason) for reason in REASONS.values()),
    Row(f"In component 3 of sample 4 {TWO} never diverge: both give `1.5`.", has(lambda f: not f.first_divergence)),
    *(
        Row(
            f"In component 3 of sample 4 {TWO} first diverge in the gradient of h3, {text}: `backward()` then has "
            "{code}, and the rows {any}, which is {x} in all.",
            lambda s, name=name: (
                s.f.first_divergence.operation == name and s.number("x") == float(s.f.first_divergence.exact)
            ),
        )
        for name, text in OPERATIONS.items()
    ),
    Row("The results are `1.5` and `1.25`.", has(lambda f: f.backward_result != f.jacobian_result)),
    Row("Yet both results are `1.5`.", has(lambda f: f.first_divergence and f.backward_result == f.jacobian_result)),
]


def of_replays(sayer: Callable[[Replay], str], replays: list[Replay]) -> Said:
    for replay in replays:
        yield State(Experiment(), replay, {}), sayer(replay)


BY_METHODS = [replace(REPLAYED, method=name, method_result=x) for name, x in product(METHODS, (1.25, 1.5))]
REPLAYED_IN = "The replay is of `functional.jacobian`, whatever the method: {code} gives"


def another(s: State, same: bool) -> bool:
    """Whether another method was chosen, and gave the value that is replayed, or not."""
    named = s.m["code"] == f"`{s.f.method}`" != "`functional`"
    return named and (s.f.method_result == s.f.jacobian_result) == same


OTHER_METHOD = [
    Row(f"{REPLAYED_IN} the same value here.", lambda s: another(s, same=True)),
    Row(
        f"{REPLAYED_IN} {{code2}} here, by operations that are not shown.",
        lambda s: another(s, same=False) and s.m["code2"] == f"`{s.f.method_result}`",
    ),
]
VERIFIED = [
    Row("Replayed, with PyTorch's own value in every gradient on the way.", has(lambda f: not f.reason)),
    Row(
        "Orders of addition: of dot products {word}, of rows {word2}.",
        lambda s: (s.m["word"], s.m["word2"]) == (s.f.dot_order, s.f.sum_order),
    ),
    Row("An exact sum with ≈ is given to 17 digits; errors are in ulps.", always),
]

ANSWERS = {
    "nothing yet": None,
    "all alike": [set(NAMES)],
    "two kinds": [set(NAMES[:4]), set(NAMES[4:])],
    "backward alone": [set(NAMES[:1]), set(NAMES[1:])],
    "all different": [{name} for name in NAMES],
}


def agreements() -> Said:
    for classes in ANSWERS.values():
        kind = {name: k for k, members in enumerate(classes or []) for name in members}
        pairs = [(i, j) for i in range(len(NAMES)) for j in range(i, len(NAMES))] if classes else []
        apart = {pair(i, j): int(kind[NAMES[i]] != kind[NAMES[j]]) for i, j in pairs}
        tally = AgreementTally(10 if classes else 0, apart=counted(apart))
        yield State(Experiment(), classes, {}), origin_sentences.agreement_claim(tally, Experiment())


AGREEMENT = [
    Row("The first samples by every method are on their way.", lambda s: s.f is None),
    Row(
        "`backward()` and the {n} methods give the same answer, compared value by value.",
        lambda s: len(s.f) == 1 and s.number("n") == len(METHODS),
    ),
    Row(
        "`backward()` and the {n} methods give {k} different answers, compared value by value.",
        lambda s: len(s.f) == s.number("k") > 1,
    ),
    Row(
        "`backward()` agrees with {any}.",
        lambda s: {"backward", *re.findall("`(.+?)`", s.m["any"])} in s.f,
    ),
    Row("None of them agrees with `backward()`.", lambda s: {"backward"} in s.f),
]

CHECKS = {"nothing yet": (0, 0, 0), "equal": (50, 50, 0), "not equal": (50, 40, 0), "overflowed": (20, 20, 30)}
CHECKS["none finite"] = (0, 0, 50)


def controls() -> Said:
    for finite, equal, nonfinite in CHECKS.values():
        parts = {
            name: ControlTally(
                bool(finite + nonfinite) * 10,
                *(counted(dict.fromkeys(range(len(control.methods)), part)) for part in (finite, equal, nonfinite)),
            )
            for name, control in CONTROLS.items()
        }
        tally = ControlsTally(ByName(parts))
        yield State(Experiment(), (finite, equal, nonfinite), {}), origin_sentences.controls_claim(tally, Experiment())


CONTROLLED = [
    Row("The first samples of the controls are on their way.", lambda s: not any(s.f)),
    Row("No control has a finite component so far.", lambda s: s.f[0] == 0 < s.f[2]),
    Row(
        "In {n} of {k} comparisons the two gradients differ, though they must not.",
        lambda s: s.f[1] < s.f[0] and s.number("n") == s.number("k"),
    ),
    Row("In all {n} comparisons so far the two gradients are equal, as they must be.", lambda s: s.f[0] == s.f[1] > 0),
]


# What makes it go away.


def rungs(found: dict[str, str]) -> LadderTally:
    """A ladder of the `FOUND` by their names, by dtype."""
    return LadderTally(ByName({dtype: RungTally(FOUND[name].tally()) for dtype, name in found.items()}))


LADDERS = {
    "nothing yet": dict.fromkeys(DTYPES, "nothing yet"),
    "apart": dict.fromkeys(DTYPES, "apart"),
    "equal": dict.fromkeys(DTYPES, "equal"),
    "none finite": dict.fromkeys(DTYPES, "none finite"),
    "float16 overflows": dict.fromkeys(DTYPES, "apart") | {"float16": "some not finite"},
    "some only in float64": dict.fromkeys(DTYPES, "none finite") | {"float64": "some not finite"},
    "equal in float32": dict.fromkeys(DTYPES, "apart") | {"float32": "equal"},
}


def on_ladder(s: State) -> list[str]:
    """The dtypes that have a discrepancy to show."""
    return [dtype for dtype, name in s.f.items() if FOUND[name].different]


def lost(s: State) -> str:
    """The components that are not finite, by dtype, as they are counted."""
    of = {dtype: FOUND[name] for dtype, name in s.f.items() if FOUND[name].nonfinite}
    parts = [
        f"{f.nonfinite} of {f.finite + f.nonfinite} in {dtype}" if f.finite else f"all {f.nonfinite} in {dtype}"
        for dtype, f in of.items()
    ]
    return " and ".join([", ".join(parts[:-1])] * (len(parts) > 1) + parts[-1:])


def ladder_claims() -> Said:
    return of_experiments(origin_sentences.ladder_claim, LADDERS, rungs)


def ladder_readings() -> Said:
    return of_experiments(origin_sentences.ladder_reading, LADDERS, rungs)


LADDER = [
    Row("The first samples in every dtype are on their way.", lambda s: s.f["float32"] == "nothing yet"),
    Row("No discrepancy in any dtype.", lambda s: set(s.f.values()) == {"equal"}),
    Row("No component is finite in any dtype.", lambda s: set(s.f.values()) == {"none finite"}),
    Row(
        "The same network and points, rounded to each dtype: the largest difference is {any}.",
        lambda s: s.m["any"].count("1.12e-08 in ") == len(on_ladder(s)) > 0,
    ),
]
LADDER_READING = [
    Row(
        "On the dashed line the difference is proportional to eps, as rounding errors are while the range holds.",
        lambda s: "float32" in on_ladder(s),
    ),
    Row(
        "The rows of a single call add up to {n} times the gradient in every dtype: that difference does not shrink "
        "with eps.",
        lambda s: many_times(s) and on_ladder(s) and s.number("n") == s.e.outputs,
    ),
    Row(
        "Finite differences have a truncation error besides, which is not proportional to eps.",
        lambda s: truncated(s) and on_ladder(s),
    ),
    Row(
        "Components that are infinite or NaN are not counted: {any}.",
        lambda s: s.m["any"] == lost(s) != "",
    ),
    Row(
        "The range of float16 is the narrowest: numbers that underflow lose digits, and lift its points.",
        lambda s: "float16" in on_ladder(s),
    ),
]

TRIED = {
    "nothing yet": [],
    "none helps": ["apart"] * 5,
    "all help": ["apart", *["equal"] * 4],
    "none finite": ["none finite"] * 5,
    "two help": ["apart", "equal", "equal", "apart", "none finite"],
}


def remedies() -> Said:
    for names in TRIED.values():
        tally = RemediesTally(
            Constant("float32"),
            ByName({f"{'none' if not k else k}": FOUND[name].tally() for k, name in enumerate(names)}),
        )
        yield State(Experiment(), names, {}), origin_sentences.remedies_claim(tally, Experiment())


REMEDY = [
    Row("The first samples under each remedy are on their way.", lambda s: not s.f),
    Row(
        "Of {n} remedies, {k} leave no difference in {x} samples.",
        lambda s: s.number("n") == len(s.f) - 1 and s.number("k") == s.f[1:].count("equal"),
    ),
]

GROWN = {"nothing yet": None, "none differs": lambda value: 0.0, "grows": float}


def scalings() -> Said:
    for units in GROWN.values():
        parts = {}
        for point in points(Experiment()) if units else []:
            value = units(point.value)
            found = replace(FOUND["apart" if value else "equal"], samples=256, units=value)
            parts[point.name] = PointTally(found.tally())
        tally = ScalingTally(ByName(parts))
        assert not units or tally.samples == Scaling.total(Experiment())
        yield State(Experiment(), units, {}), origin_sentences.scaling_claim(tally, Experiment())


SCALED = [
    Row("Networks of growing width, depth and number of outputs, one after the other.", lambda s: s.f is None),
    Row("In no sweep do two points have a discrepancy.", lambda s: s.f is not None and s.f(3) == 0),
    Row(
        "From the first to the last point with a discrepancy, the largest one in rounding units changes by a factor of "
        "{x} with width, {y} with depth, {z} with outputs.",
        lambda s: [s.number(name) for name in "xyz"] == [128, 6, 64],
    ),
]

# What it costs.


def timed(outputs: int, best: str, seconds: float = 1e-4, rival: str = "") -> list[Cost]:
    """Every method at so many outputs, the best of them clearly so, but for a rival."""
    costs = {method: 9 * seconds for method in METHODS} | {best: seconds} | ({rival: 1.05 * seconds} if rival else {})
    return [Cost(method, outputs, 0.9 * t, t, 1.1 * t, 1) for method, t in costs.items()]


COSTS = {
    "nothing yet": [],
    "one method": timed(64, "rows")[:1],
    "one size": timed(2, "rows"),
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


def cost_claims() -> Said:
    for outputs in (1, 2, 64):
        for costs in COSTS.values():
            experiment = Experiment(outputs=outputs)
            yield State(experiment, costs, {}), cost_sentences.cost_claim(costs, experiment)


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
    Row("{code} is the fastest way to the rows for {n} output: {any} a Jacobian.", is_fastest),
    Row("{code} is the fastest way to the rows for {n} outputs: {any} a Jacobian.", is_fastest),
    Row(
        "{code} is the fastest way to the rows for {n} outputs: {any} a Jacobian; {code2} may be as fast, since the "
        "timings overlap.",
        lambda s: is_fastest(s) and s.m["code2"] == "`copies`",
    ),
    Row(
        "It stays the fastest up to {n} outputs.",
        lambda s: (
            s.number("n") == max(best_of(s)) > s.e.outputs
            and len({method for n, method in best_of(s).items() if n >= s.e.outputs}) == 1
        ),
    ),
    Row("With {n} outputs it is {code}.", lambda s: from_then_on(s) and s.number("n") == max(best_of(s))),
    Row("With {n} outputs it is {code} again.", lambda s: from_then_on(s, True) and s.number("n") == max(best_of(s))),
    Row(
        "From {n} outputs on, up to {k}, it is {code}.", lambda s: from_then_on(s) and s.number("k") == max(best_of(s))
    ),
]


def cost_spreads() -> Said:
    for costs in COSTS.values():
        yield State(Experiment(), costs, {}), cost_sentences.cost_spread(costs)


NOISY = (
    "Timings are noisy, more so while others use the machine: here the middle half of those of one method is spread "
    "over {} of their median (the bars on the curves), so a smaller difference means nothing."
)
SPREAD = [
    Row(NOISY.format("some per cent"), lambda s: not s.f),
    Row(NOISY.format("{p}"), lambda s: bool(s.f) and s.m["p"] == "20%"),  # from 0.9 to 1.1 of the median, all of them
]


def vmap_claims() -> Said:
    for costs in COSTS.values():
        yield State(Experiment(), costs, {}), cost_sentences.vmap_claim(costs)


def vmap_wins(s: State) -> dict[int, bool]:
    seconds = {(cost.method, cost.outputs): cost.seconds for cost in s.f}
    sizes = sorted({n for method, n in seconds if method == "batched-grad"})
    return {n: seconds["batched-grad", n] < seconds["rows", n] for n in sizes}


VMAP = "A batch of all cotangents, by vmap (`batched-grad`), is"
BY_VMAP = [
    Row("The first timings of `batched-grad` are on their way.", lambda s: not vmap_wins(s)),
    Row(
        f"{VMAP} slower than the loop (`rows`) at the most outputs tried: vmap has a price of its own.",
        lambda s: not vmap_wins(s)[max(vmap_wins(s))],
    ),
    Row(
        f"{VMAP} faster than the loop (`rows`) at every number of outputs tried.", lambda s: all(vmap_wins(s).values())
    ),
    Row(
        f"{VMAP} faster than the loop (`rows`) from {{n}} outputs on, not always with fewer: vmap has its price.",
        lambda s: all(won == (n >= s.number("n")) for n, won in vmap_wins(s).items()),
    ),
]

# By hand.


@dataclass(frozen=True)
class Derivatives:
    """x by what became of them: where no derivative `exists`; of the others, those where the first formula has
    autograd's value, and where the one and the other are correctly rounded."""

    x: int = 100
    outside: int = 0
    overflow: int = 0
    equal: int = 48
    right: int = 90
    right_by_hand: int = 95
    round_trips: int = 100
    back: int = 70

    @property
    def exist(self) -> int:
        return self.x - self.outside

    def tally(self, function: str) -> DerivativeTally:
        formulas = FUNCTIONS[function].formulas
        series = {"autograd": SeriesTally(equal=self.exist, correct=self.right)}
        series |= {name: SeriesTally(equal=self.equal, correct=self.right_by_hand) for name in formulas}
        return DerivativeTally(
            Constant(function),
            self.x,
            self.outside,
            self.overflow,
            min(self.exist, 7),
            self.round_trips,
            self.back,
            ByName(series if self.x else {}),
        )


DERIVATIVES = {
    "nothing yet": Derivatives(0, 0, 0, 0, 0, 0, 0, 0),
    "none exists": Derivatives(outside=100, equal=0, right=0, right_by_hand=0, round_trips=0, back=0),
    "some do not exist": Derivatives(outside=5),
    "all equal": Derivatives(equal=100, right_by_hand=90),
    "apart": Derivatives(),
    "some overflow": Derivatives(overflow=9),
    "no way back": Derivatives(round_trips=0, back=0),
    "always back": Derivatives(back=100),
}


def functions(sayer: Callable[..., str], of_tally: int) -> Said:
    """A sayer of a tally and an experiment, of a tally alone, or of an experiment alone (2, 1 or 0)."""
    for function, dtype, x_from, device in product(FUNCTIONS, DTYPES, X_FROM, DEVICES):
        if dtype not in DEVICES[device].dtypes:
            continue
        experiment = Experiment(function=function, dtype=dtype, x_from=x_from, device=device)
        for found in DERIVATIVES.values():
            tally = found.tally(function)
            arguments = {2: (tally, experiment), 1: (tally,), 0: (experiment,)}[of_tally]
            yield State(experiment, found, {}), sayer(*arguments)


def first_formula(s: State) -> bool:
    return s.m["code"] == f"`{FUNCTIONS[s.e.function].formulas[0]}`"


def called(s: State) -> bool:
    return s.m["code"] == f"`{FUNCTIONS[s.e.function].call}`"


BY_HAND = [
    Row("Autograd and {code}: the first x are on their way.", lambda s: first_formula(s) and s.f.x == 0),
    Row("The derivative of {code} exists at none of {n} x.", lambda s: called(s) and s.f.exist == 0 < s.f.x),
    Row(
        "Autograd and {code} gave equal values at all {n} x: correctly rounded at {p}.",
        lambda s: first_formula(s) and s.f.equal == s.f.exist == s.number("n") and s.share("p", s.f.right, s.f.exist),
    ),
    Row(
        "Autograd and {code} gave different values at {p} of {n} x.",
        lambda s: first_formula(s) and s.share("p", s.f.exist - s.f.equal, s.f.exist) and s.f.equal < s.f.exist,
    ),
    Row(
        "Correctly rounded are {p} of autograd's derivatives and {q} of the formula's.",
        lambda s: s.share("p", s.f.right, s.f.exist) and s.share("q", s.f.right_by_hand, s.f.exist),
    ),
]
TWINS = [
    Row("None of the formulas gave autograd's value at every x.", lambda s: s.f.equal < s.f.exist or not s.f.exist),
    Row("At every x, {any} gave autograd's value.", lambda s: s.f.equal == s.f.exist > 0),
]
THERE_AND_BACK = [
    Row("{code} has no inverse.", lambda s: called(s) and not FUNCTIONS[s.e.function].inverse),
    Row(
        "{code} is defined at no x so far, so there is no way back.",
        lambda s: called(s) and FUNCTIONS[s.e.function].inverse and s.f.round_trips == 0,
    ),
    Row(
        "There and back, {code} with y = {code2} is x again at {p} of the x.",
        lambda s: s.m["code"] == f"`{FUNCTIONS[s.e.function].inverse}`" and s.share("p", s.f.back, s.f.round_trips),
    ),
]
EXACT = [
    Row(
        "The exact derivative was enclosed by ball arithmetic (Arb) at {n} x, and at {k} by float64 with an error "
        "bound that decides the rounding.",
        lambda s: s.number("n") + s.number("k") == s.f.exist,
    ),
    Row("At {n} x the derivative does not exist: they are in no share.", lambda s: s.f.outside == s.number("n") > 0),
    Row(
        "At {n} x it is beyond the largest float: they have no error in ulps.",
        lambda s: s.f.overflow == s.number("n") > 0,
    ),
]
ASKED = [
    Row("The derivative of {code} by hand is {any}: on paper all of them are equal.", called),
    Row("Which of them gives autograd's value, and which is correctly rounded?", always),
]

EVERYWHERE = {"exp", "tanh", "sigmoid", "softplus", "gelu", "square"}
"""Functions whose derivative exists at every finite x."""

EDGES = [
    Row("The derivative of {code} exists at {any}.", called),
    Row("Elsewhere, what comes out is a convention.", lambda s: s.e.function not in EVERYWHERE),
    Row("At an infinity or NaN, what comes out is a convention.", lambda s: s.e.function in EVERYWHERE),
]
ENDS_AT = "And mind [saturation](#saturation), which no tolerance in ulps covers"


def by_hands() -> Said:
    for function in FUNCTIONS:
        why = derivative_sentences.why_by_hand(Experiment(function=function))
        yield State(Experiment(function=function), None, {}), f"{why.why} {why.do}"


WHY_BY_HAND = [
    Row("Formulas that are equal on paper round at different steps, and so may end on different floats.", always),
    Row("Autograd has a formula of its own for {code}, which need not be yours.", called),
    Row("Do not test your formula for equality with autograd's; allow a tolerance.", always),
    Row(f"{ENDS_AT}.", lambda s: s.e.function not in {"tanh", "sigmoid"}),
    *(
        Row(
            f"{ENDS_AT}: where {name} rounds to 1, 1 − {name}{power} is 0, and no digit of that is right.",
            lambda s, name=name: s.e.function == name,
        )
        for name, power in {"tanh": "²", "sigmoid": ""}.items()
    ),
]

STRETCHES = {
    "none": [],
    "one x": [Stretch(-0.75, -0.75)],
    "two": [Stretch(-9.0, -50.0), Stretch(9.0, 50.0)],
    "every other": [Stretch(260.0, 508.0, False)],
}


def saturations() -> Said:
    for stretches in STRETCHES.values():
        text = derivative_sentences.saturation_claim({"autograd": stretches}, Experiment())
        yield State(Experiment(), stretches, {}), text


SATURATED = [
    Row("No x was found in float32 where autograd's derivative of {code} is 0 by mistake.", lambda s: not s.f),
    Row(
        "Autograd's derivative of {code} is 0 {any} in float32, though the float nearest to the exact derivative is "
        "not 0: no digit is right there.",
        lambda s: (
            (s.m["any"].count("x = "), "at x" in s.m["any"], "not at every" in s.m["any"])
            == (len(s.f), any(one.first == one.last for one in s.f), not all(one.solid for one in s.f))
        ),
    ),
]

EXPLANATIONS = {
    "exists not": Explanation(0.0, None, None, None, {}),
    "overflows": Explanation(1e-40, "-1.00e80", -inf, None, {}),
    "exists": Explanation(0.5, "-4.0", -4.0, 2.0**-21, {}),
}


def explanations() -> Said:
    for explanation in EXPLANATIONS.values():
        text = derivative_sentences.explanation_claim(explanation, Experiment())
        yield State(Experiment(), explanation, {}), text


EXPLAINED = [
    Row("At x = {code} = {code2} the derivative of {code3} does not exist.", has(lambda f: f.exact is None)),
    Row("At x = {code} = {code2} the exact derivative is {code3}, to 30 digits.", has(lambda f: f.exact)),
    Row("That is beyond the largest float.", has(lambda f: f.nearest == -inf)),
    Row("One ulp is {a} = {x} there.", has(lambda f: f.ulp)),
]

# To take along.


def files() -> Said:
    for experiment, csv in product((Experiment(), Experiment(samples=10**6)), (b"", b"x" * 10**6)):
        yield State(experiment, csv, {}), data_sentences.files_claim(FilesTally(1, csv, csv), experiment)


FILES = [
    Row("{n} components of {k} samples are on their way.", lambda s: not s.f),
    Row(
        "{n} components of {k} samples: 1.0 MB of CSV, 1.0 MB of Parquet.",
        lambda s: bool(s.f) and s.number("n") == s.e.inputs * s.number("k"),
    ),
]


def limits() -> Said:
    for samples in (10, 10**6):
        experiment = Experiment(samples=samples)
        yield State(experiment, None, {}), data_sentences.files_limit(experiment)


LIMIT = [
    Row("The command line writes the same:", lambda s: s.e.samples == 10),
    Row(
        "The page gives the first {n} of the {k} samples, so that it has room for all its visitors.",
        lambda s: s.number("n") == 10_000 < s.number("k") == s.e.samples,
    ),
    Row("The command line writes all of them:", lambda s: s.e.samples > 10_000),
]

SUBJECTS = [
    Subject(
        sentences.pitfall_claim,
        PITFALL,
        lambda: of_experiments(sentences.pitfall_claim, ENTRIES, Entries.tally),
    ),
    Subject(
        sentences.pitfall_rows,
        RIGHT_ROWS,
        lambda: of_experiments(sentences.pitfall_rows, ENTRIES, Entries.tally),
    ),
    Subject(origin_sentences.first_divergence_claim, DIVERGES, replays),
    Subject(
        origin_sentences.verified,
        VERIFIED,
        lambda: of_replays(origin_sentences.verified, [one for one in REPLAYS.values() if one.verified]),
    ),
    Subject(
        origin_sentences.replayed_method,
        OTHER_METHOD,
        lambda: of_replays(origin_sentences.replayed_method, BY_METHODS),
    ),
    Subject(origin_sentences.agreement_claim, AGREEMENT, agreements),
    Subject(origin_sentences.controls_claim, CONTROLLED, controls),
    Subject(origin_sentences.ladder_claim, LADDER, ladder_claims),
    Subject(origin_sentences.ladder_reading, LADDER_READING, ladder_readings),
    Subject(origin_sentences.remedies_claim, REMEDY, remedies),
    Subject(origin_sentences.scaling_claim, SCALED, scalings),
    Subject(cost_sentences.cost_claim, COST, cost_claims),
    Subject(cost_sentences.vmap_claim, BY_VMAP, vmap_claims),
    Subject(cost_sentences.cost_spread, SPREAD, cost_spreads),
    Subject(
        derivative_sentences.derivative_claim, BY_HAND, lambda: functions(derivative_sentences.derivative_claim, 2)
    ),
    Subject(derivative_sentences.twins, TWINS, lambda: functions(derivative_sentences.twins, 1)),
    Subject(derivative_sentences.round_trip, THERE_AND_BACK, lambda: functions(derivative_sentences.round_trip, 2)),
    Subject(
        derivative_sentences.derivative_reference,
        EXACT,
        lambda: functions(derivative_sentences.derivative_reference, 1),
    ),
    Subject(derivative_sentences.derivative_intro, ASKED, lambda: functions(derivative_sentences.derivative_intro, 0)),
    Subject(derivative_sentences.why_by_hand, WHY_BY_HAND, by_hands),
    Subject(derivative_sentences.edges_reading, EDGES, lambda: functions(derivative_sentences.edges_reading, 0)),
    Subject(derivative_sentences.saturation_claim, SATURATED, saturations),
    Subject(derivative_sentences.explanation_claim, EXPLAINED, explanations),
    Subject(data_sentences.files_claim, FILES, files),
    Subject(data_sentences.files_limit, LIMIT, limits),
]
