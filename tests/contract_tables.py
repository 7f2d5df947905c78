"""The tables of the contract: by what says it, each sentence and when it is true."""

from lib.experiment.choices import METHODS
from tests.contract import (
    Row,
    State,
    activations,
    all_equal,
    always,
    approximate,
    both,
    called,
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
    replayed,
    rows,
    running,
    smooth,
    some_differ,
    times,
    truncated,
    zero_times,
)

CLAIM = [
    Row("{code} and {any}: the first samples are on their way.", running),
    Row("{code} and {any} gave no finite gradient components.", none_finite),
    Row(
        "{code} and {any} gave equal values in all {n} gradient components.",
        lambda s: all_equal(s) and s.number("n") == s.f.finite and not one_pass(s),
    ),
    Row(
        "{code} and {any} gave equal values in all {n} gradient components: each is one backward pass with the same "
        "operations.",
        lambda s: all_equal(s) and s.number("n") == s.f.finite and one_pass(s),
    ),
]
DIFFERENT = (
    "{code} and {any} gave different values in {p} of {n} gradient components, and never differed by more than {x}"
)


def differ(s: State) -> bool:
    figures = s.share("p", s.f.different, s.f.finite) and s.number("n") == s.f.finite
    return some_differ(s) and figures and s.f.largest <= s.number("x") <= 1.01 * s.f.largest


CLAIM += [
    Row(f"{DIFFERENT}.", both(differ, no(approximate), no(many_sums))),
    Row(f"{DIFFERENT}: finite differences only approximate the gradient.", both(differ, truncated)),
    Row(f"{DIFFERENT}: finite differences lose digits to cancellation.", both(differ, approximate, no(truncated))),
    Row(f"{DIFFERENT}: on paper both are 0, and what differs is rounding error.", both(differ, zero_times)),
    Row(
        f"{DIFFERENT}: each row of the single call is already the sum of all, so that the sum of its rows counts the "
        "gradient {k} times.",
        both(differ, many_times, times),
    ),
]

FINITENESS = [
    Row("All {n} components are finite.", lambda s: s.f.nonfinite == 0 < s.number("n") == s.f.finite),
    Row(
        "{n} of {k} components are infinite or NaN in one gradient or both: a number on the way overflowed the range "
        "of the dtype.",
        lambda s: (
            s.f.nonfinite == s.number("n") > 0 and s.number("k") == s.f.finite + s.f.nonfinite and not approximate(s)
        ),
    ),
    Row(
        "{n} of {k} components are infinite or NaN in one gradient or both: x + h rounded to x, so that the step taken "
        "was 0 and the quotient 0/0, or a number on the way overflowed the range of the dtype.",
        lambda s: s.f.nonfinite == s.number("n") > 0 and approximate(s),
    ),
    Row("They are in no other figure here.", has(lambda f: f.nonfinite)),
]

