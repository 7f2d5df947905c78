"""Why two results may differ, or what is wrong with one: a table of causes, the strongest evidence first.

The first row whose condition holds is the likely cause and gives the verdict. It fits the digits and is never proved by
them. What honest sums do, which is to round, comes before what mistakes do wherever both fit. What to do about a cause,
and where the page shows it, stands in the table below that of the rows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from lib.floats.exact_floats import FORMATS
from lib.paste.facts import Facts
from lib.paste.floats_of import FEW
from lib.paste.verdict import Verdict

RESIDUAL = r"\bsums?\b|should be|instead of|expected|desired|residual|~|close to|cancel"
"""Words beside a 0 that others expect, where terms cancel."""

R, N, M = Verdict.ROUNDING, Verdict.NOT_ROUNDING, Verdict.MORE_DIGITS


@dataclass(frozen=True)
class Link:
    """A way to what shows a cause: its words, the study whose tab it is in, and the key of its section, or ""."""

    words: str
    study: str
    section: str = ""


@dataclass(frozen=True)
class Remedy:
    """What to do about a cause, as a line of code or "", and where it is shown."""

    do: str = ""
    links: tuple[Link, ...] = ()


@dataclass(frozen=True)
class Cause:
    """A cause: its name, the verdict or None where nothing is to be judged, when it fits, and what is said."""

    name: str
    verdict: Verdict | None
    when: Callable[[Facts], object]
    sentence: str

    @property
    def do(self) -> str:
        return REMEDIES[self.name].do

    @property
    def links(self) -> tuple[Link, ...]:
        return REMEDIES[self.name].links


CAUSES = (
    # messages that name their cause
    Cause(
        "detached",
        N,
        lambda f: f.says(
            r"does not require grad|not have been used in the graph|unused in the graph|grad\)?( is|:|\n| =) ?None"
            r"|^\s*None\s*$"
        ),
        "The graph is cut: something on the way was detached, copied with torch.tensor(…), .item() or .numpy(), or "
        "computed under no_grad, or x is not the tensor that the result was computed from.",
    ),
    Cause(
        "shapes",
        N,
        lambda f: f.says(
            r"must match the size|cannot be multiplied|(shape|size|dtype)s?'? (mismatch|do(es)? not match|must match)"
            r"|(shapes|size)[^\n]{0,60}mismatch|mismatch in shape|not broadcast|incompatible shape"
            r"|dtype \w+ but expected|expected [^\n]{0,30}type [^\n]{0,30}but (got|found)"
        ),
        "Shapes or dtypes do not match, before any value does: an axis is missing, summed, or in another place, or the "
        "two were computed in different precision.",
    ),
    Cause(
        "graph",
        N,
        lambda f: (
            f.says(r"modified by an inplace|graph a second time|scalar.outputs?\b|same device|not a leaf|no gradients")
            or f.name == "message"
            and f.says("(Runtime|Type|Value)Error: (?!jacobian mis)")
        ),
        "An error of how the graph is used, and no rounding: backward() needs one number or a cotangent, tensors that "
        "no later line overwrites, and a graph that is kept if it is used twice.",
    ),
    Cause(
        "nondeterministic",
        R,
        lambda f: f.says(r"not reentrant|non-?deterministic"),
        "Two passes of the same input gave different values: sums that are added in another order each time, as by "
        "atomic additions on a GPU, fit that, and so does a random number in the forward pass.",
    ),
    # shapes
    Cause(
        "shapes",
        N,
        lambda f: f.name == "shape" and len(set(f.kind.shapes)) > 1,
        "The shapes {f.shapes_text} differ: no rounding does that. A transposition, a sum over rows, or a broadcast "
        "fits.",
    ),
    Cause(
        "shape",
        None,
        lambda f: f.name == "shape",
        "{f.shapes_text}: a Jacobian has the shape of the result, followed by that of the input. So it has a row for "
        "each output and a column for each input; of a batch (batch, outputs, batch, inputs), or, as from vmap, "
        "(batch, outputs, inputs).",
    ),
    # what no digits are needed for
    Cause(
        "NaN",
        N,
        lambda f: f.nan or f.says(r"Backward\d*'? returned nan"),
        "There is NaN, which no rounding leaves. It fits 0/0, 0 · inf, a square root or norm at 0, and a masked NaN: "
        "torch.where differentiates the branch that is not taken as well.",
    ),
    Cause(
        "infinity",
        N,
        lambda f: f.infinite,
        "There is an infinity: it fits a division by 0, a logarithm or root at 0, and numbers beyond the range of the "
        "dtype, which ends at 65,504 in float16.",
    ),
    Cause(
        "zeros",
        N,
        lambda f: f.zeros,
        "All is zero: a detached part (detach(), item(), torch.tensor(…)), units that are all off or saturated, or the "
        "sum of all rows of a softmax fit that.",
    ),
    # one matrix
    Cause(
        "sum over rows",
        N,
        lambda f: f.equal_lines,
        "{f.equal_lines} are equal: one call of torch.autograd.grad with repeated inputs gives that, where each row is "
        "the sum of all rows; so do outputs, or inputs, that are one and the same.",
    ),
    Cause(
        "batch Jacobian",
        None,
        lambda f: f.blocks > 1,
        "{f.blocks} blocks lie along the diagonal and all else is zero: that fits the Jacobian of a batch of "
        "{f.blocks}, (batch, outputs, batch, inputs), or of a function that treats each entry by itself.",
    ),
    Cause(
        "zero rows",
        N,
        lambda f: f.zero_rows,
        "Only zeros in {f.zero_rows}, counted from 0: no input changes that output here, which fits a ReLU that is "
        "off, a saturated unit or a detached part.",
    ),
    Cause(
        "one row",
        None,
        lambda f: len(f.matrix) == 1,
        "There is one row: of a function of one output that is the whole Jacobian; of more outputs it looks like the "
        "sum of all rows, as backward(torch.ones_like(y)) leaves it.",
    ),
    Cause("no fault", None, lambda f: f.symmetric, "It is symmetric, as every Hessian is: few other Jacobians are."),
    Cause(
        "no fault",
        None,
        lambda f: f.name == "jacobian",
        "No known fault shows in these {f.shapes_text} numbers: no equal rows or columns, no row of zeros, no NaN. "
        "That does not prove them right: paste a second Jacobian below it, and the two are compared.",
    ),
    # two that do not match in shape
    Cause(
        "sum over rows",
        None,
        lambda f: f.name == "unequal" and f.relation.name in ("sum over rows", "mean over rows"),
        "One is the {f.relation.name} of the other, to the digits given: the gradient of summed or averaged outputs "
        "against the Jacobian. Both are right, and are different things.",
    ),
    Cause(
        "shapes",
        N,
        lambda f: f.name == "unequal",
        "The two have {f.shapes_text} numbers, so they are not the same thing: a part is missing, or one is summed, "
        "broadcast or flattened.",
    ),
    # two values, their differences, or what a message tells of these
    Cause("equal", None, lambda f: f.equal and f.alike, "Nothing differs in {f.form.name}."),
    Cause(
        "equal",
        R,
        lambda f: f.equal,
        "As {f.form.name} they are the same floats: they are written with digits that {f.form.name} does not hold, and "
        "rounding to it makes them equal.",
    ),
    Cause(
        "few floats",
        R,
        lambda f: f.few,
        "{f.largest_apart} apart: another order of a sum, another batch size, another kernel (addmm beside mm and add) "
        "or a wider accumulator leaves that.",
    ),
    Cause(
        "a sum that stands still",
        R,
        lambda f: f.stalled,
        "{f.stalled} fits a sum that stands still: in {f.form.name}, adding {f.step} or less to it changes nothing any "
        "more (smaller terms are lost earlier). Count or add in a wider dtype.",
    ),
    Cause(
        "kink",
        N,
        lambda f: f.kink and f.relation.factor >= 0 and not f.absorbed,
        "0, ½ and 1 are what conventions at a kink give: the slope of relu, abs or max where two branches meet fits.",
    ),
    Cause(
        "sum instead of mean",
        N,
        lambda f: f.relation.factor,
        "The {f.relation.larger} is {f.relation.factor} times the other, as far as the digits tell: a sum instead of a "
        "mean, a batch size, a gradient added up in several backward passes, or a lost factor or minus fits.",
    ),
    *(
        Cause(name, N, partial(Facts.is_related, name=name), sentence)
        for name, sentence in {
            "sign": "They are equal but for signs, to the digits given: a lost minus or a swapped subtraction fits.",
            "transposed": "One is the other transposed, to the digits given.",
            "permuted": "Both have the same numbers in another order: a transposition or a reshape fits.",
            "sum over rows": "Each row of one is the sum of all rows of the other, to the digits given: one call of "
            "torch.autograd.grad with repeated inputs gives that.",
        }.items()
    ),
    Cause(
        "finite difference",
        N,
        lambda f: f.finite_difference,
        "Beside the largest number the difference is {f.beside}: a finite difference leaves that by its step, and far "
        "more below float64, where its error may be as large as the gradient. Check in float64.",
    ),
    Cause(
        "narrower dtype",
        R,
        lambda f: f.narrower is FORMATS["float32"],
        "One is the other in float32: the difference is {f.beside} of the largest number, as rounding to float32 "
        "leaves it.",
    ),
    Cause(
        "narrower dtype",
        N,
        lambda f: f.narrower or f.by_eps and f.names_narrow_hardware and not f.rounding,
        "The difference is {f.beside} of the largest number, as rounding to {f.narrow_names} leaves it: a narrower "
        "dtype on the way fits, as in autocast, or in TF32 on a GPU.",
    ),
    Cause(
        "rounding of n floats",
        R,
        lambda f: f.rounding and not f.alone,
        "The largest difference is {f.size}, {f.beside} of the largest number. Rounding in {f.judged_as.name} leaves "
        "that in long sums, or where terms of about {f.terms} cancelled: another order, batch size or kernel fits.",
    ),
    Cause(
        "rounding of n floats",
        R,
        lambda f: f.rounding,
        "The largest difference is {f.size}: one float in {f.form.name} at numbers of about {f.terms}, so sums of such "
        "terms leave it, or many smaller ones. Beside numbers far below 1 it would be a bug.",
    ),
    Cause(
        "difference alone",
        M,
        lambda f: f.alone or f.name == "message" and f.cancelled,
        "A difference of {f.size} is rounding in {f.form.name} only where terms of about {f.terms} were added. Paste "
        "the two numbers with it.",
    ),
    Cause(
        "residues",
        R,
        lambda f: f.absorbed or f.cancelled and f.relation.name != "zero",
        "The difference, {f.size}, is large only beside these small numbers: it is what is left where terms of about "
        "{f.terms} cancel, and the true value may be 0. Where no such terms were added, it is a bug.",
    ),
    Cause(
        "saturation",
        R,
        lambda f: (
            f.relation.name == "zero"
            and f.difference[1] <= (FEW if f.says(RESIDUAL) or len(f.pairs) == 1 else 1) * f.eps
        ),
        "0 against {f.size}: a saturated tanh, sigmoid or softmax, whose 1 − y rounds to 0, an underflow, or "
        "what remains where terms of about {f.terms} cancel fits.",
    ),
    Cause(
        "print more",
        M,
        lambda f: f.open,
        "To the digits given they may be equal, or far apart: {f.drawn.apart} floats.",
    ),
    Cause(
        "detached part",
        N,
        lambda f: f.relation.name == "zero",
        "Exactly 0 on one side only: a detached part, a ReLU that is off, or a missing gradient fits.",
    ),
    Cause(
        "numbers",
        None,
        lambda f: f.unclear or not f.pairs and f.kind.name == "numbers" and len(f.kind.numbers) > 1,
        "Read {f.texts}: which of these belong together is not clear. Paste two numbers as a = … and b = …, or two "
        "rows in brackets, and they are compared.",
    ),
    Cause(
        "another function",
        N,
        lambda f: f.difference[1],
        "The difference is {f.size}, {f.beside} of the largest number. Rounding leaves that only where terms of about "
        "{f.terms} cancelled. Otherwise a narrower dtype on the way (TF32, autocast), dropout or a bug fits.",
    ),
    # no difference
    Cause(
        "few floats",
        R,
        lambda f: f.short_decimal,
        "It is {f.short_decimal}, but for the last digits: one of the few floats next to it, as rounding leaves it.",
    ),
    Cause(
        "numbers",
        None,
        lambda f: f.kind.numbers,
        "Read as numbers and no differences. Paste a second value, and the two are compared.",
    ),
    Cause(
        "no numbers",
        None,
        lambda f: f.name == "message",
        "A check, and no values in it. Print the largest difference and the largest number.",
    ),
    Cause(
        "words",
        None,
        lambda f: True,
        "Words, and no numbers among them. Paste what was printed: two numbers, two vectors, a Jacobian, a difference, "
        "a shape or the message of a failed check.",
    ),
)
"""The causes, the strongest evidence first; the last one always fits."""

_ORDER = Link("Another order", "discrepancy", "operations")
_BATCH = Link("A batch", "batch")
_SUMS = Link("Why are all rows the same?", "pitfall")
_DTYPES = Link("The four dtypes", "discrepancy", "ladder")
_CONDITION = Link("How much may rounding do?", "discrepancy", "bug")
_SATURATION = Link("Zero by mistake", "derivative", "saturation")
_UNSAFE = Link("NaN, infinite and zero gradients", "derivative", "unsafe")
_FORMULAS = Link("By hand against autograd", "derivative")
_PRINT = "torch.set_printoptions(precision=9)  # or print((a - b).abs().max().item(), a.abs().max().item())"
_JACOBIAN = "J = torch.autograd.functional.jacobian(f, x)  # J.sum(0) is what backward(torch.ones_like(y)) gives"
_STRICT = "torch.autograd.functional.jacobian(f, x, strict=True)  # an error where f(x) does not depend on x"
_CHECK = "torch.autograd.gradcheck(f, x.double())"
_CLOSE = "torch.testing.assert_close(a, b)"
_TF32 = "torch.set_float32_matmul_precision('highest')  # and torch.backends.cuda.matmul.allow_tf32 = False"

REMEDIES = {
    "detached": Remedy("x.requires_grad_(True); y = f(x); torch.autograd.grad(y.sum(), x)", (_UNSAFE,)),
    "graph": Remedy("y.backward(torch.ones_like(y), retain_graph=True)", (_SUMS,)),
    "shapes": Remedy(_JACOBIAN, (_SUMS,)),
    "nondeterministic": Remedy("torch.use_deterministic_algorithms(True)", (_ORDER,)),
    "shape": Remedy("J = J.mT  # if it is transposed"),
    "NaN": Remedy("torch.where(ok, f(torch.where(ok, x, 1.0)), 0.0)  # mask the input as well", (_UNSAFE,)),
    "infinity": Remedy(links=(_UNSAFE,)),
    "zeros": Remedy(_STRICT, (_SATURATION, _UNSAFE)),
    "sum over rows": Remedy(_JACOBIAN, (_SUMS,)),
    "batch Jacobian": Remedy("J = torch.func.vmap(torch.func.jacrev(f))(X)  # (batch, outputs, inputs)", (_BATCH,)),
    "zero rows": Remedy(links=(_SATURATION,)),
    "one row": Remedy(_JACOBIAN, (_SUMS,)),
    "no fault": Remedy(_CHECK),
    "equal": Remedy(links=(_DTYPES,)),
    "few floats": Remedy(_CLOSE, (_ORDER, _BATCH)),
    "a sum that stands still": Remedy("x.sum(dtype=torch.float32)  # or torch.float64", (_DTYPES, _ORDER)),
    "sign": Remedy(links=(_FORMULAS,)),
    "kink": Remedy(links=(Link("Edges and kinks", "derivative", "edges"),)),
    "sum instead of mean": Remedy(
        "x.grad = None  # before each backward(); sum or mean on both sides", (_SUMS, _FORMULAS)
    ),
    "transposed": Remedy("J = J.mT"),
    "permuted": Remedy("J.mT.reshape(…)  # or compare after sorting"),
    "finite difference": Remedy(_CHECK, (Link("Finite differences", "discrepancy", "specialists"),)),
    "narrower dtype": Remedy(_TF32, (_DTYPES, _CONDITION)),
    "rounding of n floats": Remedy(_CLOSE, (_CONDITION, _BATCH)),
    "difference alone": Remedy(_PRINT, (_CONDITION,)),
    "residues": Remedy(_PRINT, (_CONDITION,)),
    "saturation": Remedy(links=(_SATURATION,)),
    "print more": Remedy(_PRINT),
    "detached part": Remedy(_STRICT, (_SATURATION, _UNSAFE)),
    "another function": Remedy(f"net.eval(); {_CHECK}", (_CONDITION, _FORMULAS)),
    "numbers": Remedy(_PRINT),
    "no numbers": Remedy(_PRINT),
    "words": Remedy(_PRINT),
}
"""What to do about each cause, and where it is shown."""


def likely_cause(facts: Facts) -> Cause:
    """Return the first cause that fits what was pasted."""
    return next(cause for cause in CAUSES if cause.when(facts))
