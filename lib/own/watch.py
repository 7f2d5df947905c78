"""What a run calls: the parameters in use, calls that may cut a gradient off, and the first call
that returns NaN or an infinity.
"""

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from os import sep
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from lib.derivative.unsafe import UNSAFE
from lib.experiment.choices import DTYPES

FLOATS = tuple(getattr(torch, name) for name in DTYPES)
"""The dtypes of tensors that are differentiated."""

_OWN = f"{Path(__file__).parent}{sep}"
"""The files of this package."""

_SKIPPED = (f"{Path(torch.__file__).parent}{sep}", contextlib.__file__)
"""Files that are not the caller's."""

_DATA = Tensor.data.__get__  # type: ignore[attr-defined]
# Calls after which PyTorch no longer sees the values, and those that may cut a gradient off.
_EXITS = ("item", "tolist", "numpy", "__float__", "__array__", "__dlpack__", "data_ptr")
_SUSPECTS = (*_EXITS, "detach", "detach_", "register_hook")


@dataclass
class Seen:
    """What was noted during the runs of all functions that are compared.

    Attributes:
        causes: calls that may make a gradient wrong, as the keys, in the order of the calls.
        unreached: what a run in another dtype does not reach, as the keys: in-place writes, which
            keep their dtype, and calls by which values leave PyTorch.
        names: the names of the parameters.
    """

    causes: dict[str, None] = field(default_factory=dict)
    unreached: dict[str, None] = field(default_factory=dict)
    names: dict[Tensor, str] = field(default_factory=dict)


class Watch(TorchFunctionMode):
    """Notes the calls of PyTorch's functions and their arguments.

    Args:
        seen: the calls that may cut a gradient off, and those by which values leave PyTorch, are
            added to it, each with the line of the caller.
        checks_finite: whether to look for NaN and infinities in results.

    Attributes:
        parameters: the parameters in use, as the keys.
        first: for "NaN" and "infinity", a sentence on the first call that returns one without
            being given one.
    """

    def __init__(self, seen: Seen, checks_finite: bool = False) -> None:
        super().__init__()
        self.seen = seen
        self.checks_finite = checks_finite
        self.parameters: dict[nn.Parameter, None] = {}
        self.first: dict[str, str] = {}

    def __torch_function__(
        self, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        keywords = kwargs or {}
        given: list[Any] = []
        for value in (*args, *keywords.values()):
            given += value if isinstance(value, list | tuple) else [value]
        for part in given:
            if isinstance(part, nn.Parameter):
                self.parameters[part] = None
        name = getattr(func, "__name__", "")
        call = ".data" if func == _DATA else f"{name.strip('_')}()"
        tensor = args[0] if args and isinstance(args[0], Tensor) else torch.empty(0)
        if name in _EXITS and tensor.dtype in FLOATS:
            self.seen.unreached[f"{call}{_place()}"] = None
        if (name in _SUSPECTS or func == _DATA) and tensor.requires_grad:
            self.seen.causes[f"{call}{_place()}"] = None
        if name == "_set_grad_enabled" and args == (False,):
            self.seen.causes[f"no_grad(){_place()}"] = None
        result = func(*args, **keywords)
        if self.checks_finite:
            for kind in _nonfinite(result).difference(*map(_nonfinite, given)):
                self.first.setdefault(kind, f"The first {kind} is the result of {call}{_place()}.")
        return result


def _nonfinite(value: Any) -> set[str]:
    """Return which of "NaN" and "infinity" occur in a tensor or a float."""
    if not isinstance(value, Tensor | float):
        return set()
    numbers = torch.as_tensor(value)
    kinds = {"NaN": numbers.isnan(), "infinity": numbers.isinf()}
    return {kind for kind, places in kinds.items() if places.any()}


def _place() -> str:
    """Return " at FILE:LINE" for the line that called PyTorch.

    It is empty if the call comes from within a module of PyTorch that this package has called.
    """
    # The frame of the caller of `__torch_function__`.
    frame = sys._getframe(2)
    while frame.f_back and frame.f_code.co_filename.startswith(_SKIPPED):
        frame = frame.f_back
    file = frame.f_code.co_filename
    return "" if file.startswith(_OWN) else f" at {Path(file).name}:{frame.f_lineno}"


def nodes(y: Tensor) -> Iterator[Any]:
    """Yield every node of the graph of y once, breadth first."""
    seen: set[Any] = {None}
    ahead = {y.grad_fn}
    while ahead := ahead - seen:
        seen |= ahead
        yield from ahead
        ahead = {following for node in ahead for following, _ in node.next_functions}


def watch_backward(y: Tensor) -> list[str]:
    """Return a list that a backward pass from y fills: its first sentence says which node of the
    graph first returns NaN or an infinity."""
    masked = any(node.name().startswith("Where") for node in nodes(y))
    places = list[str]()

    def look(name: str, made: tuple, given: tuple) -> None:
        for part in made:
            if part is None or part.isfinite().all():
                continue
            is_like = given[0] is not None and part.shape == given[0].shape
            of_zero = is_like and bool((part.isnan() & (given[0] == 0)).any())
            why = ", which is given the gradient 0: 0 times ∞ or NaN is NaN" if of_zero else ""
            advice = f" If `where` hides it: {UNSAFE['where'].do}" if of_zero and masked else ""
            places.append(f"The first NaN or infinity is the result of {name}{why}.{advice}")

    for node in nodes(y):
        node.register_hook(partial(look, node.name()))
    return places