READING = [
    Row("No component is finite in both gradients, so there is nothing to compare.", none_finite),
    Row("Every difference is zero, so every cell is in the grey row at the bottom.", all_equal),
    Row("On paper the two vectors are equal.", both(some_differ, rows)),
    Row(
        "Rounding errors scale with S, the sum of the sizes of all terms; an ulp scales with |g|, the size of their "
        "sum.",
        both(some_differ, rows),
    ),
    Row(
        "So where the terms cancel and the condition number S/|g| is twice as large, the same rounding error is twice "
        "as many ulps: a line of slope one.",
        both(some_differ, rows),
    ),
    Row(
        "On the dashed line the distance in ulps equals the condition number, and the difference is one to two "
        "rounding units.",
        both(some_differ, rows),
    ),
    Row(
        "On paper the two vectors are equal, and both come out of one backward pass with the same operations.",
        both(some_differ, one_pass),
    ),
    Row(
        "There is one row, so no rows are added in another order: every difference should be in the lowest row, which "
        "is that of the zeros.",
        both(some_differ, one_pass),
    ),
    Row(
        "On paper each of the {k} rows of the single call is the sum of all rows, so their sum is {k} times the "
        "gradient.",
        both(some_differ, many_times, times),
    ),
    Row("The difference scales with the component itself.", both(some_differ, many_times)),
    Row(
        "So it is about as many ulps whatever the condition number S/|g|, the sum of the sizes of all terms over the "
        "size of their sum: the cells lie in a row.",
        both(some_differ, many_times),
    ),
    Row(
        "The dashed line is for rounding: on it the distance in ulps equals the condition number.",
        both(some_differ, many_times),
    ),
    Row(
        "On paper finite differences only approximate the gradient.",
        both(some_differ, truncated),
    ),
    Row(
        "On paper finite differences are equal to the gradient here, as {any}.",
        both(some_differ, linear_difference),
    ),
    Row(
        "The outputs of softmax add up to 1, so on paper the gradient of their sum is 0.",
        both(some_differ, zero_times),
    ),
    Row(
        "Each of the {k} rows of the single call is that sum of all rows, so on paper the two vectors are equal: both "
        "are 0.",
        both(some_differ, zero_times, times),
    ),
    Row("Whatever either of them has is rounding error.", both(some_differ, zero_times)),
    Row(
        "The error of a finite difference depends on the step and on the size of the outputs, not on the size of the "
        "component or of its terms.",
        both(some_differ, approximate),
    ),
    Row(
        "So the cells usually lie far above the dashed line, on which the distance in ulps equals the condition number "
        "S/|g|, the sum of the sizes of all terms over the size of their sum.",
        both(some_differ, approximate),
    ),
    Row(
        "Of {n} components, {p} are on the dashed line or below.",
        lambda s: (
            some_differ(s)
            and s.number("n") == s.f.finite - s.f.without > 0
            and s.share("p", s.f.finite - s.f.without - s.f.above, s.f.finite - s.f.without)
        ),
    ),
    Row("No component has a condition number.", lambda s: some_differ(s) and s.f.without == s.f.finite),
    Row(
        "In {n} the condition number is 1/u = {a} or more, so that rounding alone can make every digit wrong.",
        lambda s: (
            some_differ(s)
            and s.number("n") == s.f.cancelled > 0
            and s.m["a"] == {"float64": "2⁵³", "float32": "2²⁴", "bfloat16": "2⁸", "float16": "2¹¹"}[s.e.dtype]
        ),
    ),
    Row(
        "S is 0 for {n}, which have no condition number and are in no cell.",
        lambda s: some_differ(s) and s.number("n") == s.f.without > 0,
    ),
]

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


def lean_of(s: State) -> float:
    return (s.f.backward - s.f.jacobian) / s.f.decided


