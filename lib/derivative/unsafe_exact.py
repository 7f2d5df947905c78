"""The exact derivatives of the functions in `unsafe_spellings`, in ball arithmetic.

Each function takes the components of x and returns those of the derivative, row by row if it is a Hessian; a component
that does not exist is None. Those whose safe spelling is another function on purpose also take its eps. The formulas
are the textbook's; where a function is given by cases, so is its derivative.
"""

from flint import arb

from lib.reference.balls import logistic

Exact = list[arb | None]


def sinc(x: arb) -> Exact:
    """At 0 the function is even and smooth, so its derivative is 0."""
    return [(x * x.cos() - x.sin()) / x**2 if x != 0 else arb(0)]


def root(x: arb) -> Exact:
    return [1 / (2 * x.sqrt()) if x > 0 else None]


def shifted_root(x: arb, eps: arb) -> Exact:
    """Of √(x + eps)."""
    return [1 / (2 * (x + eps).sqrt())]


def length(x: arb, y: arb) -> Exact:
    norm = _length(x, y)
    return [x / norm, y / norm] if norm > 0 else [None, None]


def power(x: arb) -> Exact:
    """Of abs(x)**1.5, whose difference quotient at 0 is ±√abs(x) and tends to 0."""
    slope = 3 * abs(x).sqrt() / 2
    return [slope if x >= 0 else -slope]


def cube_root(x: arb) -> Exact:
    """Of the real cube root, whose derivative is 1/(3y²) with y³ = x."""
    return [1 / (3 * abs(x).root(3) ** 2) if x != 0 else None]


def unit(x: arb, y: arb) -> Exact:
    norm = _length(x, y)
    return [y**2 / norm**3, -x * y / norm**3] if norm > 0 else [None, None]


def shifted_unit(x: arb, y: arb, eps: arb) -> Exact:
    """Of x/√(x² + y² + eps)."""
    norm = (x**2 + y**2 + eps).sqrt()
    return [(y**2 + eps) / norm**3, -x * y / norm**3]


def angle(x: arb, y: arb) -> Exact:
    """Of the angle between (x, y) and the first axis, from 0 to π, which has a kink where y is 0."""
    square = x**2 + y**2
    return [-abs(y) / square, x / square if y > 0 else -x / square] if y != 0 else [None, None]


def entropy(*p: arb) -> Exact:
    """The slope of −p log p is −log p − 1, which tends to +∞ as p tends to 0."""
    return [-one.log() - 1 if one > 0 else None for one in p]


def log_probability(x: arb, y: arb) -> Exact:
    """Of −log(1 + exp(x − y))."""
    first = logistic(x - y)[0]
    return [-first, first]


def log_sum(x: arb, y: arb) -> Exact:
    return [logistic(x - y)[0], logistic(y - x)[0]]


def softplus(x: arb) -> Exact:
    return [logistic(x)[0]]


def log_of_the_rest(x: arb) -> Exact:
    return [1 / x.expm1()]


def identity(x: arb) -> Exact:
    """Of relu(x) − relu(−x), which is x everywhere."""
    return [arb(1)]


def total(x: arb, y: arb) -> Exact:
    """Of max(x, y) + min(x, y), which is x + y everywhere."""
    return [arb(1), arb(1)]


def bell(x: arb, y: arb) -> Exact:
    """The Hessian of exp(−x² − y²): 4vvᵀ − 2 times the function, with v = (x, y)."""
    height = (-(x**2) - y**2).exp()
    return [(4 * x**2 - 2) * height, 4 * x * y * height, 4 * x * y * height, (4 * y**2 - 2) * height]


def _length(x: arb, y: arb) -> arb:
    return (x**2 + y**2).sqrt()
