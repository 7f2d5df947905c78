"""`compare` and `assert_same`: from the network that was brought to the report."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from warnings import catch_warnings

import torch
from torch import Tensor

from lib.experiment.choices import DTYPES
from lib.floats.quantities import listed
from lib.own.difference import KINDS, SAME, VALUES, Difference
from lib.own.evidence import measure
from lib.own.function import OwnFunction
from lib.own.refusal import RefusedError, kind_of, stage
from lib.own.sentences import describe
from lib.own.watch import FLOATS, Seen

Call = Callable[..., Tensor]


def compare(
    net: Call | None = None,
    x: Tensor | Sequence[Tensor] | None = None,
    *,
    ways: tuple[Call, Call] | None = None,
    of: str = "input",
) -> "Report":
    """Compare `backward()` with the Jacobian of a network, or two ways of computing one function.

    Args:
        net: an `nn.Module` or any other function that makes one tensor of real floats from x.
        x: its input, of any shape, one sample or a batch; or a tuple of inputs. Integers among
            them are passed on.
        ways: two such callables instead of `net`. Their values and their gradients by
            `backward()` are compared.
        of: differentiate by the "input" or by the "parameters" that are used.

    The gradient is that of the sum of all results, as `backward(ones)` gives it. It is computed
    once more in float64 throughout, even where the network asks for another dtype: rounding nearly
    vanishes there. Equal sides of a network are computed again by `backward()` alone. While
    `compare` runs, copies replace the network's parameters and buffers: do not use it in another
    thread.

    Returns:
        The report: equal, rounding, not rounding or undecided, and why.

    Raises:
        RefusedError: what cannot be compared, in one sentence. It is a ValueError.
    """
    calls = ways if ways is not None and net is None else (net,)
    inputs = tuple(x) if isinstance(x, tuple | list) else (x,)
    _check(calls, inputs, ways is not None, of)
    tensors = tuple(part.detach() for part in inputs)
    with torch.inference_mode(False), torch.enable_grad(), catch_warnings(action="ignore"):
        seen = Seen()
        functions = [OwnFunction(call, tensors, of, seen) for call in calls]
        evidence = measure(functions, seen)
        parts = [Difference(f"Gradient of the {of}", evidence)]
        if len(functions) == 2 or not functions[0].value.isfinite().all():
            parts.insert(0, Difference(VALUES, evidence))
        return Report(parts, list(dict.fromkeys(evidence.notes)))


def assert_same(*given: Any, **options: Any) -> None:
    """Pass if `compare` finds no difference, or only rounding. It takes what `compare` takes.

    Raises:
        AssertionError: with the report, if the kind is "not rounding" or "undecided".
        RefusedError: what cannot be compared, in one sentence.
    """
    report = compare(*given, **options)
    if not report.same:
        raise AssertionError(f"{report.kind}\n{report}")


@dataclass(frozen=True, eq=False)
class Report:
    """The answer of `compare`: print it, or let a notebook show it. It is measured, not proved.

    `parts` are the gradients; before them the values, for two ways or where the result is not
    finite. Each has the tensors of both sides as `own`. `notes` are sentences on what failed, and
    on where NaN or an infinity begins. `kind` is "equal", "rounding", "not rounding" or
    "undecided".
    """

    parts: Sequence[Difference]
    notes: Sequence[str]

    @property
    def kind(self) -> str:
        """The kind of the worst part."""
        return max((part.kind for part in self.parts), key=KINDS.index)

    @property
    def same(self) -> bool:
        """Whether every part is equal or rounding."""
        return self.kind in SAME

    def __str__(self) -> str:
        lines = [f"{part.kind.capitalize()}. {part.what}: {describe(part)}" for part in self.parts]
        return "\n".join([*lines, *self.notes])

    __repr__ = __str__


def _check(calls: Sequence[object], x: Sequence[Any], ways: bool, of: str) -> None:
    if of not in ("input", "parameters"):
        raise RefusedError(f"of={of!r}: allowed are 'input' and 'parameters'.")
    if len(calls) != 1 + ways or not all(map(callable, calls)):
        allowed = "either compare(net, x) or compare(ways=(f, g), x=x), with functions"
        raise RefusedError(f"Call {allowed}, not with {listed(map(kind_of, calls))}.")
    with stage("reading x"):
        are_numbers = all(isinstance(part, Tensor) and part.isfinite().all() for part in x)
    floats = sum(part.numel() for part in x if are_numbers and part.dtype in FLOATS)
    if not are_numbers or of == "input" and not floats:
        given = listed(map(kind_of, x)) or "empty"
        allowed = f"tensors of finite numbers, some of {listed(DTYPES, 'or')}"
        raise RefusedError(f"x is {given}: allowed are {allowed}.")
