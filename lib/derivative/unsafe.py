"""What PyTorch makes of unsafe and safe spellings: run here and now, and held against the exact derivative.

NOTE [as shown]: the page shows the source of the very function that is run, so the two cannot differ.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from math import isinf, isnan

import torch
from flint import arb
from torch import Tensor

from lib.derivative.exact_derivatives import MOST_BITS, nearest
from lib.derivative.unsafe_cases import CASES, Case
from lib.derivative.unsafe_exact import Exact
from lib.derivative.unsafe_points import Point
from lib.floats.exact_floats import Format, format_of
from lib.floats.line import to_float64, ulp_distance
from lib.network.jacobians import FORWARD_MODE
from lib.network.machine import use_one_thread
from lib.reference.balls import precision

GOOD = 8
"""The most floats between a derivative and its correct rounding that ordinary rounding errors explain here."""

FIRST_BITS = 128
"""The precision of the first attempt to enclose a derivative."""

EXACT_DIGITS = 12
"""The number of decimal digits to which an exact component is written."""

KINDS = ("right", "near", "choice", "off", "zero", "inf", "nan", "fault")
"""What may come out, from the best to the worst: correctly rounded, off by a few floats, finite where no derivative
exists, wrong, 0 by mistake, infinite, NaN, nothing."""

BAD = frozenset({"off", "zero", "inf", "nan", "fault"})


@dataclass(frozen=True)
class Result:
    """What one spelling gives: its value and the components of the derivative.

    `kind` is that of the worst component. `off` is the number of floats between the worst finite component and its
    correct rounding. `exact` and `rounded` are the exact components, as text and correctly rounded, None where the
    derivative does not exist. `fault` is what PyTorch said if it refused.
    """

    value: float
    computed: tuple[float, ...]
    exact: tuple[str | None, ...]
    rounded: tuple[float | None, ...]
    kind: str
    off: int = 0
    fault: str = ""


@dataclass(frozen=True)
class Look:
    """Both spellings at one x, by one way to differentiate; `change` is the largest relative difference between the
    exact derivatives of the two functions, 0 if they are the same function."""

    x: tuple[float, ...]
    way: str
    unsafe: Result
    safe: Result
    change: float


def source(function: Callable) -> str:
    """Return the code of a spelling: NOTE [as shown]."""
    return inspect.getsource(function).rstrip()


def looks(dtype: str, device: str) -> dict[str, tuple[Look, ...]]:
    """Run every case at its points, by the keys of `CASES`; the one where it fails comes first."""
    use_one_thread()
    return {key: look(case, dtype, device) for key, case in CASES.items()}


def look(case: Case, dtype: str, device: str) -> tuple[Look, ...]:
    """Run both spellings of one case at its points."""
    kind = getattr(torch, dtype)
    points = case.points(torch.finfo(kind))
    return tuple(_look(case, point, way, kind, device) for point in points for way in _ways(case))


def _look(case: Case, point: Point, way: str, dtype: torch.dtype, device: str) -> Look:
    x = torch.tensor(point if len(point) > 1 else point[0], dtype=torch.float64).to(device, dtype)
    meant = _enclosed(case.exact, point, dtype)
    changed = _enclosed(case.shifted, (*point, torch.finfo(dtype).eps), dtype) if case.shifted else meant
    return Look(
        tuple(map(float, point)),
        way,
        _result(case.unsafe, x, way, meant),
        _result(case.safe, x, way, changed),
        max(map(_change, meant, changed)),
    )


def _ways(case: Case) -> tuple[str, ...]:
    return tuple(WAYS)[1:] if case.second_order else tuple(WAYS)[:1]


def by_backward(f: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    x = x.clone().requires_grad_()
    f(x).backward()
    return x.grad


def by_func(f: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    with FORWARD_MODE:
        return torch.func.hessian(f)(x)


WAYS: dict[str, Callable[[Callable[[Tensor], Tensor], Tensor], Tensor]] = {
    "f(x).backward()": by_backward,
    "torch.autograd.functional.hessian(f, x)": torch.autograd.functional.hessian,
    "torch.func.hessian(f)(x)": by_func,
}
"""The ways to differentiate; the first gives a gradient, the others a Hessian."""


@dataclass(frozen=True)
class _Component:
    """An exact component: a ball, its digits, and its correct rounding; None where it does not exist."""

    ball: arb | None
    text: str | None
    rounded: float | None


def _enclosed(exact: Callable[..., Exact], point: Point, dtype: torch.dtype) -> list[_Component]:
    """Enclose the derivative at a point until the float nearest to each component is certain."""
    fmt, bits = format_of(dtype), FIRST_BITS
    while True:
        with precision(bits):
            balls = exact(*map(arb, point))
            rounded = [ball if ball is None else _nearest(ball, fmt) for ball in balls]
            if all(ball is None or value is not None for ball, value in zip(balls, rounded, strict=True)):
                texts = [ball if ball is None else _digits(ball) for ball in balls]
                return list(map(_Component, balls, texts, rounded))
        if bits >= MOST_BITS:
            raise ArithmeticError(f"{MOST_BITS} bits do not decide the {dtype} nearest to the derivative at {point}")
        bits *= 2


def _nearest(ball: arb, fmt: Format) -> float | None:
    """Return the float nearest to everything in a ball, None if there is no such."""
    ends = {nearest(int(whole), int(power), fmt) for whole, power in (ball.lower().man_exp(), ball.upper().man_exp())}
    return ends.pop() if len(ends) == 1 else None


def _digits(ball: arb) -> str:
    digits, e, power = ball.str(EXACT_DIGITS, radius=False).partition("e")
    return f"{digits.rstrip('0').rstrip('.') if '.' in digits else digits}{e}{power}"


def _change(one: _Component, other: _Component) -> float:
    """Return the relative difference of two components; 0 where it is not defined."""
    if one.ball is None or one.ball == 0:
        return 0.0
    with precision(FIRST_BITS):  # else another thread's
        return abs(float((other.ball - one.ball) / one.ball))


def _result(f: Callable[[Tensor], Tensor], x: Tensor, way: str, exact: list[_Component]) -> Result:
    said, rounded = tuple(one.text for one in exact), tuple(one.rounded for one in exact)
    try:
        value, found = f(x).item(), WAYS[way](f, x)
    except (RuntimeError, TypeError) as error:  # an operation that a dtype, a device or a version of PyTorch lacks
        return Result(float("nan"), (), said, rounded, "fault", fault=str(error).splitlines()[0])
    computed = tuple(to_float64(found).ravel().tolist())
    kinds = [_kind(one, right, x.dtype) for one, right in zip(computed, rounded, strict=True)]
    kind, off = max(kinds, key=lambda found: (KINDS.index(found[0]), found[1]))
    return Result(value, computed, said, rounded, kind, off)


def _kind(computed: float, rounded: float | None, dtype: torch.dtype) -> tuple[str, int]:
    """Return what a computed component is, and its distance from the correct rounding if it is a wrong number."""
    if isnan(computed):
        return "nan", 0
    if isinf(computed) and computed != rounded:
        return "inf", 0
    if rounded is None:
        return "choice", 0
    if computed == rounded:
        return "right", 0
    if computed == 0:
        return "zero", 0
    off = int(ulp_distance(torch.tensor(computed, dtype=dtype), torch.tensor(rounded, dtype=dtype)))
    return ("near" if off <= GOOD else "off"), off
