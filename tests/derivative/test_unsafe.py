"""Unsafe and safe spellings against difference quotients in 400 digits, which know no formula for a derivative."""

import threading
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import inf, isfinite, isnan, nan

import mpmath
import pytest
import torch
from mpmath import mpf

from lib.derivative import unsafe, unsafe_spellings
from lib.derivative.unsafe import BAD, GOOD, KINDS, WAYS, by_func, look, looks, source
from lib.derivative.unsafe_cases import CASES
from tests.cases import EVERY_DTYPE
from tests.network.test_jacobians import others_may_enter
from tests.oracles import FORMATS, as_fraction, rounded

every_case = pytest.mark.parametrize("key", CASES)
every_dtype = pytest.mark.parametrize("dtype", EVERY_DTYPE)

DIGITS = 400
STEP = 60  # digits of a difference quotient's relative step

MEANT: dict[str, Callable] = {
    "where": lambda x: mpmath.sin(x) / x if x else mpf(1),
    "sqrt": mpmath.sqrt,
    "norm": lambda x, y: mpmath.sqrt(x**2 + y**2),
    "pow": lambda x: abs(x) ** mpf("1.5"),
    "cube-root": lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)),
    "normalize": lambda x, y: x / mpmath.sqrt(x**2 + y**2),
    "acos": lambda x, y: mpmath.acos(x / mpmath.sqrt(x**2 + y**2)),
    "log": lambda p, q: -p * mpmath.log(p) - q * mpmath.log(q) if p and q else -q * mpmath.log(q),
    "log-softmax": lambda x, y: mpmath.log(mpmath.exp(y) / (mpmath.exp(x) + mpmath.exp(y))),
    "log-sum": lambda x, y: mpmath.log(mpmath.exp(x) + mpmath.exp(y)),
    "logsumexp": lambda x, y: mpmath.log(mpmath.exp(x) + mpmath.exp(y)),
    "softplus": lambda x: mpmath.log(1 + mpmath.exp(x)),
    "expm1": lambda x: mpmath.log(1 - mpmath.exp(-x)),
    "hypot": lambda x, y: mpmath.sqrt(x**2 + y**2),
    "relu": lambda x: max(x, mpf(0)) - max(-x, mpf(0)),
    "max": lambda x, y: max(x, y) + min(x, y),
    "hessian": lambda x, y: mpmath.exp(-(x**2) - y**2),
}
"""The functions that are meant, as a textbook has them."""

WITH_EPS = {
    "sqrt": lambda eps: lambda x: mpmath.sqrt(x + eps),
    "normalize": lambda eps: lambda x, y: x / mpmath.sqrt(x**2 + y**2 + eps),
}
"""What the safe spelling computes on purpose where that is another function."""

WITHOUT = {
    ("sqrt", (0.0,)): {0},
    ("norm", (0.0, 0.0)): {0, 1},
    ("normalize", (0.0, 0.0)): {0, 1},
    ("log", (0.0, 1.0)): {0},
}
"""The components that have no derivative: a vertical tangent, a cone's tip, a jump, a vertical tangent."""

FAILURES = {
    **dict.fromkeys(CASES, ["nan"]),
    **dict.fromkeys(["sqrt", "expm1"], ["inf"]),
    **dict.fromkeys(["hypot", "relu", "max"], ["zero"]),
    "logsumexp": ["off"],
    "hessian": ["nan", "zero"],
}
"""What the unsafe spellings give in PyTorch 2.13 at the first x, by each way to differentiate."""


def moved(x: list[mpf], i: int, by: mpf) -> list[mpf]:
    return [v + by if i == j else v for j, v in enumerate(x)]


def quotient(f: Callable, x: list[mpf], i: int) -> mpf:
    """∂f/∂x_i by a central difference."""
    step = mpf(10) ** -STEP * max(abs(x[i]), mpf(10) ** -20)
    return (f(*moved(x, i, step)) - f(*moved(x, i, -step))) / (2 * step)


def derivative(key: str, f: Callable, point: tuple[float, ...]) -> list[mpf | None]:
    x = [mpf(v) for v in point]
    if CASES[key].second_order:
        pairs = product(range(len(x)), repeat=2)
        return [quotient(lambda *at, j=j: quotient(f, list(at), j), x, i) for i, j in pairs]
    without = WITHOUT.get((key, point), set())
    return [None if i in without else quotient(f, x, i) for i in range(len(x))]


def as_float(value: mpf | None, dtype: str) -> float | None:
    """The float nearest to a difference quotient, whose own error is far below an ulp, but not below that of 0."""
    if value is None:
        return None
    return rounded(as_fraction(value) if abs(value) > mpf(10) ** -40 else Fraction(0), dtype)


def eps_of(dtype: str) -> float:
    return 2.0 ** (1 - FORMATS[dtype][0])


def test_every_case_has_its_oracle():
    assert CASES.keys() == MEANT.keys() and {key for key, case in CASES.items() if case.shifted} == WITH_EPS.keys()


