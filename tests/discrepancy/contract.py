"""The contract of what is said of the discrepancy."""

from lib.discrepancy.sentences import claim, conditions, finiteness, why_apart, why_there
from lib.experiment.methods import METHODS
from tests.contract import (
    Row,
    State,
    Subject,
    activations,
    all_equal,
    approximate,
    between_kinks,
    both,
    by_its_own,
    forward_mode,
    has,
    linear_difference,
    many_sums,
    many_times,
    no,
    none_finite,
    of_choices,
    of_discrepancies,
    one_pass,
    other_forward,
    replayed,
    rows,
    running,
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
    Row(
        f"{DIFFERENT}: finite differences lose digits to cancellation.",
        both(differ, approximate, no(truncated), no(between_kinks)),
    ),
    Row(
        f"{DIFFERENT}: finite differences lose digits to cancellation, and err where the step crosses a kink.",
        both(differ, between_kinks),
    ),
    Row(f"{DIFFERENT}: on paper both are 0, and what differs is rounding error.", both(differ, zero_times)),
    Row(
        f"{DIFFERENT}: each row of the single call is already the sum of all rows, so adding them up counts the "
        "gradient {k} times.",
        both(differ, many_times, times),
    ),
]

FINITENESS = [
    Row("All {n} components are finite.", lambda s: s.f.nonfinite == 0 < s.number("n") == s.f.finite),
    Row(
        "{n} of {k} components are infinite or NaN in one gradient or both: an intermediate value overflowed the "
        "range of the dtype.",
        lambda s: (
            s.f.nonfinite == s.number("n") > 0 and s.number("k") == s.f.finite + s.f.nonfinite and not approximate(s)
        ),
    ),
    Row(
        "{n} of {k} components are infinite or NaN in one gradient or both: x + h rounded to x, so the step was 0 "
        "and the quotient 0/0, or an intermediate value overflowed the range of the dtype.",
        lambda s: s.f.nonfinite == s.number("n") > 0 and approximate(s),
    ),
    Row("They are in no other figure here.", has(lambda f: f.nonfinite)),
]

EVALUATED = "Evaluated {any}, in {word}, on the"


def chosen(s: State) -> bool:
    return (s.m["any"].replace(" ", "-"), s.m["word"]) == (s.e.evaluation, s.e.dtype)


