"""`compare` and `assert_same`: the whole of it, from what was brought to the report.

NOTE [what is run]: deep copies of the caller's network, one as it is and one in float64. So its gradients, buffers and
training mode stay as they are, also if something fails. What no copy reaches, such as a network that a module holds by
a global name, is run itself; gradients, buffers and training flags of its modules are put back at the end.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt

import torch
from torch import Tensor

from lib.experiment import methods
from lib.own.causes import Cause, custom_backwards, cuts, hooked, in_training, mean_of, undone, varying
from lib.own.function import Function
from lib.own.gradients import Gradient, backward_gradient, summed_jacobian
from lib.own.pair import Pair
from lib.own.part import COLUMNS, Part
from lib.own.refused import RefusedError, RefusedValueError, checked_calls, checked_input, checked_method
from lib.own.report import Report
from lib.own.slope import STEP, slope
from lib.own.state import RandomNumbers, random_numbers
from lib.own.verdict import NOT_ROUNDING, Tested

Call = Callable[..., Tensor]


def compare(
    net: Call | None = None,
    x: Tensor | Sequence[Tensor] | None = None,
    *,
    ways: tuple[Call, Call] | None = None,
    of: str = "input",
    method: str = "functional",
) -> Report:
    """Compare `backward()` with a Jacobian of a network, or two callables that should be the same function.

    Args:
        net: an `nn.Module` or any function that makes one tensor of floats from x: NOTE [what is run].
        x: its input, of any shape, one sample or a batch; or a tuple of inputs. Integers among them are only passed on.
        ways: two such callables instead of `net`. Their values and their gradients by `backward()` are compared.
        of: what the gradients are of, the "input" or the "parameters".
        method: the Jacobian method, by its name in the query; "copies" and "finite-difference" need an axis of samples.

    The gradient is that of the sum of all results, as `backward(ones)` gives it. Random numbers are those that the
    caller's next draw would get, the same for both sides, and are put back: NOTE [random numbers] in `state`.

    Raises `RefusedError`, one sentence, which is a ValueError or a TypeError, for what cannot be compared.
    """
    calls = checked_calls(net, ways)
    given = checked_input(x, of)
    checked_method(method, ways)
    with torch.inference_mode(False), torch.enable_grad(), random_numbers(given[0].device) as numbers:
        brought = [_Brought(call, given, of, numbers) for call in calls]
        if ways is None:
            return _of_one(brought[0], method, of)
        return _of_two(brought[0], brought[1], of)


def assert_same(
    net: Call | None = None,
    x: Tensor | Sequence[Tensor] | None = None,
    *,
    ways: tuple[Call, Call] | None = None,
    of: str = "input",
    method: str = "functional",
) -> None:
    """Pass if `compare` finds no difference, or one of rounding; otherwise raise AssertionError with the report."""
    report = compare(net, x, ways=ways, of=of, method=method)
    if not report.same:
        raise AssertionError(f"{report.kind}\n{report}")


@dataclass
class _Side:
    """One computation: the result, its gradient, and what its graph tells."""

    function: Function
    gradient: Gradient
    y: Tensor
    mean: tuple[int, str] | None
    custom: list[Cause]

    @classmethod
    def of(cls, function: Function) -> "_Side":
        looks: list[tuple[tuple[int, str] | None, list[Cause]]] = []
        gradient, y = backward_gradient(function, lambda y: looks.append((mean_of(y), custom_backwards(y))))
        return cls(function, gradient, y, *looks[0])


class _Brought:
    """A callable in its own dtype and again: in float64, or, if that is its own, in float32."""

    def __init__(self, call: Call, x: tuple[Tensor, ...], of: str, numbers: RandomNumbers) -> None:
        self.label = getattr(call, "__name__", type(call).__name__)
        self.own = _Side.of(Function(call, x, of, numbers))
        is_wide = all(one.dtype == torch.float64 for one in (*self.own.gradient, self.own.y))
        self.again: _Side | None = None
        self.notes: list[str] = []
        try:
            self.again = _Side.of(Function(call, x, of, numbers, torch.float32 if is_wide else torch.float64))
        except RefusedError as error:
            self.notes.append(f"The copy in {'float32' if is_wide else 'float64'} could not be run. {error}")
        self.wide = self.own if is_wide else self.again
        self.is_wide = is_wide
        if self.again is not None and not is_wide and not self.reference_fits():
            self.notes.append(
                "Nothing is held against float64: the result there differs in more than half of its digits. It may be "
                "out of the dtype's range here, or all but cancel, or draw other random numbers there."
            )

    def tested(self, gradient: Gradient) -> Tested | None:
        """Hold a gradient in float64 against measured slopes: against a second one if the first contradicts it."""
        if self.wide is None:
            return None
        try:
            slopes = [slope(self.wide.function, self.wide.y, number=0)]
            if slopes[0].contradicts(gradient):
                slopes.append(slope(self.wide.function, self.wide.y, number=1, step=STEP / 8))
        except RefusedError as error:
            self.notes.append(f"Central differences could not be measured. {error}")
            return None
        return Tested(tuple(slopes), gradient, self.is_own())

    def is_own(self) -> bool:
        """Whether the gradient in float64 is the caller's to half its digits."""
        if self.wide is None or self.is_wide:
            return True
        pairs = list(zip(self.own.gradient, self.wide.gradient, strict=True))
        size = max((float(wide.abs().max()) for _, wide in pairs if wide.numel()), default=0.0)
        apart = max((float((own.double() - wide).abs().max()) for own, wide in pairs if own.numel()), default=0.0)
        return apart <= sqrt(torch.finfo(self.own.y.dtype).eps) * size

    def causes(self) -> list[Cause]:
        if self.wide is None:
            return self.own.custom
        modules = self.own.function.modules
        found = [*cuts(self.wide.function), *self.own.custom, *hooked(modules), *in_training(modules)]
        return [*found, *varying(self.wide.function, self.wide.y)]

    def reference_fits(self) -> bool:
        """Whether the float64 copy gives the same value to half its digits, so that it is the same function."""
        if self.again is None or self.is_wide:
            return False
        size = float(self.again.y.abs().max())
        apart = float((self.own.y.double() - self.again.y).abs().max())
        return apart <= sqrt(torch.finfo(self.own.y.dtype).eps) * size


