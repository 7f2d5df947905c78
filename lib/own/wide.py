"""A network in another dtype, all of it: also what it makes as it goes, and where it asks for a dtype by name.

`net.double()` changes parameters and buffers. A network may also hold tensors that are neither, make new ones in the
default dtype, or write `x.float()`: then a part of it would still round as before. So every call of PyTorch that the
network makes is given its floats in the dtype that is asked for, and what it returns is changed likewise.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from lib.own.refused import FLOATS

_CASTS = {Tensor.float, Tensor.half, Tensor.bfloat16, Tensor.double}
_PLAIN = {Tensor.__getitem__, Tensor.size, Tensor.dim, Tensor.requires_grad_, Tensor.detach, torch.typename}


class InDtype(TorchFunctionMode):
    """Compute in one dtype, whatever is asked for."""

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self._dtype = dtype

    def __torch_function__(
        self, func: Callable, types: Iterable[type], args: tuple = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        if func in _CASTS:
            return args[0].to(self._dtype)
        if func in _PLAIN or getattr(func, "__name__", "") == "__get__":
            return func(*args, **(kwargs or {}))
        name = getattr(func, "__name__", "")
        if name == "__set__" or name.endswith("_") and (not name.startswith("__") or name in _IN_PLACE):
            given = {key: self._cast(value) for key, value in (kwargs or {}).items()}
            return func(*args[:1], *map(self._cast, args[1:]), **given)
        given = {key: self._cast(value) for key, value in (kwargs or {}).items()}
        return self._cast(func(*map(self._cast, args), **given))

    def _cast(self, value: Any) -> Any:
        if isinstance(value, Tensor):
            return value.to(self._dtype) if value.dtype in FLOATS and value.dtype != self._dtype else value
        if isinstance(value, torch.dtype):
            return self._dtype if value in FLOATS else value
        if type(value) in (list, tuple):
            return type(value)(map(self._cast, value))
        return value


_IN_PLACE = {"__setitem__", "__iadd__", "__isub__", "__imul__", "__itruediv__", "__ipow__"}


def change_dtype(networks: Iterable[nn.Module], dtype: torch.dtype) -> None:
    """Give the networks' parameters, buffers and other tensors the dtype."""
    for network in networks:
        network.to(dtype)
        for module in network.modules():
            if isinstance(module, torch.jit.ScriptModule):
                continue
            for name, value in vars(module).items():
                if isinstance(value, Tensor) and value.dtype in FLOATS:
                    vars(module)[name] = value.detach().to(dtype)
