"""Why two results may differ, or what is wrong with one: a table of causes, the strongest evidence first.

The first row whose condition holds is the likely cause and gives the verdict. It fits the digits and is never proved by
them. What honest sums do, which is to round, comes before what mistakes do wherever both fit.
"""

from collections.abc import Callable
from dataclasses import dataclass

from lib.paste.evidence import FEW, Facts
from lib.paste.verdict import Verdict

ROUNDING, NOT_ROUNDING, MORE_DIGITS = Verdict


@dataclass(frozen=True)
class Link:
    """A way to what shows a cause: its words, the study whose tab it is in, and the key of its section, or ""."""

    words: str
    study: str
    section: str = ""


@dataclass(frozen=True)
class Cause:
    """A cause: when it fits, the verdict or None where nothing is to be judged, what is said, and what to do."""

    name: str
    when: Callable[[Facts], object]
    verdict: Verdict | None
    sentence: str
    do: str = ""
    links: tuple[Link, ...] = ()


ORDER = Link("Another order", "discrepancy", "operations")
BATCH = Link("A batch", "batch")
KERNEL = Link("Another kernel", "batch", "batch_orders")
SUMS = Link("Why are all rows the same?", "pitfall")
DTYPES_TRIED = Link("The four dtypes", "discrepancy", "ladder")
CONDITION = Link("How much may rounding do?", "discrepancy", "bug")
SATURATION = Link("Zero by mistake", "derivative", "saturation")
UNSAFE = Link("NaN, infinite and zero gradients", "derivative", "unsafe")
EDGES = Link("Edges and kinks", "derivative", "edges")
FORMULAS = Link("By hand against autograd", "derivative")

_ROWS = "J = torch.autograd.functional.jacobian(f, x)"
_BATCH_DO = "J = torch.func.vmap(torch.func.jacrev(f))(X)  # (batch, outputs, inputs)"
_PRINT = "torch.set_printoptions(precision=9)  # or print((a - b).abs().max().item(), a.abs().max().item())"
_TF32 = "torch.set_float32_matmul_precision('highest')  # and torch.backends.cuda.matmul.allow_tf32 = False"


def _jacobian(f: Facts) -> bool:
    return f.structure is not None