LEAN = [
    Row(
        "In no component is one of them closer than the other, so there is no lean.",
        has(lambda f: f.decided == 0),
    ),
    Row(
        "There is no interval for the lean yet: it takes two networks that lean differently to tell how networks "
        "scatter.",
        has(lambda f: f.networks and len(f.won) < 2 and f.decided),
    ),
    Row(
        "There is no interval for the lean yet: fewer than 5 samples have a component where one is closer.",
        has(lambda f: not f.networks and f.decided and sum(n for b, j, n in f.won if b or j) < 5),
    ),
    Row(
        "Where one of them is closer, it is `backward()` in {p} and the Jacobian in {q}.",
        lambda s: abs(float(s.m["p"][:-1]) + float(s.m["q"][:-1]) - 100) < 0.11 and len(s.f.won) > 1,
    ),
    Row(
        "The lean, the first share less the second, is {p}; its 95 % interval, from {q} to {r}, counts {n} samples.",
        lambda s: not s.f.networks and s.number("n") == s.f.samples and within(s),
    ),
    Row(
        "The lean, the first share less the second, is {p}; its 95 % interval, from {q} to {r}, counts {n} networks.",
        lambda s: s.f.networks == s.number("n") > 1 and within(s),
    ),
    Row(
        "So this one network leans to `backward()`.",
        has(lambda f: not f.networks and f.backward > f.jacobian),
    ),
    Row("So this one network leans to the Jacobian.", has(lambda f: not f.networks and f.backward < f.jacobian)),
    Row("So networks like these lean to `backward()`.", has(lambda f: f.networks > 1 and f.backward > f.jacobian)),
    Row(
        "So networks like these lean to the Jacobian.",
        has(lambda f: f.networks > 1 and f.backward < f.jacobian),
    ),
    Row("It contains 0, so no lean is shown.", has(lambda f: abs(f.backward - f.jacobian) < 0.2 * f.decided)),
    Row("The interval is as wide as it can be, so it says nothing.", has(lambda f: f.networks == 2)),
    Row(
        "This is no lean between two ways of rounding: the rows of the single call add up to {k} times the gradient.",
        both(many_times, times),
    ),
    Row(
        "This is no lean between two ways of rounding: finite differences also have a truncation error and lose digits "
        "to cancellation.",
        truncated,
    ),
    Row(
        "This is no lean between two ways of rounding one sum: finite differences lose digits to cancellation.",
        linear_difference,
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


def within(s: State) -> bool:
    low, lean, high = (percentage(s.m[name]) for name in "qpr")
    return -100 <= low <= lean <= high <= 100


SHARED = [
    Row("Both errors are against the exact gradient of the rounded weights and the rounded input.", always),
    Row(
        "The median error of `backward()` is between {a} and {b} rounding units, about {x} times the median "
        "discrepancy.",
        has(lambda f: f.judged and f.errors is not None and f.apart is not None and f.errors != f.apart),
    ),
    Row(
        "What comes from the same rounded activations is in both errors, and not in the discrepancy.",
        lambda s: smooth(s) and (one_pass(s) or (rows(s) and not other_forward(s))),
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
        "The largest discrepancy is {x} rounding units; rounding alone can make it {y} (2γₘ/u, dashed), but there is "
        "no discrepancy to explain.",
        lambda s: proved(s) and s.f.judged > 0 == s.f.units == s.number("x") and roundings(s) < 1,
    ),
    Row("The largest discrepancy is {x} rounding units.", lambda s: not proved(s) or roundings(s) >= 1),
    Row(
        "No bound is claimed here: finite differences do not apply the chain rule, and the bound does not cover "
        "cancellation.",
        approximate,
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
        "The largest discrepancy is {x} rounding units; rounding alone can make it {y} (2γₘ/u, dashed), and no "
        "component is above.",
        below,
    ),
    Row("So rounding alone can explain every discrepancy here.", below),
    Row("That does not prove that there is no bug, only that none is needed to explain them.", below),
    Row(
        "The largest discrepancy is {x} rounding units; rounding alone can make it {y} (2γₘ/u, dashed), and {n} "
        "components are above.",
        lambda s: proved(s) and s.number("n") == s.f.over > 1,
    ),
    Row(
        "The largest discrepancy is {x} rounding units; rounding alone can make it {y} (2γₘ/u, dashed), and 1 "
        "component is above.",
        lambda s: proved(s) and s.f.over == 1,
    ),
    Row(
        "Rounding as the bound assumes it does not explain that: look for a bug, or for a kernel that rounds more "
        "often.",
        lambda s: proved(s) and s.f.over > 0,
    ),
    Row(
        "The largest discrepancy is {x} rounding units; rounding alone can make it {y} (2γₘ/u, dashed).",
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

FLOATS = [
    Row("Floats are a fixed set of numbers, and what falls between two of them is rounded.", rows),
    Row("So the order of adding matters: (a + b) + c is not always a + (b + c).", rows),
]
OTHER_FORWARD = [
    Row(
        "The forward pass of {code} has other operations too, so the activations and their slopes may round "
        "differently.",
        lambda s: s.m["code"] == f"`{s.e.method}`" and other_forward(s) and activations(s) != {"identity"},
    ),
    Row(
        "It rounds each linear layer twice: before it adds the bias and after.",
        lambda s: other_forward(s) and s.e.method == "jacrev" and s.e.dtype in {"bfloat16", "float16"},
    ),
]
APART = FLOATS + [
    Row(
        "`backward()` goes from the outputs to the inputs and forward mode from the inputs to the outputs, so they add "
        "and multiply in different orders.",
        forward_mode,
    ),
    Row(
        "With one output the Jacobian has one row, so no rows are added up: any difference comes from the operations "
        "on the way, whose kernels may round differently.",
        lambda s: rows(s) and not forward_mode(s) and s.e.outputs == 1,
    ),
    *OTHER_FORWARD,
    Row(
        "`backward()` adds up what the outputs send back on the way; a Jacobian keeps a row for each output, and the "
        "rows are added last.",
        lambda s: rows(s) and not forward_mode(s) and s.e.outputs > 1,
    ),
    Row("Compare gradients with a tolerance and not with `==`: the last bits depend on the kernels.", rows),
    Row("The Jacobian has one row here: the gradient of the one output, or of the sum of all.", one_pass),
    Row(
        "Both sides compute it in one backward pass with the same operations, so they round alike.",
        one_pass,
    ),
    Row(
        "If the gradient of a sum is all you need, differentiate the sum: it costs one backward pass and equals "
        "`backward()`.",
        one_pass,
    ),
    Row(
        "`grad` adds up what all outputs send back to x, and returns that sum once for each x in its list.",
        many_sums,
    ),
    Row(
        "Each of the {k} rows is already the gradient of the sum of all outputs, and the sum of the rows is {k} times "
        "that.",
        both(many_times, times),
    ),
    Row("It is not rounding.", many_times),
    Row(
        "The outputs of softmax add up to 1, so on paper that sum is 0, and {k} times 0 is 0 too.",
        both(zero_times, times),
    ),
    Row(
        "What differs is rounding error, which the single call adds up {k} times.",
        both(zero_times, times),
    ),
    Row("Ask for one row at a time, or for all with `is_grads_batched=True`.", many_sums),
    Row("The tab *Why are all rows the same?* tries every fix.", many_sums),
    Row("A central difference has two errors.", truncated),
    Row(
        "It truncates the Taylor series of the network, which costs about h², and it subtracts two rounded outputs "
        "that are nearly equal, which costs about u/h by cancellation.",
        truncated,
    ),
    Row("A long step has more of the first, a short one more of the second.", truncated),
    Row(
        "A central difference subtracts two rounded outputs that are nearly equal, which costs about u/h by "
        "cancellation.",
        linear_difference,
    ),
    Row(
        "Nothing is truncated, as {any}: a longer step costs fewer digits.",
        linear_difference,
    ),
    Row(
        "Use finite differences to check a gradient, in float64 and with a tolerance, as `gradcheck` does.",
        approximate,
    ),
    Row("To compute one, use autograd.", approximate),
]
RIGHT = [
    Row(
        "Both round on the way, so either may miss the exact gradient.",
        rows,
    ),
    Row(
        "How large these errors can be is known in advance: at most m roundings of u·S each, where u is half the "
        "distance from 1 to the next float, and S adds up the sizes of all terms.",
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
    Row("The exact gradient is 0, so whatever either side has is rounding error.", zero_times),
    Row("Take this gradient for 0.", zero_times),
    Row("The rows of the Jacobian are not 0: ask for them one at a time.", zero_times),
    Row("Any one row of the single call is that gradient too.", many_times),
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
    Row("Finite differences are a check, not a reference.", linear_difference),
]
THERE = [
    Row(
        "`backward()` goes from the outputs to the inputs and forward mode from the inputs to the outputs, so they add "
        "and multiply in different orders.",
        forward_mode,
    ),
    Row(
        "With one output the Jacobian has one row, so no rows are added up: any difference comes from the operations "
        "on the way, whose kernels may round differently.",
        lambda s: rows(s) and not forward_mode(s) and s.e.outputs == 1,
    ),
    *OTHER_FORWARD,
    Row(
        "`backward()` adds up what all outputs send back, and goes on with the sum.",
        lambda s: rows(s) and not forward_mode(s) and s.e.outputs > 1,
    ),
    Row(
        "A Jacobian keeps a row for each output, and the rows are added at the end: the same terms in another order.",
        lambda s: rows(s) and not forward_mode(s) and s.e.outputs > 1,
    ),
    Row(
        "Both sides are one backward pass with the same operations, so there should be no difference to trace.",
        one_pass,
    ),
    Row("`functional.jacobian` goes another way.", one_pass),
    Row("It arises at x, where `grad` adds up what all outputs send back.", many_times),
    Row(
        "`functional.jacobian` keeps the rows apart, so it differs from `backward()` by rounding only.",
        many_times,
    ),
    Row("On paper all terms cancel, so what is left is the rounding error of each operation.", zero_times),
    Row("`functional.jacobian` keeps the rows apart, and makes other rounding errors.", zero_times),
    Row(
        "A finite difference does not go back at all: for each component it evaluates the network at two points and "
        "subtracts.",
        approximate,
    ),
    Row("So no operation of `backward()` has a counterpart in it.", approximate),
    Row(
        "To see where `backward()` and `functional.jacobian` diverge, operation by operation, choose {any}.",
        lambda s: (
            ("the CPU" in s.m["any"]) == (s.e.device != "cpu")
            and ("per-sample" in s.m["any"]) == (s.e.evaluation == "batched")
            and ("two outputs" in s.m["any"]) == (s.e.outputs == 1)
        ),
    ),
    Row(
        "In the replay of `backward()` and `functional.jacobian`, look for the first operation after which "
        "`backward()` no longer has the exact sum of what the rows have.",
        lambda s: replayed(s) and s.e.outputs > 1,
    ),
]
REMEDIES = [
    Row(
        "Two results are equal for certain if both do the same operations in the same order, or if nothing is rounded.",
        rows,
    ),
    Row("Compare with a tolerance, as PyTorch's own tests do.", rows),
    Row(
        "Where equal values are wanted, make both sides do the same additions in the same order, or compute both in "
        "float64 and round once.",
        both(rows, lambda s: narrow(s)),
    ),
    Row(
        "Where equal values are wanted, make both sides do the same additions in the same order.",
        both(rows, lambda s: not narrow(s)),
    ),
    Row("There is nothing to remove: both sides do the same additions in the same order.", one_pass),
    Row(
        "Keep it so, and compare with a tolerance all the same: another machine or another version of PyTorch may use "
        "other kernels.",
        one_pass,
    ),
    Row(
        "No order of additions and no precision turns {k} times a gradient into the gradient.",
        both(many_times, times),
    ),
    Row(
        "Compute the rows one by one, or sum the outputs first.",
        many_sums,
    ),
    Row(
        "The remedies below that do so leave rounding at most; float64 with the same call does not help.",
        many_times,
    ),
    Row(
        "No step makes finite differences and `backward()` round alike, and on paper the two are different numbers.",
        truncated,
    ),
    Row("On paper the two are equal, as {any}.", linear_difference),
    Row("But no step makes finite differences and `backward()` round alike.", linear_difference),
    Row("On paper both sides are 0, so only rounding is left to remove.", zero_times),
    Row("But the rows of the single call are no rows of a Jacobian: each is the sum of all.", zero_times),
    Row(
        "Choose the step where truncation and cancellation balance: the section *Where does it come from?* has the "
        "curve.",
        truncated,
    ),
    Row("Choose a longer step: the section *Where does it come from?* has the curve.", linear_difference),
    Row(
        "Or compute in a wider dtype, or use autograd: the remedies below that replace the method leave rounding at "
        "most.",
        approximate,
    ),
]
MEETING = [
    Row("Gradients flow from the outputs back to the leaf, and where paths meet they are added.", always),
    Row(
        "All outputs were computed from the one x, so at x all rows are added; however often x is asked for, that sum "
        "is all it has.",
        always,
    ),
    Row("With one output nothing need be done: its row is the sum.", lambda s: s.e.outputs == 1),
    Row(
        "Go back once for each row, in a loop or with `is_grads_batched=True`; or give each output a leaf of its own "
        "*before* the forward pass: a copy made after it is not in the graph.",
        lambda s: s.e.outputs > 1,
    ),
]

EVALUATED = "Evaluated {any}, in {word}, on the"


def chosen(s: State) -> bool:
    return (s.m["any"].replace(" ", "-"), s.m["word"]) == (s.e.evaluation, s.e.dtype)


CONDITIONS = [
    Row(
        "{code}: {any}.",
        lambda s: (s.m["code"], s.m["any"]) == (f"`{METHODS[s.e.method].api}`", METHODS[s.e.method].about),
    ),
    Row("The step is h = eps^(1/3)·max(1, |x|).", approximate),
    Row(
        f"{EVALUATED} CPU: the same machine gives the same bits in every run.",
        lambda s: chosen(s) and s.e.device == "cpu",
    ),
    Row(
        f"{EVALUATED} CUDA: the same card gives the same bits in every run, as long as all its work is in one stream, "
        "as here; another card or another version of cuBLAS may add in another order.",
        lambda s: chosen(s) and s.e.device == "cuda",
    ),
    Row(
        f"{EVALUATED} MPS: whether the same chip gives the same bits in every run is not documented.",
        lambda s: chosen(s) and s.e.device == "mps",
    ),
    Row(
        "Matrix products: no TF32; partial sums of 16-bit numbers may be kept in 16 bits.",
        lambda s: s.e.device == "cuda" and s.e.matmul == "default",
    ),
]
