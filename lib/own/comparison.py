"""`compare` and `assert_same`: the whole of it, from what was brought to the report."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from warnings import catch_warnings

import torch
from torch import Tensor

from lib.experiment.methods import METHODS
from lib.own.causes import causes_in
from lib.own.difference import NOT_ROUNDING, Both, Difference
from lib.own.function import Function, Points
from lib.own.refused import Call, RefusedError, calls_of, inputs_of, method_of
from lib.own.report import Report
from lib.own.slope import Slope, slope


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
        net: an `nn.Module`, of which a copy is run, or any function that makes one tensor of floats from x.
        x: its input, of any shape, one sample or a batch; or a tuple of inputs. Integers among them are only passed on.
        ways: two such callables instead of `net`. Their values and their gradients by `backward()` are compared.
        of: what the gradients are of, the "input" or the "parameters".
        method: the Jacobian method, by its name in the query, but for "copies", which needs an axis of samples, and
            "finite-difference": central differences are measured in any case.

    The gradient is that of the sum of all results, as `backward(ones)` gives it. Everything is computed once more in
    float64 throughout, even where the network asks for another dtype: what is rounding nearly vanishes there.

    Raises `RefusedError`, one sentence, which is a ValueError and a TypeError, for what cannot be compared.
    """
    calls, given = calls_of(net, ways), inputs_of(x, of)
    method_of(method, ways)
    with torch.inference_mode(False), torch.enable_grad(), catch_warnings(action="ignore"):
        functions = [Function(call, given, of) for call in calls]
        return _report(functions, method)


def assert_same(net: Call | None = None, x: Tensor | Sequence[Tensor] | None = None, **options: Any) -> None:
    """Pass if `compare` finds no difference, or one of rounding; otherwise raise AssertionError with the report."""
    report = compare(net, x, **options)
    if not report.same:
        raise AssertionError(f"{report.kind}\n{report}")


def _report(functions: list[Function], method: str) -> Report:
    notes: list[str] = []
    first = _run(functions, method, None, notes)
    values, gradients = first
    sizes = [
        [(part.shape, part.dtype) for part in (y, *gradient)] for y, gradient in zip(values, gradients, strict=True)
    ]
    if sizes[0] != sizes[1]:
        raise RefusedError("The two ways differ in the shape or dtype of their results or gradients.")
    equal = len(functions) == 1 and all(map(torch.equal, *gradients))  # so nothing is there to shrink
    wide, narrow = _run(functions, "" if equal else method, torch.float64, notes), None
    if all(dtype == torch.float64 for _, dtype in sizes[0]):
        narrow = _run(functions, "" if equal else method, torch.float32, notes)
    slopes: tuple[Slope, ...] = ()
    if wide:
        found = (_slope(one, wide[0][k], wide[1][k], gradients[k], notes) for k, one in enumerate(functions))
        slopes = tuple(filter(None, found))
    of, two = functions[0].of, len(functions) == 2
    one, other = [function.name for function in functions] if two else ["backward()", METHODS[method].label]
    sides = (one, other) if one != other else (f"{one} (1)", f"{other} (2)")
    what = f"Gradient of the {of}"
    parts = [Difference(what, sides, functions[0].names, gradients, wide and wide[1], narrow and narrow[1], slopes)]
    if two:
        own, again, single = (run and ((run[0][0],), (run[0][1],)) for run in (first, wide, narrow))
        parts.insert(0, Difference("Values", sides, ("result",), own, again, single))
    if any(part.kind == NOT_ROUNDING for part in parts):
        causes = tuple(dict.fromkeys(cause for function in functions for cause in causes_in(function, two)))
        parts = [replace(part, causes=causes) for part in parts]
    shapes = tuple(tuple(point.shape) for point in functions[0].inputs)
    return Report(tuple(parts), shapes, tuple(values[0].shape), of, functions[0].mean_of, tuple(dict.fromkeys(notes)))


def _run(
    functions: list[Function], method: str, dtype: torch.dtype | None, notes: list[str]
) -> tuple[tuple[Tensor, Tensor], Both] | None:
    """The values and the gradients of both sides, computed in a dtype throughout; None if that fails.

    Without a method the gradient by `backward()` stands for that of one function's other side.
    """
    try:
        found = [function.backward(dtype) for function in functions]
        if len(found) == 1:
            (gradient, y), one = found[0], functions[0]
            found.append((one.summed_jacobian(method, y.numel(), dtype) if method else gradient, y))
    except RefusedError as error:
        if dtype is None:
            raise
        notes.append(f"It could not be computed in {str(dtype).removeprefix('torch.')} throughout. {error}")
        return None
    (gradient, y), (gradient_2, y_2) = found
    return (y.detach(), y_2.detach()), (gradient, gradient_2)


def _slope(function: Function, value: Tensor, gradient: Points, own: Points, notes: list[str]) -> Slope | None:
    """Measure along one direction, and along another if the first contradicts the gradient."""
    try:
        found = slope(function, value, gradient, own)
        again = slope(function, value, gradient, own, 1) if found.contradicts else found
    except RefusedError as error:
        notes.append(f"Central differences could not be measured. {error}")
        return None
    return found if again.contradicts else again