def _of_one(brought: _Brought, method: str, of: str) -> Report:
    outputs = brought.own.y.numel()
    other = summed_jacobian(brought.own.function, method, outputs)
    again = None
    pair = Pair(brought.own.function.names, brought.own.gradient, other)
    if brought.again is not None and (pair.differing or not pair.comparable.all()):  # else nothing is there to shrink
        try:
            again = summed_jacobian(brought.again.function, method, outputs)
        except RefusedError as error:
            brought.notes.append(f"In {brought.again.function.dtype} {error}")
        if again is not None:
            pair = Pair(pair.names, pair.one, pair.other, brought.again.gradient, again)
    first = brought.tested(brought.wide.gradient) if brought.wide else None
    wide_other = other if brought.is_wide else again
    second = Tested(first.slopes, wide_other or first.gradient, first.is_own) if first else None
    if first and wide_other and first.slopes[0].contradicts(wide_other) and len(first.slopes) == 1:
        slopes = (*first.slopes, slope(brought.wide.function, brought.wide.y, number=1, step=STEP / 8))
        first, second = (Tested(slopes, one, first.is_own) for one in (first.gradient, wide_other))
    part = _part(
        f"gradient of {'the input' if of == 'input' else 'the parameters'}",
        ("backward()", methods.METHODS[method].label),
        pair,
        (first, second),
        brought.again.gradient if brought.again and brought.reference_fits() else None,
        [brought],
    )
    if methods.METHODS[method].gives == "sums" and outputs > 1:
        brought.notes.append("A single call returns the sum of all rows in every row, so its sum is too large.")
    return _report([part], brought, of, brought.notes)


def _of_two(one: _Brought, other: _Brought, of: str) -> Report:
    names = one.own.function.names
    if one.own.y.shape != other.own.y.shape or one.own.y.dtype != other.own.y.dtype:
        raise RefusedValueError(
            f"The two ways return different kinds of results: {tuple(one.own.y.shape)} in {one.own.y.dtype} and "
            f"{tuple(other.own.y.shape)} in {other.own.y.dtype}; allowed are the same shape and dtype."
        )
    shapes = [[tuple(part.shape) for part in side.own.gradient] for side in (one, other)]
    if shapes[0] != shapes[1]:
        raise RefusedValueError("The two ways have parameters of different shapes, so their gradients do not match.")
    labels = (one.label, other.label)
    if one.label == other.label or not COLUMNS.isdisjoint(labels):
        labels = (f"{one.label} (1)", f"{other.label} (2)")
    both = one.again is not None and other.again is not None
    values = Pair(
        ("result",), (one.own.y,), (other.own.y,), (one.again.y,) if both else (), (other.again.y,) if both else ()
    )
    gradients = Pair(
        names,
        one.own.gradient,
        other.own.gradient,
        one.again.gradient if both else (),
        other.again.gradient if both else (),
    )
    tested = [side.tested(side.wide.gradient) if side.wide else None for side in (one, other)]
    fits = both and one.reference_fits() and other.reference_fits()
    what = f"gradient of {'the input' if of == 'input' else 'the parameters'}"
    parts = [
        _part("values", labels, values, (), (one.again.y,) if fits else None, [one, other]),
        _part(what, labels, gradients, tested, one.again.gradient if fits else None, [one, other]),
    ]
    if parts[0].verdict.kind == NOT_ROUNDING:
        one.notes.append("The values differ by more than rounding: the two are not the same function here.")
    return _report(parts, one, of, [*one.notes, *other.notes])


def _part(
    what: str,
    labels: tuple[str, str],
    pair: Pair,
    tested: Sequence[Tested | None],
    reference: Sequence[Tensor] | None,
    brought: Sequence[_Brought],
) -> Part:
    """Look for causes where the difference is not rounding; then there is no one reference either."""
    part = Part(what, labels, pair, tested, reference)
    if part.verdict.kind != NOT_ROUNDING:
        return part
    causes = list(dict.fromkeys(cause for one in brought for cause in one.causes()))
    if len(brought) == 1:  # both sides of one network see the same random numbers and the same batch
        causes = [cause for cause in causes if cause.kind != "training mode"]
    wrong = [(one, test) for one, test in zip(brought, tested, strict=False) if test and test.contradicted]
    cut = any(cause.kind == "cut" for cause in causes)
    solved = cut and bool(wrong) and all(undone(one.wide.function, test.slopes[0]) for one, test in wrong)
    if solved:
        causes = [cause for cause in causes if cause.kind == "cut"]
    return Part(what, labels, pair, tested, None, causes, solved, len(brought) == 2)


def _report(parts: Sequence[Part], brought: _Brought, of: str, notes: Sequence[str]) -> Report:
    side = brought.own
    shapes = tuple(tuple(one.shape) for one in side.function.x)
    return Report(tuple(parts), shapes, tuple(side.y.shape), of, side.mean, tuple(dict.fromkeys(notes)))
