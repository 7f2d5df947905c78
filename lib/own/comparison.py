"""`compare` and `assert_same`: from a network, or two functions, to a report."""

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
from lib.own.function import OwnFunction, without_class
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

    The gradient is that of the sum of all outputs y, as `y.backward(torch.ones_like(y))` computes
    it. It is computed again with every operation in float64, even where the network casts to
    another dtype: in float64, rounding errors nearly vanish. If `backward()` and the Jacobian are
    equal, only `backward()` runs again.

    Args:
        net: an `nn.Module`, or any other function of x that returns one tensor of real floats.
        x: the input, one sample or a batch of any shape, or a tuple of inputs. All numbers must be
            finite. Tensors of integers are not differentiated.
        ways: two such functions instead of `net`. Their values and their gradients by
            `backward()` are compared.
        of: "input" or "parameters": differentiate with respect to x, or to those parameters that
            the call uses and that require a gradient.

    Returns:
        The report: its `kind` is "equal", "rounding", "not rounding" or "undecided".

    Raises:
        RefusedError: a `ValueError`. One sentence says what cannot be compared.

    .. note::
        While `compare` runs, the network has copies of its parameters and buffers. Do not use the
        network in another thread meanwhile.

    Example::

        >>> print(compare(nn.Linear(4, 3), torch.randn(4)))
        >>> print(compare(ways=(torch.log1p, lambda x: (1 + x).log()), x=torch.rand(4)))
    """
    calls = (net,) if ways is None or net is not None else ways
    inputs = tuple(x) if isinstance(x, tuple | list) else (x,)
    _check(calls, inputs, 1 if ways is None else 2, of)
    tensors = tuple(part.detach() for part in inputs)
    with torch.inference_mode(False), torch.enable_grad(), catch_warnings(action="ignore"):
        seen = Seen()
        functions = [OwnFunction(call, tensors, of, seen) for call in calls]
        if of == "parameters" and not _belong_together(functions):
            raise RefusedError(
                "It is not certain which parameters of the two ways belong together: their names "
                "do not tell. Compare with of='input'."
            )
        evidence = measure(functions, seen)
        parts = [Difference(f"Gradient of the {of}", evidence)]
        if len(functions) == 2 or not functions[0].value.isfinite().all():
            parts.insert(0, Difference(VALUES, evidence))
        return Report(parts, list(dict.fromkeys(evidence.notes)))


def assert_same(*given: Any, **options: Any) -> None:
    """Assert that `compare` finds no difference, or only rounding. The arguments are the same.

    Raises:
        AssertionError: if the kind is "not rounding" or "undecided". Its message is the report.
        RefusedError: a `ValueError`. One sentence says what cannot be compared.
    """
    report = compare(*given, **options)
    if not report.same:
        raise AssertionError(f"{report.kind}\n{report}")


@dataclass(frozen=True, eq=False)
class Report:
    """The answer of `compare`: print it, or let a notebook show it. It is measured, not proved.

    Attributes:
        parts: the difference of the gradients; before it that of the values, if there are two ways
            or a value is not finite.
        notes: sentences on runs that failed, and on where NaN or an infinity begins.
    """

    parts: Sequence[Difference]
    notes: Sequence[str]

    @property
    def kind(self) -> str:
        """The worst kind of its parts: "equal", "rounding", "undecided" or "not rounding"."""
        return max((part.kind for part in self.parts), key=KINDS.index)

    @property
    def same(self) -> bool:
        """Whether every part is equal or rounding."""
        return self.kind in SAME

    def __str__(self) -> str:
        lines = [f"{part.kind.capitalize()}. {part.what}: {describe(part)}" for part in self.parts]
        return "\n".join([*lines, *self.notes])

    __repr__ = __str__


def _belong_together(functions: Sequence[OwnFunction]) -> bool:
    """Whether all functions use the same parameters, or different ones with matching names.

    Different ones need names, and none may occur twice within a function. The first part of a name,
    the name of the class, does not count.
    """
    leaves = [[id(leaf) for leaf in function.leaves] for function in functions]
    names = [[*map(without_class, function.names)] for function in functions]
    has_names = "" not in names[0] and len({*names[0]}) == len(names[0])
    return leaves[0] == leaves[-1] or has_names and names[0] == names[-1]


def _check(calls: Sequence[object], x: Sequence[Any], count: int, of: str) -> None:
    if of not in ("input", "parameters"):
        raise RefusedError(f"of={of!r}: allowed are 'input' and 'parameters'.")
    if len(calls) != count or not all(map(callable, calls)):
        allowed = "compare(net, x) with a function, or compare(ways=(f, g), x=x) with two"
        raise RefusedError(f"Call {allowed}; given: {listed(map(kind_of, calls))}.")
    with stage("reading x"):
        are_numbers = all(isinstance(part, Tensor) and part.isfinite().all() for part in x)
    floats = sum(part.numel() for part in x if are_numbers and part.dtype in FLOATS)
    if not are_numbers or of == "input" and not floats:
        given = listed(map(kind_of, x)) or "empty"
        allowed = f"tensors of finite numbers; of='input' needs one in {listed(DTYPES, 'or')}"
        raise RefusedError(f"x is {given}: allowed are {allowed}.")