@every_dtype
@every_case
def test_the_exact_derivatives_are_those_of_the_functions(key, dtype):
    with mpmath.workdps(DIGITS):
        for seen in look(CASES[key], dtype, "cpu"):
            meant = derivative(key, MEANT[key], seen.x)
            assert seen.unsafe.rounded == tuple(as_float(one, dtype) for one in meant)
            made = meant
            if key in WITH_EPS:
                shifted = WITH_EPS[key](mpf(eps_of(dtype)))
                made = [quotient(shifted, [mpf(v) for v in seen.x], i) for i in range(len(seen.x))]
            assert seen.safe.rounded == tuple(as_float(one, dtype) for one in made)
            for one, text in [*zip(meant, seen.unsafe.exact, strict=True), *zip(made, seen.safe.exact, strict=True)]:
                assert (
                    text is None if one is None else abs(mpf(text) - one) <= abs(one) * mpf(10) ** -11 + mpf(10) ** -40
                )
            changes = [abs(b / a - 1) for a, b in zip(meant, made, strict=True) if a]
            assert seen.change == pytest.approx(float(max(changes, default=0)), rel=1e-6, abs=1e-30)


@every_dtype
@every_case
def test_the_unsafe_spelling_fails_and_the_safe_one_does_not(key, dtype):
    found = look(CASES[key], dtype, "cpu")
    first = [one for one in found if one.x == found[0].x]
    assert [one.unsafe.kind for one in first] == FAILURES[key]
    assert set(FAILURES[key]) <= CASES[key].fails <= BAD
    assert {one.unsafe.kind for one in found} & BAD <= CASES[key].fails
    for one in found:
        assert one.safe.kind in ("right", "near", "choice")
        assert all(map(isfinite, one.safe.computed)) and one.safe.off <= GOOD
        assert (one.safe.kind == "choice") == (None in one.safe.rounded)


@every_dtype
@every_case
def test_what_is_shown_is_what_was_run(key, dtype):
    """The text on the page, run by itself, gives the same bits as what is said of it."""
    case = CASES[key]
    found = look(case, dtype, "cpu")
    for function, side in (case.unsafe, "unsafe"), (case.safe, "safe"):
        names: dict[str, object] = {"torch": torch}
        exec(source(function), names)
        f = names[function.__name__]
        for one in found:
            x = torch.tensor(one.x if len(one.x) > 1 else one.x[0], dtype=getattr(torch, dtype), requires_grad=True)
            assert x.tolist() == (list(one.x) if len(one.x) > 1 else one.x[0])  # no point is rounded
            result = getattr(one, side)
            if one.way == "f(x).backward()":
                y = f(x)
                y.backward()
                got = x.grad
            else:
                y, got = f(x), eval(one.way, {"torch": torch, "f": f, "x": x.detach()})
            assert same(got.flatten().tolist(), result.computed) and same([y.item()], [result.value])


def same(some, others) -> bool:
    return all(a == b or (isnan(a) and isnan(b)) for a, b in zip(some, others, strict=True))


def test_every_spelling_belongs_to_a_case_and_fits_a_phone():
    defined = {f for f in vars(unsafe_spellings).values() if callable(f)}
    assert {f for case in CASES.values() for f in (case.unsafe, case.safe)} == defined
    assert max(len(line) for f in defined for line in source(f).splitlines()) <= 36


@pytest.mark.parametrize(
    ("computed", "right", "kind"),
    [
        (nan, 1.0, ("nan", 0)),
        (nan, None, ("nan", 0)),
        (inf, 1.0, ("inf", 0)),
        (inf, None, ("inf", 0)),
        (-inf, inf, ("inf", 0)),
        (inf, inf, ("right", 0)),
        (0.5, None, ("choice", 0)),
        (0.0, 1.0, ("zero", 0)),
        (0.0, 0.0, ("right", 0)),
        (-0.0, 0.0, ("right", 0)),
        (1.0 + 2**-20, 1.0, ("near", 8)),
        (1.0 + 9 * 2**-23, 1.0, ("off", 9)),
        (-1.0, 1.0, ("off", 2 * 127 * 2**23)),
    ],
)
def test_the_kinds_of_results(computed, right, kind):
    assert unsafe._kind(computed, right, torch.float32) == kind and kind[0] in KINDS


def test_the_worst_component_counts():
    case = CASES["hypot"]
    (far, near) = look(case, "float32", "cpu")
    assert far.unsafe.kind == "zero" and far.safe.kind == near.safe.kind == "right"


def test_what_pytorch_refuses_is_told(monkeypatch):
    def refuse(x):
        raise NotImplementedError("\"sinc_cpu\" not implemented for 'Half'\nmore")

    case = CASES["where"]
    monkeypatch.setattr(unsafe, "CASES", {"where": type(case)(**{**vars(case), "unsafe": refuse})})
    result = looks("float16", "cpu")["where"][0].unsafe
    assert (result.kind, result.fault) == ("fault", "\"sinc_cpu\" not implemented for 'Half'") and not result.computed


def test_threads_do_not_disturb_each_other_or_the_process():
    before = torch.get_default_dtype(), torch.is_grad_enabled(), torch.random.get_rng_state()
    found = {}
    threads = [threading.Thread(target=lambda d=d: found.update({d: looks(d, "cpu")})) for d in EVERY_DTYPE]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {d: repr(one) for d, one in found.items()} == {d: repr(looks(d, "cpu")) for d in EVERY_DTYPE}
    assert before[:2] == (torch.get_default_dtype(), torch.is_grad_enabled())
    assert torch.equal(before[2], torch.random.get_rng_state())


def test_no_other_thread_is_in_forward_mode_while_func_is():
    found = set()

    def square(x):
        found.add(others_may_enter())
        return (x * x).sum()

    for way in WAYS.values():
        way(square, torch.ones(2))
    assert found == {True, False}
    found.clear()
    by_func(square, torch.ones(2))
    assert found == {False} and others_may_enter()
