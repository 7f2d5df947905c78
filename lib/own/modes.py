"""Two modes around a network, and the graph that it leaves.

One dtype throughout, below autograd: a network may fix another inside, as in `x.float() @ w`, where `.double()` does
not reach. There every operation can be given another dtype, and what it asks for is seen.

Where a gradient may get lost, above autograd: what cuts it off, with the caller's line.
"""

import contextlib
import sys
from collections.abc import Callable
from functools import cache
from os import sep
from pathlib import Path
from traceback import walk_stack
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from lib.network.seeds import stream_seed


class Throughout(TorchDispatchMode):
    """Let every operation compute in one dtype, whatever the network asks for; without one, in its own, of floats that
    go up or down by their eps at random: so much rounding can do.

    All ways to fix a dtype end here, below autograd: casts, scripts, traces, what a backward does. Only what is written
    into stays the tensor that it is. `changed` tells whether the network asked for another dtype.
    """

    def __init__(self, dtype: torch.dtype | None) -> None:
        super().__init__()
        self.dtype, self.changed = dtype, dtype is None
        self._random = torch.Generator().manual_seed(stream_seed("directions", 0, 2))

    def __torch_dispatch__(self, func: Any, types: object, args: tuple = (), kwargs: dict | None = None) -> Any:
        shared, makes = _signature(func)
        given = {**dict(enumerate(args)), **(kwargs or {})}
        if not makes:  # random numbers stay those that the network draws
            given = {key: one if key in shared else self._given(one) for key, one in given.items()}
        found = func(*[given.pop(k) for k in range(len(args))], **given)
        return self._given(found) if self.dtype and not shared else found

    def _given(self, value: Any) -> Any:
        if type(value) in (list, tuple):
            return type(value)(map(self._given, value))
        dtype = getattr(value, "dtype", value)
        is_dtype = isinstance(dtype, torch.dtype) and dtype is not self.dtype
        if not is_dtype or not (dtype.is_floating_point or dtype.is_complex):
            return value
        if not self.dtype:
            up = torch.randint(0, 2, getattr(value, "shape", ()), generator=self._random)
            return value if value is dtype else value * (1 + (2 * up.to(value) - 1) * torch.finfo(dtype).eps)
        wide = self.dtype.to_complex() if dtype.is_complex else self.dtype
        self.changed |= wide != dtype
        return wide if value is dtype else value.to(wide)


@cache
def _signature(operation: Any) -> tuple[set[int | str], bool]:
    """Return by place and name what shares memory with the result of an operation, and whether it makes its result of
    no tensor."""
    schema = operation._schema
    shared = {key for k, one in enumerate(schema.arguments) if one.alias_info for key in (k, one.name)}
    return shared, "Tensor" not in str(schema).rpartition("->")[0]


_SKIPPED = (*(str(Path(file).parent) + sep for file in (torch.__file__, __file__)), contextlib.__file__)
_CUTS = ("detach", "detach_", "item", "tolist", "numpy", "register_hook", "__float__")


class Watch(TorchFunctionMode):
    """Notes as `causes`, from above autograd, what cuts a gradient off or depends on the training mode, and where."""

    def __init__(self) -> None:
        super().__init__()
        self.causes: dict[str, None] = {}

    def __torch_function__(self, func: Callable, types: object, args: tuple = (), kwargs: dict | None = None) -> Any:
        name, given, cause = getattr(func, "__name__", ""), kwargs or {}, ""
        if args and isinstance(args[0], Tensor) and args[0].requires_grad:
            is_data = getattr(func, "__self__", None) is Tensor.data
            cause = ".data" if is_data else f"{name.strip('_')}()" if name in _CUTS else ""
        if name == "_set_grad_enabled" and args == (False,):
            cause = "no_grad()"
        if given.get("training"):
            cause = f"{name} in training mode"
        if cause:
            places = ((Path(frame.f_code.co_filename), line) for frame, line in walk_stack(sys._getframe()))
            file, line = next(place for place in places if not str(place[0]).startswith(_SKIPPED))
            self.causes[f"{cause} at {file.name}:{line}"] = None
        return func(*args, **given)


def graph_of(y: Tensor) -> tuple[list[Tensor], list[str]]:
    """Return the leaves in the graph of y, or y itself, and the `autograd.Function`s that are not PyTorch's own."""
    found, todo = dict[Any, None](), {y.grad_fn: None}
    while todo := {one: None for one in todo if one is not None and one not in found}:
        found |= todo
        todo = {following: None for node in todo for following, _ in node.next_functions}
    classes = {getattr(node, "_forward_cls", Tensor) for node in found}
    custom = sorted(f"{one.__name__}.backward" for one in classes if one.__module__.split(".")[0] != "torch")
    return [node.variable for node in found if hasattr(node, "variable")] or [y], custom
