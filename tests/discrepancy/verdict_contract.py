"""The contract of what is said of who is right."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from lib.discrepancy.verdict_sentences import (
    bound_claim,
    lean_claim,
    reference_conditions,
    shared_error,
    verdict_claim,
    why_right,
)
from lib.experiment.query import Experiment
from tests.contract import (
    Row,
    Said,
    Sayer,
    State,
    Subject,
    activations,
    alone,
    always,
    approximate,
    between_kinks,
    both,
    called,
    each,
    forward_mode,
    has,
    linear_difference,
    many_sums,
    many_times,
    narrow,
    no,
    none_finite,
    one_pass,
    other_forward,
    rows,
    smooth,
    times,
    truncated,
    zero_times,
)
from tests.states import CLASSES, FOUND, OF_NETWORKS, Found, experiments

VERDICT = [
    Row("Which one is right?", has(lambda f: f.judged == 0)),
    Row("The first samples with a reference are on their way.", has(lambda f: f.judged == 0 and not f.nonfinite)),
    Row("No component is finite in both gradients, so there is nothing to judge.", none_finite),
    Row(
        "Both are equally close to the exact gradient in all {n} components.",
        lambda s: s.f.tie == s.f.judged == s.number("n") > 0,
    ),
    Row(
        "`backward()` is closer to the exact gradient in {p} of {n} components, {side} in {q}; {r} are ties.",
        lambda s: s.f.undecided == 0 and s.f.tie < s.f.judged == s.number("n") and closer(s),
    ),
    Row(
        "`backward()` is closer to the exact gradient in {p} of {n} components, {side} in {q}; {r} are ties, and "
        "{s} are undecided.",
        lambda s: (
            s.f.judged == s.number("n") and closer(s) and s.share("s", s.f.undecided, s.f.judged) and s.f.undecided > 0
        ),
    ),
    Row(
        "`backward()` is exact in {p}, {side} in {q}.",
        lambda s: s.f.judged > 0 and s.f.errors is None and s.share("p", 1, 1) and s.share("q", 1, 1) and called(s),
    ),
]


def closer(s: State) -> bool:
    counts = {"p": s.f.backward, "q": s.f.jacobian, "r": s.f.tie}
    return called(s) and all(s.share(name, count, s.f.judged) for name, count in counts.items())


LEAN = [
    Row(
        "In no component is one of them closer than the other, so there is no lean.",
        has(lambda f: f.decided == 0),
        sometimes=True,
    ),
    Row(
        "There is no interval for the lean: it takes two networks that lean differently.",
        has(lambda f: f.networks and len(f.won) < 2 and f.decided),
        sometimes=True,
    ),
    Row(
        "There is no interval for the lean: fewer than 5 samples have a component where one is closer.",
        has(lambda f: not f.networks and f.decided and sum(n for b, j, n in f.won if b or j) < 5),
        sometimes=True,
    ),
    Row(
        "Where one of them is closer, it is `backward()` in {p} and the Jacobian in {q}: a lean of {r}.",
        lambda s: (
            abs(percentage(s.m["p"]) + percentage(s.m["q"]) - 100) < 0.11
            and abs(percentage(s.m["p"]) - percentage(s.m["q"]) - percentage(s.m["r"])) < 0.11
            and abs(percentage(s.m["r"]) - 100 * leaning(s.f)) <= 0.051
            and len(s.f.won) > 1
        ),
    ),
    Row(
        "Its 95% interval, over {n} samples, goes from {q} to {r}.",
        lambda s: not s.f.networks and s.number("n") == s.f.samples and within(s),
    ),
    Row(
        "Its 95% interval, over {n} networks, goes from {q} to {r}.",
        lambda s: s.f.networks == s.number("n") > 1 and within(s),
    ),
    Row(
        "So this network leans to `backward()`.",
        has(lambda f: not f.networks and f.backward > f.jacobian),
        sometimes=True,
    ),
    Row(
        "So this network leans to the Jacobian.",
        has(lambda f: not f.networks and f.backward < f.jacobian),
        sometimes=True,
    ),
    Row(
        "So on this machine networks like these lean to `backward()`.",
        has(lambda f: f.networks > 1 and f.backward > f.jacobian),
        sometimes=True,
    ),
    Row(
        "So on this machine networks like these lean to the Jacobian.",
        has(lambda f: f.networks > 1 and f.backward < f.jacobian),
        sometimes=True,
    ),
    Row(
        "It contains 0, so it shows no lean.",
        has(lambda f: abs(f.backward - f.jacobian) < 0.2 * f.decided),
        sometimes=True,
    ),
    Row("The interval is as wide as it can be, so it says nothing.", has(lambda f: f.networks == 2), sometimes=True),
    Row(
        "This is not a lean between two ways of rounding: the rows of the single call add up to {k} times the "
        "gradient.",
        both(many_times, times),
    ),
    Row(
        "This is not a lean between two ways of rounding: finite differences also have a truncation error and lose "
        "digits to cancellation.",
        truncated,
    ),
    Row(
        "This is not a lean between two ways of rounding one sum: finite differences lose digits to cancellation.",
        linear_difference,
    ),
    Row(
        "This is not a lean between two ways of rounding one sum: finite differences lose digits to cancellation, and "
        "err where the step crosses a kink.",
        between_kinks,
    ),
    Row("On paper both are 0.", zero_times),
    Row(
        "The single call adds up {k} rows that are each the sum of all, and their rounding errors with them, so "
        "`backward()` should be the closer one wherever they differ.",
        both(zero_times, times),
    ),
]


def percentage(text: str) -> float:
    return float(text[:-1].replace("−", "-"))


def leaning(f: Found) -> float:
    """Backward's share of the components won, less the Jacobian's, in all that is kept apart."""
    won = [(b * count, j * count) for b, j, count in f.won]
    return sum(b - j for b, j in won) / sum(b + j for b, j in won)


def within(s: State) -> bool:
    low, high = (percentage(s.m[name]) for name in "qr")
    return -100 <= low <= 100 * leaning(s.f) <= high <= 100


SHARED = [
    Row("Both errors are measured against the exact gradient of the rounded weights and input.", always),
    Row(
        "The median error of `backward()` is between {a} and {b} rounding units, about {x} times the median "
        "discrepancy.",
        has(lambda f: f.judged and f.errors is not None and f.apart is not None and f.errors != f.apart),
    ),
    Row(
        "Errors that stem from the rounded activations are shared: they are in both errors, but not in the "
        "discrepancy.",
        lambda s: smooth(s) and (one_pass(s) or (rows(s) and not other_forward(s))),
        sometimes=True,
    ),
]


def softmax_forward(s: State) -> bool:
    return forward_mode(s) and s.e.output_activation == "softmax"


def silu_in_16_bits(s: State) -> bool:
    by_operations = forward_mode(s) or s.e.method == "jacrev"
    return by_operations and "silu" in activations(s) and s.e.dtype in {"bfloat16", "float16"} and not other_forward(s)


def proved(s: State) -> bool:
    """Whether both sides have the slopes of the same saved activations, by a fixed number of documented roundings."""
    same = one_pass(s) or (rows(s) and not other_forward(s))
    return same and s.e.device == "cpu" and not softmax_forward(s) and not silu_in_16_bits(s)


def roundings(s: State) -> float:
    """m·u of the networks of `states`: two steps for S and the sum over the outputs at least, one for each neuron."""
    return (sum(s.e.hidden) + s.e.outputs) * {"bfloat16": 2.0**-8, "float16": 2.0**-11}.get(s.e.dtype, 0.0)


def below(s: State) -> bool:
    return s.f.units > 0 and proved(s) and not s.f.over and roundings(s) < 1 / 3


BOUND = [
    Row("No discrepancy has been measured in rounding units.", has(lambda f: not f.judged and not f.units)),
    Row(
        "The largest discrepancy seen is {x} rounding units; rounding alone can make it at most {y} (2γₘ/u, dashed), "
        "but there is no discrepancy to explain.",
        lambda s: proved(s) and s.f.judged > 0 == s.f.units == s.number("x") and roundings(s) < 1,
    ),
    Row("The largest discrepancy seen is {x} rounding units.", lambda s: not proved(s) or roundings(s) >= 1),
    Row(
        "No bound is claimed here: finite differences do not apply the chain rule, and the bound does not cover "
        "cancellation.",
        approximate,
        sometimes=True,
    ),
    Row(
        "No bound is claimed here: each row of the single call is already the sum of all rows, and its rows add up to "
        "{k} times that.",
        both(many_sums, times),
    ),
    Row(
        "No bound is claimed here: the forward pass of {code} has other operations, so its activations, and its "
        "slopes, may round differently.",
        other_forward,
    ),
    Row(
        "Rounding may even put the input of an activation on the other side of its kink, where the slope jumps.",
        lambda s: other_forward(s) and bool(activations(s) & {"relu", "leaky_relu"}),
        sometimes=True,
    ),
    Row(
        "No bound is claimed here: {code} differentiates softmax by exponentials, whose errors grow with their "
        "arguments.",
        softmax_forward,
    ),
    Row(
        "No bound is claimed here: {code} differentiates SiLU by separate operations, which may underflow in {word}.",
        lambda s: silu_in_16_bits(s) and s.m["word"] == s.e.dtype,
    ),
    Row(
        "No bound is claimed here: how matrix products on {word} round is not documented in full.",
        lambda s: s.e.device != "cpu" and s.m["word"] == s.e.device.upper(),
    ),
    Row(
        "There is no bound: with so many roundings in {word}, m·u is 1 or more.",
        lambda s: proved(s) and roundings(s) >= 1 and s.m["word"] == s.e.dtype,
    ),
    Row(
        "The largest discrepancy seen is {x} rounding units; rounding alone can make it at most {y} (2γₘ/u, dashed), "
        "and no component is above.",
        below,
    ),
    Row("So rounding alone can explain every discrepancy here.", below),
    Row("That does not prove that there is no bug, only that none is needed to explain them.", below),
    Row(
        "The largest discrepancy seen is {x} rounding units; rounding alone can make it at most {y} (2γₘ/u, dashed), "
        "and {n} components are above.",
        lambda s: proved(s) and s.number("n") == s.f.over > 1,
    ),
    Row(
        "The largest discrepancy seen is {x} rounding units; rounding alone can make it at most {y} (2γₘ/u, dashed), "
        "and 1 component is above.",
        lambda s: proved(s) and s.f.over == 1,
    ),
    Row(
        "Rounding as the bound assumes it does not explain that: look for a bug, or for a kernel that rounds more "
        "often.",
        lambda s: proved(s) and s.f.over > 0,
        sometimes=True,
    ),
    Row(
        "The largest discrepancy seen is {x} rounding units; rounding alone can make it at most {y} (2γₘ/u, dashed).",
        lambda s: proved(s) and not s.f.over and roundings(s) > 0.3,
    ),
    Row(
        "In {word} that is more than S itself, the sum of the sizes of all terms, so the bound excludes nothing.",
        lambda s: proved(s) and not s.f.over and roundings(s) > 0.3 and s.m["word"] == s.e.dtype,
    ),
    Row(
        "If rounding errors were independent, with mean zero, a component would be above {y} (dotted; Higham and Mary, "
        "2019) with a probability below 1 in 1,000.",
        lambda s: proved(s) and roundings(s) < 0.6,  # then 4·√(2m)·(1 + u)ᵐ·u is below 1
    ),
    Row(
        "If rounding errors were independent, with mean zero, a component would be above {y} (dotted; Higham and Mary, "
        "2019) with a probability below 1 in 1,000: that, too, is more than S.",
        lambda s: proved(s) and roundings(s) >= 1.5,  # then 4·√(2m)·(1 + u)ᵐ·u is above 1
    ),
]

REFERENCE = [
    Row(
        "{n} samples have a reference: {k} by ball arithmetic (Arb), the others by float64 with an error bound; what "
        "that cannot decide goes to ball arithmetic.",
        always,
    ),
    Row("A rounding unit is u·S: half an eps times the sum of the sizes of all terms.", always),
]

RIGHT = [
    Row("Both round on the way, so either may miss the exact gradient.", rows),
    Row(
        "How far rounding can drive the two apart is known in advance: at most 2γₘ·S, and what underflows.",
        lambda s: rows(s) and s.f.bound is not None,
    ),
    Row(
        "Here γₘ = m·u/(1 − m·u) for m roundings on the longest path, u is half the distance from 1 to the next float, "
        "and S adds up the sizes of all terms.",
        lambda s: rows(s) and s.f.bound is not None,
    ),
    Row("Do not trust the last bits of either.", rows),
    Row("If you need more digits, compute in float64 and round once, at the end.", lambda s: rows(s) and narrow(s)),
    Row(
        "If you need more digits than float64 has, compute with more, for example with mpmath or Arb.",
        lambda s: rows(s) and not narrow(s),
    ),
    Row(
        "Both sides do the same operations and make the same rounding errors, so neither is closer to the exact "
        "gradient.",
        one_pass,
    ),
    Row("If you need a smaller error, compute in a wider dtype and round once, at the end.", one_pass),
    Row(
        "The rows of the single call add up to {k} times the gradient, and higher precision does not change that.",
        both(many_times, times),
    ),
    Row("`backward()` only rounds.", many_times),
    Row("Trust `backward()`.", lambda s: approximate(s) or many_times(s)),
    Row("The exact gradient is 0, so whatever either side returns is rounding error.", zero_times),
    Row("Treat this gradient as 0.", zero_times),
    Row("The rows of the Jacobian are not 0: ask for them one at a time.", zero_times),
    Row("Each row of the single call is that gradient, too.", many_times),
    Row("`backward()` applies the chain rule, and its only errors are those of rounding.", approximate),
    Row(
        "A finite difference rounds too, truncates the Taylor series, and loses digits to cancellation: even with the "
        "best step, usually a third of all digits.",
        truncated,
    ),
    Row("Finite differences can confirm about two thirds of its digits: they are a check, not a reference.", truncated),
    Row(
        "A finite difference rounds too, and loses digits to cancellation; nothing is truncated, as {any}.",
        linear_difference,
    ),
    Row(
        "A finite difference rounds too, loses digits to cancellation, and mixes two slopes where its step crosses a "
        "kink.",
        between_kinks,
    ),
    Row("Finite differences are a check, not a reference.", both(approximate, no(truncated))),
]


def judged(sayer: Sayer, classes: Iterable[str] = ("affine", "smooth", "softmax")) -> Said:
    """Of one network, and of a network for each block."""
    yield from each(FOUND, Found.verdict, partial(experiments, "one", classes))(sayer)
    yield from each(OF_NETWORKS, Found.verdict, partial(experiments, "each-block", classes))(sayer)


def with_bounds() -> Iterator[Experiment]:
    """Networks with SiLU, too, and such that are so wide that a bound excludes nothing or does not exist."""
    for experiment in experiments(classes=CLASSES):
        yield experiment
        if experiment.hidden and experiment.outputs == 2:
            for fields in ({"activation": "silu"}, {"hidden": (120,)}, {"hidden": (256, 200)}):
                yield replace(experiment, **fields)


BOUNDED = {name: FOUND[name] for name in ("none finite", "equal", "apart", "above the bound", "once above the bound")}

SUBJECTS = [
    Subject(verdict_claim, VERDICT, judged),
    Subject(lean_claim, LEAN, judged),
    Subject(shared_error, SHARED, partial(judged, classes=CLASSES)),
    Subject(bound_claim, BOUND, each(BOUNDED, Found.verdict, with_bounds)),
    Subject(reference_conditions, REFERENCE, alone(FOUND | OF_NETWORKS, Found.verdict)),
    Subject(why_right, RIGHT, judged),
]
