"""`compare` and `assert_same`: the whole of it, from what was brought to the report."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from warnings import catch_warnings

import pandas as pd
import torch
from torch import Tensor

from lib.floats.exact_floats import format_of
from lib.floats.quantities import listed
from lib.floats.sentences import said
from lib.own.difference import KINDS, SENTENCES, VERDICTS, Both, Difference
from lib.own.function import FLOATS, OwnFunction, RefusedError, kind_of
from lib.own.slope import Slope, slope

Call = Callable[..., Tensor]
Given = Tensor | Sequence[Tensor] | None


def compare(
    net: Call | None = None, x: Given = None, *, ways: tuple[Call, Call] | None = None, of: str = "input"
) -> "Report":
    """Compare `backward()` with the Jacobian of a network, or two callables that should be the same function.

    Args:
        net: an `nn.Module` or any other function that makes one tensor of floats from x.
        x: its input, of any shape, one sample or a batch; or a tuple of inputs. Integers among them are only passed on.
        ways: two such callables instead of `net`. Their values and their gradients by `backward()` are compared.
        of: what the gradients are of, the "input" or the "parameters" that are used.

    The gradient is that of the sum of all results, as `backward(ones)` gives it. Everything is computed once more in
    float64 throughout, even where the network asks for another dtype: what is rounding nearly vanishes there.

    Raises `RefusedError`, one sentence, which is a ValueError and a TypeError, for what cannot be compared.
    """
    calls = [one for one in (net, *(ways or ())) if one is not None]
    given = tuple(x) if isinstance(x, tuple | list) else (x,)
    _check(calls, given, ways is not None, of)
    with torch.inference_mode(False), torch.enable_grad(), catch_warnings(action="ignore"):
        try:
            return _report([OwnFunction(call, given, of) for call in calls], of)
        except Exception as error:
            raise RefusedError(_failure(error)) from error


def assert_same(net: Call | None = None, x: Given = None, **options: Any) -> None:
    """Pass if `compare` finds no difference, or one of rounding; otherwise raise AssertionError with the report."""
    report = compare(net, x, **options)
    if not report.same:
        raise AssertionError(f"{report.kind}\n{report}")


@dataclass(frozen=True, eq=False)
class Report:
    """The answer of `compare`: print it, or let a notebook show it. Nothing here is proved: it is measured.

    `parts` are the gradients, or the values and the gradients of two ways. `notes` are sentences on what could not be
    done. `kind` is "equal", "rounding", "not rounding" or "undecided", that of the worst part, and `same` says whether
    every difference is none, or rounding.
    """

    parts: Sequence[Difference]
    notes: Sequence[str]

    @property
    def kind(self) -> str:
        return max((part.kind for part in self.parts), key=KINDS.index)

    @property
    def same(self) -> bool:
        return all(part.same for part in self.parts)

    @property
    def table(self) -> pd.DataFrame:
        """Every component, part by part, those farthest apart first."""
        return pd.concat([part.table for part in self.parts], ignore_index=True)

    def __str__(self) -> str:
        words = [
            f"{VERDICTS[KINDS.index(part.kind)].value}. {part.what}: {said(SENTENCES, part)}" for part in self.parts
        ]
        worst = pd.concat([part.table.head(3) for part in self.parts])
        digits = max(format_of(one.dtype).digits for part in self.parts for one in part.own[0])  # tell neighbours apart
        text = worst.map(lambda one: f"{one:.{digits}g}" if isinstance(one, float) else one).to_string(index=False)
        return "\n".join([*words, *self.notes, "", text])

    __repr__ = __str__


def _report(functions: list[OwnFunction], of: str) -> Report:
    two = len(functions) == 2
    jacobian, notes = not two, list[str]()

    def run(dtype: torch.dtype | None = None) -> list[Both]:
        found = [side for function in functions for side in function.sides(dtype, jacobian)]
        return list(zip(found[0], found[-1], strict=True))

    own = values, gradients = run()
    kinds = [[(one.shape, one.dtype) for part in own for one in part[k]] for k in (0, 1)]
    if kinds[0] != kinds[1]:
        raise RefusedError("The two ways differ in the shape or dtype of their results or gradients.")
    jacobian &= not all(map(torch.equal, *gradients))  # if nothing is there to shrink, one stands for both
    wide, coarse, slopes = None, own, list[Slope]()
    try:
        coarse = run(torch.float32) if any(dtype == torch.float64 for _, dtype in kinds[0]) else own
        wide = run(torch.float64)
        each = zip(functions, *wide, gradients, strict=False)
        slopes = [slope(function, value, exact, own) for function, (value,), exact, own in each]
    except Exception as error:
        notes.append(f"In float64 throughout not all was computed. {_failure(error)}")
    causes = {cause: None for function in functions for cause in function.causes if two or "training" not in cause}
    sides = " and ".join(function.name for function in functions) if two else "backward() and the summed Jacobian"
    rows = [("Values", ["result"], []), (f"Gradient of the {of}", functions[0].names, slopes)]
    parts = [
        Difference(what, sides, names, own[k], wide[k] if wide else None, coarse[k], found, listed(causes))
        for k, (what, names, found) in enumerate(rows)
    ]
    return Report(parts if two else parts[1:], notes)


def _check(calls: Sequence[object], x: Sequence[Any], ways: bool, of: str) -> None:
    if of not in ("input", "parameters"):
        raise RefusedError(f"of={of!r} is not known: allowed are 'input' and 'parameters'.")
    if len(calls) != 1 + ways or not all(map(callable, calls)):
        given = listed(map(kind_of, calls)) or "nothing"
        raise RefusedError(f"Give one network, compare(net, x), or two, compare(ways=(f, g), x=x): not {given}.")
    dense = [isinstance(one, Tensor) and one.layout == torch.strided and not one.is_nested for one in x]
    usable = all(dense) and all(not one.is_meta and one.numel() and one.isfinite().all() for one in x)
    if not x or not usable or of == "input" and not any(one.dtype in FLOATS for one in x):
        given, allowed = listed(map(kind_of, x)) or "empty", "dense tensors of at least one number, all finite"
        raise RefusedError(f"x is {given}: allowed are {allowed}; a gradient of x needs floats.")


def _failure(error: Exception) -> str:
    """One sentence for an error of the network itself."""
    said = " ".join(str(error).split())[:300] or "no message"
    return said if isinstance(error, RefusedError) else f"The network failed with {type(error).__name__}: {said}"
