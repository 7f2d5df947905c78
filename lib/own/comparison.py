"""`compare` and `assert_same`: the whole of it, from what was brought to the report."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, TypeVar
from warnings import catch_warnings

import pandas as pd
import torch
from torch import Tensor

from lib.experiment.choices import DTYPES
from lib.floats.exact_floats import format_of
from lib.floats.quantities import listed
from lib.floats.sentences import said
from lib.own.difference import KINDS, SENTENCES, VERDICT_OF, Both, Difference
from lib.own.function import OwnFunction, RefusedError, kind_of
from lib.own.slope import Slope, slope
from lib.own.watch import FLOATS

Call = Callable[..., Tensor]
Result = TypeVar("Result")


def compare(
    net: Call | None = None,
    x: Tensor | Sequence[Tensor] | None = None,
    *,
    ways: tuple[Call, Call] | None = None,
    of: str = "input",
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
    two = ways if isinstance(ways, tuple | list) else (ways,)
    calls = [one for one in (net, *two) if one is not None]
    given = tuple(x) if isinstance(x, tuple | list) else (x,)
    _check(calls, given, ways is not None, of)
    with torch.inference_mode(False), torch.enable_grad(), catch_warnings(action="ignore"), ExitStack() as left:
        try:
            return _report([OwnFunction(call, tuple(one.detach() for one in given), of, left) for call in calls])
        except Exception as error:
            raise RefusedError(_failure(error)) from error


def assert_same(net: Call | None = None, x: Tensor | Sequence[Tensor] | None = None, **options: Any) -> None:
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
        words = [f"{VERDICT_OF[part.kind]}. {part.what}: {said(SENTENCES, part)}" for part in self.parts]
        worst = pd.concat([part.table.head(3) for part in self.parts])
        digits = max(format_of(one.dtype).digits for part in self.parts for one in part.own[0])  # tell neighbours apart
        text = worst.map(lambda one: f"{one:.{digits}g}" if isinstance(one, float) else one).to_string(index=False)
        return "\n".join([*words, *self.notes, "", text])

    __repr__ = __str__


def _report(functions: list[OwnFunction]) -> Report:
    first, two, notes = functions[0], len(functions) == 2, dict[str, None]()
    sides = [functions[0].backward, functions[1].backward if two else first.summed_jacobian]
    what = f"Gradient of the {first.of}"

    def run(dtype: torch.dtype | None) -> dict[str, Both]:
        found = [side(dtype) for side in sides]
        return {"Values": ((found[0][1],), (found[-1][1],)), what: (found[0][0], found[-1][0])}

    def tried(named: str, work: Callable[..., Result], *given: Any) -> Result | None:
        try:
            return work(*given)
        except Exception as error:
            notes[f"{named}: not computed. {_failure(error)}"] = None
            return None

    own = run(None)
    kinds = [[(one.shape, one.dtype) for both in own.values() for one in both[k]] for k in (0, 1)]
    if kinds[0] != kinds[1]:
        raise RefusedError("The two ways differ in the shape or dtype of their results or gradients.")
    if not two and all(map(torch.equal, *own[what])):
        sides = sides[:1]  # nothing is there to shrink: one stands for both
    in_float64 = any(dtype == torch.float64 for _, dtype in kinds[0])
    wide = tried("In float64 throughout", run, torch.float64)
    coarse = tried("In float32 throughout", run, torch.float32) if in_float64 else own
    slopes = [
        tried("Central differences", slope, function, wide["Values"][k][0], wide[what][k], own[what][k])
        for k, function in enumerate(functions if wide else ())
    ]
    causes = {cause: None for function in functions for cause in function.causes if two or "training" not in cause}
    unseen = {one: None for function in functions for one in function.unseen}
    one, other = [function.name for function in functions] if two else ["backward()", "functional.jacobian"]
    one, other = (one, other) if one != other else (f"{one} (1)", f"{other} (2)")

    def difference(part: str, of: Sequence[str], found: Sequence[Slope]) -> Difference:
        again = [side[part] if side else None for side in (wide, coarse)]
        return Difference(part, one, other, of, own[part], again[0], again[1], found, listed(causes), listed(unseen))

    gradient = difference(what, first.names, [found for found in slopes if found])
    return Report([difference("Values", ["result"], []), gradient] if two else [gradient], [*notes])


def _check(calls: Sequence[object], x: Sequence[Any], ways: bool, of: str) -> None:
    if of not in ("input", "parameters"):
        raise RefusedError(f"of={of!r} is not known: allowed are 'input' and 'parameters'.")
    if len(calls) != 1 + ways or not all(callable(call) for call in calls):
        given = listed(map(kind_of, calls)) or "nothing"
        raise RefusedError(f"Give one network, compare(net, x), or two, compare(ways=(f, g), x=x): not {given}.")
    for one in x:
        dense = isinstance(one, Tensor) and one.layout == torch.strided
        if not dense or one.is_nested or one.is_meta or one.is_quantized or not one.numel() or not one.isfinite().all():
            raise RefusedError(f"x is {kind_of(one)}: allowed are dense tensors of at least one number, all finite.")
    if not x or of == "input" and not any(one.dtype in FLOATS for one in x):
        given = listed(map(kind_of, x)) or "empty"
        raise RefusedError(f"x is {given}: a gradient needs {listed(DTYPES)}, or of='parameters'.")


def _failure(error: Exception) -> str:
    """One sentence for an error of the network itself."""
    said = " ".join(str(error).split())[:300] or "no message"
    return said if isinstance(error, RefusedError) else f"The network failed with {type(error).__name__}: {said}"
