"""The functions of the derivative study: those of a table, and a visitor's own.

The name of a visitor's function is its text, and the name of a derivative by hand is its text.
`derivative.formulas` evaluates the functions in PyTorch and in ball arithmetic.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from lib.experiment.choices import Choice
from lib.experiment.expressions import Operation, Tree, Variable, on_paper
from lib.experiment.parser import parse, read
from lib.experiment.textbook import derivative, text


@dataclass(frozen=True)
class Function(Choice):
    """A function of one number, and its derivative as people write it.

    `call` is the function in PyTorch. The `formulas` for the derivative are equal on paper; `where`
    defines the letters in them. `autograd` is the formula that PyTorch itself uses, according to
    its derivatives.yaml and its kernels, with y for f(x).

    The remaining texts define the reference. The derivative exists at every finite x for which
    `exists` is true, or at every finite x if `exists` is empty. There it equals `exact`, which ball
    arithmetic evaluates: the first formula, unless the row names another one. Float64 evaluates
    `exact` too, or the `terms` that add up to it: nothing in a term may cancel, so that its error
    stays within a few units of 2**-53. `exact` is empty for a visitor's function, whose derivative
    is that of the power series of `call`.
    """

    call: str
    formulas: tuple[str, ...]
    autograd: str
    exact: str = ""
    exists: str = ""
    terms: tuple[str, ...] = ()
    where: str = ""


_OF_1_OVER_X = ("-1/x**2", "-(1/x)*(1/x)", "-x**-2", "-(1/x)/x")

_ROWS = {
    "reciprocal": Function(
        "1/x", "x.reciprocal() in PyTorch", "1/x", _OF_1_OVER_X, "-(y*y)", exists="x != 0"
    ),
    "ones-over-x": Function(
        "ones/x",
        "1/x as a division of tensors",
        "torch.ones_like(x)/x",
        _OF_1_OVER_X,
        "-(1/x)/x",
        exists="x != 0",
    ),
    "sqrt": Function(
        "√x",
        "the square root: infinitely steep at 0",
        "torch.sqrt(x)",
        ("1/(2*sqrt(x))", "0.5*x**-0.5", "sqrt(x)/(2*x)"),
        "1/(2*y)",
        exists="x > 0",
    ),
    "exp": Function(
        "eˣ",
        "the exponential, its own derivative",
        "torch.exp(x)",
        ("exp(x)", "1/exp(-x)", "exp(x/2)**2"),
        "y",
    ),
    "log": Function(
        "log x",
        "the natural logarithm",
        "torch.log(x)",
        ("1/x", "x/x**2", "exp(-log(x))"),
        "1/x",
        exists="x > 0",
    ),
    "tanh": Function(
        "tanh",
        "the hyperbolic tangent, between −1 and 1",
        "torch.tanh(x)",
        ("1-tanh(x)**2", "(1-t)*(1+t)", "1/cosh(x)**2"),
        "1-y*y, rounded once in kernels that fuse it",
        exact="4*(exp(-abs(2*x))/(1+exp(-abs(2*x)))**2)",
        where="t = tanh(x)",
    ),
    "sigmoid": Function(
        "sigmoid",
        "1/(1 + e⁻ˣ), between 0 and 1",
        "torch.sigmoid(x)",
        ("y*(1-y)", "exp(-x)/(1+exp(-x))**2", "sigmoid(x)*sigmoid(-x)"),
        "(1-y)*y",
        exact="exp(-abs(x))/(1+exp(-abs(x)))**2",
        where="y = sigmoid(x)",
    ),
    "softplus": Function(
        "softplus",
        "log(1 + eˣ), a smooth ReLU; PyTorch returns x itself beyond 20",
        "torch.nn.functional.softplus(x)",
        ("sigmoid(x)", "1/(1+exp(-x))", "exp(x)/(1+exp(x))", "1-exp(-y)"),
        "exp(x)/(exp(x)+1), and 1 beyond x = 20",
        exact="1/(1+exp(-x))",
        where="y = softplus(x)",
    ),
    "gelu": Function(
        "GELU",
        "x Φ(x), with Φ the normal distribution function, from erf",
        "torch.nn.functional.gelu(x)",
        ("(1+erf(x/sqrt(2)))/2+x*p", "erfc(-x/sqrt(2))/2+x*p", "y/x+x*p"),
        "(1+erf(x*sqrt(1/2)))/2+x*p, in a kernel of its own",
        exact="erfc(-x/sqrt(2))/2+x*p",
        terms=("erfc(x*-(0.5**0.5))/2", "x*p"),
        where="p = exp(-x**2/2)/sqrt(2*pi), y = gelu(x)",
    ),
    "abs": Function(
        "|x|",
        "the absolute value",
        "torch.abs(x)",
        ("sign(x)", "x/abs(x)", "abs(x)/x"),
        "sign(x)",
        exists="x != 0",
    ),
    "relu": Function(
        "ReLU",
        "max(0, x), with a kink at 0",
        "torch.relu(x)",
        ("1*(x>0)", "relu(x)/x", "(1+sign(x))/2"),
        "1 where y > 0, else 0",
        exact="(1+sign(x))/2",
        exists="x != 0",
    ),
    "square": Function(
        "x²",
        "the square: 2x is exact in floats",
        "x**2",
        ("2*x", "x+x", "2*x**2/x", "((x+1)**2-(x-1)**2)/2"),
        "2*x",
    ),
}

LISTED = {name: replace(row, exact=row.exact or row.formulas[0]) for name, row in _ROWS.items()}

_AND = "; "
"""It stands between a function and its derivative, which do not contain it."""

BY_RULES = "rules"
"""The name of a derivative by the rules of a textbook, where its text is long."""

_SHORT = 32
"""In characters. A longer function is called f, a longer derivative `BY_RULES`."""


def named(function: str, df: str) -> str:
    """Return the name in `FUNCTIONS` of a function with a derivative by hand.

    `function` is a listed name or a visitor's text, and `df` the text of the derivative, or "".
    """
    return _AND.join(filter(None, (function, df)))


def unreadable(text: str, reader: Callable[[str], Tree] = read) -> str:
    """Return why a text is not an expression, as the end of a sentence; empty if it is one."""
    try:
        reader(text)
    except ValueError as error:
        return str(error)
    return ""


def fault(f: str) -> str:
    """Return why a text is not a function that autograd differentiates; empty if it is one."""
    reason = unreadable(f)
    if not reason and not _has_x(read(f)):
        reason = "autograd needs an x that is not in ones_like or in the condition of where"
    if reason:
        return reason
    reason = unreadable(rules(f), parse)
    return reason and f"in its derivative by the rules, {reason}"


def _has_x(tree: Tree) -> bool:
    """Whether a tree has an x that autograd differentiates."""
    match tree:
        case Operation("where", (_, *branches)):
            return any(map(_has_x, branches))
        case Operation(name, operands):
            return name != "ones_like" and any(map(_has_x, operands))
    return tree == Variable()


@lru_cache(maxsize=256)
def rules(f: str) -> str:
    """Return the derivative of a visitor's text by the rules of a textbook."""
    return text(derivative(read(f)))


def _of_text(f: str) -> Function:
    by_rules = rules(f)
    long = len(by_rules) > _SHORT
    return Function(
        on_paper(f) if len(f) <= _SHORT else "f",
        "your own function",
        f,
        (BY_RULES if long else by_rules,),
        autograd="",
        where=f"{BY_RULES} = {by_rules}" if long else "",
    )


class _Functions(dict[str, Function]):
    """The listed functions by name. Any other name is read as `named` writes it.

    A name that cannot be read raises ValueError.
    """

    def __missing__(self, name: str) -> Function:
        function, _, df = name.partition(_AND)
        row = LISTED.get(function) or _of_text(function)
        return replace(row, formulas=tuple(dict.fromkeys(filter(None, (df, *row.formulas)))))


FUNCTIONS = _Functions(LISTED)