CAUSES = (
    # messages without values
    Cause(
        "detached",
        lambda f: f.says(r"does not require grad|not have been used in the graph|unused in the graph|\.grad is None"),
        NOT_ROUNDING,
        "The graph is cut: something on the way was detached, copied with torch.tensor(…), .item() or .numpy(), or "
        "computed under no_grad, or x is not the tensor that the result was computed from.",
        "x.requires_grad_(True); y = f(x); torch.autograd.grad(y.sum(), x)",
        (UNSAFE,),
    ),
    Cause(
        "nan found",
        lambda f: f.says(r"Backward\d*'? returned nan"),
        NOT_ROUNDING,
        "The backward of the operation that is named gives NaN: a square root, a norm or a division at 0, or a branch "
        "of torch.where that is not taken.",
        "torch.where(ok, f(torch.where(ok, x, 1.0)), 0.0)  # mask the input as well",
        (UNSAFE,),
    ),
    Cause(
        "dtypes",
        lambda f: f.says(r"'dtype' do not match|expected .* dtype .* but (?:got|found)|same dtype"),
        NOT_ROUNDING,
        "The dtypes differ, before any value does: the two were computed in different precision.",
        "torch.testing.assert_close(a, b, check_dtype=False)  # or convert one of them",
        (DTYPES_TRIED,),
    ),
    Cause(
        "nondeterministic",
        lambda f: f.says(r"not reentrant"),
        ROUNDING,
        "Two backward passes of the same input gave different values: sums that are added in another order each time, "
        "as by atomic additions on a GPU, fit that, and so does a random number in the forward pass.",
        "torch.autograd.gradcheck(f, x, nondet_tol=1e-10)  # or torch.use_deterministic_algorithms(True)",
        (ORDER,),
    ),
    Cause(
        "message shapes",
        lambda f: (
            f.name == "shape"
            and len(f.kind.shapes) > 1
            and f.kind.shapes[0] == f.kind.shapes[1][::-1]
            and f.kind.shapes[0] != f.kind.shapes[1]
        ),
        NOT_ROUNDING,
        "The shapes {f.shapes_text} are each other's transposes: a Jacobian has a row per output and a column per "
        "input.",
        "J = J.mT",
    ),
    Cause(
        "message shapes",
        lambda f: f.name == "shape" and len(set(f.kind.shapes)) > 1,
        NOT_ROUNDING,
        "The shapes {f.shapes_text} differ: no rounding does that. A gradient of a sum over rows lacks the rows of "
        "the Jacobian, and a broadcast adds some.",
        _ROWS,
        (SUMS,),
    ),
    # shapes
    Cause(
        "batch Jacobian",
        lambda f: f.name == "shape" and len(f.shape) == 4 and f.shape[0] == f.shape[2] > 1,
        None,
        "{f.shape_text} fits the Jacobian of a whole batch, (batch, outputs, batch, inputs): a block for every pair of "
        "samples, all zero between different samples unless one influences another.",
        _BATCH_DO,
        (BATCH,),
    ),
    Cause(
        "shape",
        lambda f: f.name == "shape" and len(f.shape) == 2,
        None,
        "A Jacobian of {f.shape_text} has a row for each of {f.rows} outputs and a column for each of {f.columns} "
        "inputs: {f.held_numbers} numbers. If you know them the other way round, it is transposed.",
        "J = J.mT  # if it is transposed",
    ),
    Cause(
        "shape",
        lambda f: f.name == "shape" and len(f.shape) == 3,
        None,
        "{f.shape_text} fits (batch, outputs, inputs), as from vmap, or (outputs, batch, inputs), as of outputs summed "
        "over the batch.",
        _BATCH_DO,
    ),
    Cause(
        "shape",
        lambda f: f.name == "shape",
        None,
        "A Jacobian has the shape of the result, followed by that of the input: {f.shape_text} is their join.",
    ),
    # one matrix
    Cause(
        "NaN",
        lambda f: f.structure and f.structure.nan,
        NOT_ROUNDING,
        "NaN in {f.structure.where_not_finite}. It fits 0/0, 0 · inf, a square root or norm at 0, and a masked NaN: "
        "torch.where differentiates the branch that is not taken as well.",
        "torch.where(ok, f(torch.where(ok, x, 1.0)), 0.0)  # mask the input as well",
        (UNSAFE,),
    ),
    Cause(
        "infinity",
        lambda f: f.structure and f.structure.infinite,
        NOT_ROUNDING,
        "Infinities in {f.structure.where_not_finite}: they fit a division by 0, a logarithm or root at 0, and numbers "
        "beyond the range of the dtype, which ends at 65,504 in float16.",
        "",
        (UNSAFE,),
    ),
    Cause(
        "zeros",
        lambda f: f.structure and f.structure.zero,
        NOT_ROUNDING,
        "All numbers are zero: a detached part (detach(), item(), torch.tensor(…)), units that are all off or "
        "saturated, or the sum of all rows of a softmax fit that.",
        "torch.autograd.functional.jacobian(f, x, strict=True)  # an error where f(x) does not depend on x",
        (SATURATION, UNSAFE),
    ),
    Cause(
        "sum over rows",
        lambda f: f.structure and f.structure.equal_rows,
        NOT_ROUNDING,
        "All {f.structure.rows} rows are equal: one call of torch.autograd.grad with repeated inputs gives that, where "
        "each row is the sum of all rows; so do outputs that are one and the same function.",
        _ROWS,
        (SUMS,),
    ),
    Cause(
        "sum over rows",
        lambda f: f.structure and f.structure.equal_columns,
        NOT_ROUNDING,
        "All {f.structure.columns} columns are equal: rows that are each the sum of all rows give that when they are "
        "stacked as columns, and so do inputs that enter alike.",
        _ROWS,
        (SUMS,),
    ),
    Cause(
        "batch Jacobian",
        lambda f: f.structure and f.structure.is_batch and f.structure.mixed,
        None,
        "As the Jacobian of a whole batch of {f.structure.batch}, its samples influence each other, as in batch "
        "normalisation: blocks between different samples are not zero.",
        "",
        (BATCH,),
    ),
    Cause(
        "batch Jacobian",
        lambda f: f.structure and f.structure.is_batch,
        None,
        "It fits the Jacobian of a whole batch of {f.structure.batch}, (batch, outputs, batch, inputs): all blocks "
        "between different samples are zero, and those on the diagonal are the Jacobians of the samples.",
        _BATCH_DO,
        (BATCH,),
    ),
    Cause(
        "diagonal",
        lambda f: f.structure and f.structure.diagonal,
        None,
        "Only the diagonal is not zero: that fits a function that treats each entry by itself.",
    ),
    Cause(
        "batch Jacobian",
        lambda f: f.structure and f.structure.blocks > 1,
        None,
        "{f.structure.blocks} blocks lie along the diagonal and all else is zero: that fits the Jacobian of a batch of "
        "{f.structure.blocks}, flattened, whose samples do not influence each other.",
        _BATCH_DO,
        (BATCH,),
    ),
    Cause(
        "zero rows",
        lambda f: f.structure and f.structure.zero_rows,
        NOT_ROUNDING,
        "Only zeros in {f.structure.zero_rows}: no input changes that output here, which fits a ReLU that is off, a "
        "saturated unit or a detached part.",
        "",
        (SATURATION,),
    ),
    Cause(
        "one row",
        lambda f: f.structure and f.structure.one_row,
        None,
        "There is one row: of a function of one output that is the whole Jacobian; of more outputs it looks like the "
        "sum of all rows, as backward(torch.ones_like(y)) leaves it.",
        _ROWS,
        (SUMS,),
    ),
    Cause(
        "symmetric",
        lambda f: f.structure and f.structure.symmetric,
        None,
        "The matrix is symmetric, as every Hessian is: a Jacobian seldom is.",
    ),
    Cause(
        "no fault",
        _jacobian,
        None,
        "No known fault shows in these {f.structure.size} numbers: no equal rows or columns, no row of zeros, no NaN. "
        "That does not prove them right: paste a second Jacobian below it, and the two are compared.",
        "torch.autograd.gradcheck(f, x.double())",
    ),
    # what does not match in shape
    Cause(
        "sum over rows",
        lambda f: f.name == "unequal" and f.relation == "is the sum",
        None,
        "One is the sum of the other's rows, to the digits given: the gradient of the summed outputs against the "
        "Jacobian. Both are right, and are different things.",
        "J.sum(0)  # equals the gradient of f(x).sum()",
        (SUMS,),
    ),
    Cause(
        "mean of rows",
        lambda f: f.name == "unequal" and f.relation == "is the mean",
        None,
        "One is the mean of the other's rows, to the digits given: a loss that is a mean against single rows.",
        "J.mean(0)",
        (SUMS,),
    ),
    Cause(
        "unequal",
        lambda f: f.name == "unequal",
        NOT_ROUNDING,
        "The two have {f.shapes_text} numbers, so they are not the same thing: a part is missing, or one is summed, "
        "broadcast or flattened.",
    ),
    # NaN and zeros in what is no matrix
    Cause(
        "NaN",
        lambda f: f.has_nan and not (f.name == "pairs" and f.same_not_finite),
        NOT_ROUNDING,
        "There is NaN, which no rounding leaves. It fits a square root, a norm or a division at 0, 0 · inf, and a "
        "masked NaN: torch.where differentiates the branch that is not taken as well.",
        "torch.where(ok, f(torch.where(ok, x, 1.0)), 0.0)  # mask the input as well",
        (UNSAFE,),
    ),
    Cause(
        "infinity",
        lambda f: f.has_infinity and not (f.name == "pairs" and f.same_not_finite),
        NOT_ROUNDING,
        "There is an infinity: it fits a division by 0, a logarithm at 0, a relative difference beside 0, and numbers "
        "beyond the range of the dtype.",
        "",
        (UNSAFE,),
    ),
    Cause(
        "zeros",
        lambda f: f.name == "numbers" and f.all_zero,
        NOT_ROUNDING,
        "All is zero: a detached part, units that are off or saturated, the sum of a softmax, or numbers too small for "
        "the dtype fit that.",
        "torch.autograd.functional.jacobian(f, x, strict=True)  # an error where f(x) does not depend on x",
        (SATURATION, UNSAFE),
    ),
    # differences alone
    Cause(
        "few floats",
        lambda f: f.name == "differences" and f.kind.beside and f.lone_steps <= FEW,
        ROUNDING,
        "At {f.kind.beside.text}, the difference {f.lone_text} is {f.lone_count}: another order of a sum, a batch or "
        "another kernel leaves that.",
        "torch.testing.assert_close(a, b)",
        (ORDER, BATCH),
    ),
    Cause(
        "few floats",
        lambda f: f.name == "differences" and not f.kind.beside and not f.lone,
        None,
        "All differences are 0: the two have the same values.",
    ),
    Cause(
        "few floats",
        lambda f: f.name == "differences" and not f.kind.beside and f.lone_size <= FEW * f.eps,
        ROUNDING,
        "The largest difference is {f.lone_text}: in {f.form.name}, numbers from about {f.lone_terms} on lie so far "
        "apart, so sums of such terms leave it. Beside much smaller numbers it would be a bug.",
        _PRINT,
        (ORDER, CONDITION),
    ),
    Cause(
        "rounding of n floats",
        lambda f: f.name == "differences" and not f.kind.beside and f.lone_size <= f.most_units * f.eps,
        ROUNDING,
        "The largest difference is {f.lone_text}. Rounding leaves that in {f.form.name} if terms of about "
        "{f.lone_terms} were added, or many smaller ones. Beside numbers far below 1 it would be a bug.",
        _PRINT,
        (CONDITION, BATCH),
    ),
    Cause(
        "difference alone",
        lambda f: f.name == "differences",
        MORE_DIGITS,
        "A difference of {f.lone_text} is rounding in {f.form.name} only beside terms of about {f.lone_terms}. Paste "
        "the two numbers with it.",
        _PRINT,
        (CONDITION,),
    ),
    Cause(
        "numbers",
        lambda f: f.name == "numbers",
        None,
        "Read as numbers and no differences. Paste a second value, and the two are compared.",
        _PRINT,
    ),
    # pairs
    Cause(
        "equal",
        lambda f: f.name == "pairs" and f.equal and f.held,
        None,
        "They are the same {f.form.name}: nothing differs.",
    ),
    Cause(
        "equal",
        lambda f: f.name == "pairs" and f.equal,
        None,
        "As {f.form.name} they are the same floats. They are written with digits that {f.form.name} does not hold.",
        "",
        (DTYPES_TRIED,),
    ),
    Cause(
        "few floats",
        lambda f: f.name == "pairs" and f.few and f.is_narrow,
        ROUNDING,
        "{f.largest_apart} apart: another order, another kernel (addmm beside mm and add) or a wider accumulator, "
        "rounded at another place, leaves that.",
        "torch.testing.assert_close(a, b)  # or compare in float32",
        (ORDER, KERNEL),
    ),
    Cause(
        "few floats",
        lambda f: f.name == "pairs" and f.few,
        ROUNDING,
        "{f.largest_apart} apart: another order of a sum, another batch size, another kernel (addmm beside mm and add) "
        "or a wider accumulator leaves that.",
        "torch.testing.assert_close(a, b)  # never torch.equal",
        (ORDER, BATCH),
    ),
    Cause(
        "a sum that stands still",
        lambda f: f.stalled,
        ROUNDING,
        "{f.stalled} fits a sum that stands still: in {f.form.name}, adding {f.step} or less to it changes nothing any "
        "more (smaller terms are lost earlier). Count or add in a wider dtype.",
        "x.sum(dtype=torch.float32)  # or torch.float64",
        (DTYPES_TRIED, ORDER),
    ),
    Cause(
        "residues",
        lambda f: f.residues and not f.one_zero,
        ROUNDING,
        "Both are small multiples of powers of two: what is left where terms of about {f.terms} cancel. The true value "
        "may be 0.",
        _PRINT,
        (CONDITION,),
    ),
    Cause(
        "transposed",
        lambda f: f.relation == "transposed",
        NOT_ROUNDING,
        "One is the other transposed, to the digits given.",
        "J = J.mT",
    ),
    Cause(
        "sum over rows",
        lambda f: f.relation in ("sum of rows", "is the sum"),
        NOT_ROUNDING,
        "Each row of one is the sum of all rows of the other, to the digits given: one call of torch.autograd.grad "
        "with repeated inputs gives that.",
        _ROWS,
        (SUMS,),
    ),
    Cause(
        "sign",
        lambda f: f.factor and f.factor.size == 1,
        NOT_ROUNDING,
        "They are equal but for the sign, as far as the digits tell: a swapped subtraction or a lost minus fits.",
        "",
        (FORMULAS,),
    ),
    Cause(
        "sum instead of mean",
        lambda f: f.factor and f.factor.negative,
        NOT_ROUNDING,
        "The {f.factor.larger} is −{f.factor.size} times the {f.smaller}, as far as the digits tell: a lost minus, and "
        "a sum instead of a mean or another factor left out, fit.",
        "",
        (FORMULAS,),
    ),
    Cause(
        "kink",
        lambda f: f.kink,
        NOT_ROUNDING,
        "0, ½ and 1 are what conventions at a kink give: the slope of relu, abs or max where two branches meet fits.",
        "",
        (EDGES,),
    ),
    Cause(
        "sum instead of mean",
        lambda f: f.factor,
        NOT_ROUNDING,
        "The {f.factor.larger} is {f.factor.size} times the {f.smaller}, as far as the digits tell: a sum instead of a "
        "mean over {f.factor.size}, a batch size, a gradient added up {f.factor.size} times, or a lost factor fits.",
        "x.grad = None  # before each backward(); and reduction='sum' or 'mean' on both sides",
        (SUMS, FORMULAS),
    ),
    Cause(
        "sign",
        lambda f: f.flipped,
        NOT_ROUNDING,
        "{f.flipped} of {f.count} components differ in sign only, all others agree.",
        "",
        (FORMULAS,),
    ),
    Cause(
        "permuted",
        lambda f: f.relation in ("permuted", "reshaped"),
        NOT_ROUNDING,
        "Both have the same numbers in another order: a transposition, a reshape or a permutation fits.",
        "J.mT.reshape(…)  # or compare after sorting",
    ),
    Cause(
        "narrower dtype",
        lambda f: f.narrower and f.narrower.precision == 11 and f.form.name == "float32",
        ROUNDING,
        "One is the other rounded to {f.narrow_names}, component by component: TF32 on a GPU, or float16 on the way, "
        "fits.",
        _TF32,
        (DTYPES_TRIED,),
    ),
    Cause(
        "narrower dtype",
        lambda f: f.narrower,
        ROUNDING,
        "One is the other rounded to {f.narrow_names}, component by component: a narrower dtype on the way fits.",
        "",
        (DTYPES_TRIED,),
    ),
    Cause(
        "finite difference",
        lambda f: f.finite_difference and f.form.name != "float64" and (f.difference[0] or f.open),
        ROUNDING,
        "A numerical gradient in {f.form.name}: with a step of 1e-6 its rounding error is as large as the gradient, so "
        "it cannot tell. Check in float64.",
        "torch.autograd.gradcheck(f.double(), x.double())",
        (Link("Finite differences", "discrepancy", "specialists"),),
    ),
    Cause(
        "finite difference",
        lambda f: f.finite_difference and 0 < f.relative[1] <= 1e-5,
        ROUNDING,
        "Beside the largest number the difference is {f.beside}: the step of a finite difference leaves that.",
        "torch.autograd.gradcheck(f, x, eps=1e-6, atol=1e-5)",
        (Link("Finite differences", "discrepancy", "specialists"),),
    ),
    Cause(
        "cancellation",
        lambda f: f.cancelled,
        ROUNDING,
        "Cancellation: the difference, {f.size}, is rounding beside the largest number, {f.largest_number}, and only "
        "beside what remains of such terms does it look large.",
        "",
        (CONDITION, BATCH),
    ),
    Cause(
        "rounding of n floats",
        lambda f: f.rounding,
        ROUNDING,
        "The largest difference is {f.size}, {f.beside} of the largest number. Rounding in {f.judged_as} leaves that "
        "in long sums, or where terms of about {f.terms} cancelled: another order, batch size or kernel fits.",
        "torch.testing.assert_close(a, b)  # with rtol for your sums",
        (CONDITION, BATCH),
    ),
    Cause(
        "rounding of n floats",
        lambda f: f.small_terms and not f.one_zero and f.kind.absolute is None,
        ROUNDING,
        "The difference, {f.size}, is large only beside these small numbers. Rounding leaves that where terms of about "
        "{f.terms} cancelled; where no such terms were added, it is a bug.",
        _PRINT,
        (CONDITION,),
    ),
    Cause(
        "small beside one",
        lambda f: f.name == "message" and f.small_terms,
        MORE_DIGITS,
        "The greatest difference, {f.size}, is small, and large beside the number expected there. Rounding leaves that "
        "where terms of about {f.terms} cancelled: print the two numbers.",
        _PRINT,
        (CONDITION,),
    ),
    Cause(
        "narrower dtype",
        lambda f: f.by_eps and f.names_hardware and not f.open,
        ROUNDING,
        "Beside the largest number the difference is {f.beside}, about the eps of {f.narrow_names}: rounding in that "
        "format on the way fits, as in products in TF32.",
        _TF32,
        (DTYPES_TRIED, CONDITION),
    ),
    Cause(
        "narrower dtype",
        lambda f: f.by_eps and not (f.open or f.finite_difference),
        NOT_ROUNDING,
        "Beside the largest number the difference is {f.beside}: too large for {f.form.name}, and about the eps of "
        "{f.narrow_names}. Look for that on the way (TF32 on a GPU, autocast), then for another formula.",
        _TF32,
        (DTYPES_TRIED, CONDITION),
    ),
    Cause(
        "saturation",
        lambda f: f.zero_is_saturated,
        ROUNDING,
        "0 against {f.one_zero.text}: a saturated tanh, sigmoid or softmax, whose 1 − y rounds to 0, or an underflow "
        "fits.",
        "",
        (SATURATION,),
    ),
    Cause(
        "print more",
        lambda f: f.open,
        MORE_DIGITS,
        "To the digits given they may be equal, or far apart: {f.apart}.",
        _PRINT,
    ),
    Cause(
        "detached part",
        lambda f: f.one_zero,
        NOT_ROUNDING,
        "Exactly 0 against {f.one_zero.text}: a detached part, a ReLU that is off on one side, or a missing gradient "
        "fits.",
        "torch.autograd.functional.jacobian(f, x, strict=True)",
        (SATURATION, UNSAFE),
    ),
    Cause(
        "another function",
        lambda f: f.name == "pairs" or f.kind.absolute is not None,
        NOT_ROUNDING,
        "The difference is {f.size}, {f.beside} of the largest number. Rounding leaves that only where terms of "
        "about {f.terms} cancelled. Otherwise dropout, another mode, a detached part or another function fits.",
        "net.eval(); torch.autograd.gradcheck(f, x.double())",
        (CONDITION, FORMULAS),
    ),
    # words alone
    Cause(
        "no numbers",
        lambda f: f.name == "message",
        MORE_DIGITS,
        "A failed check, and no values in it. Print the largest difference and the largest number.",
        _PRINT,
    ),
    Cause(
        "words",
        lambda f: True,
        None,
        "Words, and no numbers among them. Paste what was printed: two numbers, two vectors, a Jacobian, a difference, "
        "a shape or the message of a failed check.",
        _PRINT,
    ),
)
"""The causes, the strongest evidence first; the last one always fits."""


def likely_cause(facts: Facts) -> Cause:
    """Return the first cause that fits what was pasted."""
    return next(cause for cause in CAUSES if cause.when(facts))