CONDITIONS = [
    Row(
        "{code}: {any}.",
        lambda s: (s.m["code"], s.m["any"]) == (f"`{METHODS[s.e.method].api}`", METHODS[s.e.method].about),
    ),
    Row("The step is h = eps^(1/3)·max(1, |x|).", lambda s: approximate(s) and s.e.step is None),
    Row("The step is h = 2⁻⁴·max(1, |x|).", lambda s: approximate(s) and s.e.step == -4),
    Row(
        f"{EVALUATED} CPU: the same machine gives the same bits in every run.",
        lambda s: chosen(s) and s.e.device == "cpu",
    ),
    Row(
        f"{EVALUATED} CUDA: the same card gives the same bits in every run, as long as all its work is in one "
        "stream, as it is here; another card or version of cuBLAS may add in a different order.",
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

FLOATS = [
    Row("Floats are a fixed set of numbers, and what falls between two of them is rounded.", rows),
    Row(
        "So it matters what is added first: (a + b) + c is not always a + (b + c), nor w·(a + b) always w·a + w·b.",
        rows,
    ),
]

WAYS = [
    Row(
        "`backward()` goes from the outputs to the inputs, forward mode from the inputs to the outputs, so they add "
        "and multiply in different orders.",
        forward_mode,
    ),
    Row(
        "With one output the Jacobian has one row, so no rows are added up: any difference comes from the operations "
        "on the way, whose kernels may round differently.",
        lambda s: rows(s) and not forward_mode(s) and s.e.outputs == 1,
    ),
    Row(
        "The forward pass of {code} has other operations too, so the activations and their slopes may round "
        "differently.",
        lambda s: s.m["code"] == f"`{s.e.method}`" and other_forward(s) and activations(s) != {"identity"},
    ),
    Row(
        "It rounds each linear layer twice: before it adds the bias and after.",
        lambda s: other_forward(s) and s.e.method == "jacrev" and s.e.dtype in {"bfloat16", "float16"},
        sometimes=True,
    ),
]

APART = [
    *FLOATS,
    *WAYS,
    Row(
        "`backward()` adds up on the way what the outputs send back; a Jacobian keeps a row for each output, and its "
        "rows are added last.",
        lambda s: rows(s) and not forward_mode(s) and s.e.outputs > 1,
    ),
    Row("Compare gradients with a tolerance, not with `==`: the last bits depend on the kernels.", rows),
    Row("The Jacobian has one row here: the gradient of the one output, or of the sum of all.", one_pass),
    Row("Both sides compute it in one backward pass with the same operations, so they round alike.", one_pass),
    Row(
        "If the gradient of a sum is all you need, differentiate the sum: it costs one backward pass and equals "
        "`backward()`.",
        one_pass,
    ),
    Row("`grad` adds up what all outputs send back to x, and returns that sum once for each x in its list.", many_sums),
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
    Row("What differs is rounding error, which the single call adds up {k} times.", both(zero_times, times)),
    Row(
        "Ask for one row at a time, or for all at once with `is_grads_batched=True` and the identity as "
        "`grad_outputs`.",
        many_sums,
    ),
    Row("The tab *Why are all rows the same?* tries every fix.", many_sums),
    Row("A central difference has two errors.", truncated),
    Row(
        "It truncates the Taylor series of the network, which costs about h², and it subtracts two rounded outputs "
        "that are nearly equal, which costs about u/h by cancellation.",
        truncated,
    ),
    Row("A long step suffers more from the first, a short one from the second.", truncated),
    Row(
        "A central difference subtracts two rounded outputs that are nearly equal, which costs about u/h by "
        "cancellation.",
        lambda s: linear_difference(s) or between_kinks(s),
    ),
    Row("Between its kinks the network is linear in x, so nothing is truncated there.", between_kinks),
    Row(
        "Where the step crosses a kink, the difference mixes the slopes of both sides: the longer the step, the more "
        "often.",
        between_kinks,
    ),
    Row("Nothing is truncated, as {any}: a longer step costs fewer digits.", linear_difference),
    Row(
        "Use finite differences to check a gradient, in float64 and with a tolerance, as `gradcheck` does.", approximate
    ),
    Row("To compute one, use autograd.", approximate),
]

THERE = [
    *WAYS,
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
    Row("`functional.jacobian` takes another route.", one_pass),
    Row("It arises at x, where `grad` adds up what all outputs send back.", many_times),
    Row("`functional.jacobian` keeps the rows apart, so it differs from `backward()` by rounding only.", many_times),
    Row("On paper all terms cancel, so what is left is the rounding error of each operation.", zero_times),
    Row("`functional.jacobian` keeps the rows apart, and makes other rounding errors.", zero_times),
    Row(
        "A finite difference makes no backward pass: for each component it evaluates the network at two points and "
        "subtracts.",
        approximate,
    ),
    Row("So no operation of `backward()` has a counterpart in it.", approximate),
    Row(
        "To see where `backward()` and {code} diverge, operation by operation, choose {any}.",
        lambda s: (
            s.m["code"] == f"`{METHODS[s.e.method if by_its_own(s) else 'functional'].label}`"
            and ("the CPU" in s.m["any"]) == (s.e.device != "cpu")
            and ("two outputs" in s.m["any"]) == (s.e.outputs == 1)
        ),
    ),
    Row(
        "In the tables, look for the first operation after which `backward()` no longer has the exact sum of what the "
        "rows have.",
        lambda s: replayed(s) and s.e.outputs > 1,
    ),
]

SUBJECTS = [
    Subject(claim, CLAIM, of_discrepancies),
    Subject(finiteness, FINITENESS, of_discrepancies),
    Subject(conditions, CONDITIONS, of_choices),
    Subject(why_apart, APART, of_choices),
    Subject(why_there, THERE, of_choices),
]
