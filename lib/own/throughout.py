"""One dtype throughout: a network may fix another inside, as in `x.float() @ w`, where `.double()` does not reach.

What stands below autograd does: there every operation can be given another dtype, and what it asks for is seen.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from lib.network.seeds import stream_seed


class Replaced(TorchFunctionMode):
    """Give every call others in place of the tensors with these ids."""

    def __init__(self, others: Mapping[int, Tensor]) -> None:
        super().__init__()
        self.others = others

    def __torch_function__(self, func: Callable, types: object, args: tuple = (), kwargs: dict | None = None) -> Any:
        return func(*map(self._given, args), **{key: self._given(value) for key, value in (kwargs or {}).items()})

    def _given(self, value: Any) -> Any:
        if type(value) in (list, tuple):
            return type(value)(map(self._given, value))
        return self.others.get(id(value), value)


class Throughout(TorchDispatchMode):
    """Let every operation compute in one dtype, whatever the network asks for; without one, in its own, of floats that
    go up or down by their eps at random: so much rounding can do.

    All ways to fix a dtype end here, below autograd: casts, scripts, traces, what a backward does. Only what is written
    into stays the tensor that it is: `left` are such dtypes. `changed` tells whether the network asked for another one.
    """

    def __init__(self, dtype: torch.dtype | None) -> None:
        super().__init__()
        self.dtype, self.changed, self.left = dtype, False, set[torch.dtype]()
        self._random = torch.Generator().manual_seed(stream_seed("directions", 0, 2))

    def __torch_dispatch__(self, func: Any, types: object, args: tuple = (), kwargs: dict | None = None) -> Any:
        shared, writes, makes = _signature(func)
        given = kwargs or {}
        if not makes:  # random numbers stay those that the network draws
            args = tuple([one if k in shared else self._given(one) for k, one in enumerate(args)])
            given = {key: one if key in shared else self._given(one) for key, one in given.items()}
        found = func(*args, **given)
        if writes and isinstance(found, Tensor) and found.is_floating_point():
            self.left.add(found.dtype)
        return self._given(found) if self.dtype and not shared else found

    def _given(self, value: Any) -> Any:
        if type(value) in (list, tuple):
            return type(value)(map(self._given, value))
        dtype = getattr(value, "dtype", value)
        if dtype is self.dtype:
            return value
        if not isinstance(dtype, torch.dtype) or not (dtype.is_floating_point or dtype.is_complex):
            return value
        if not self.dtype:
            up = torch.randint(0, 2, getattr(value, "shape", ()), generator=self._random)
            return value if value is dtype else value * (1 + (2 * up.to(value) - 1) * torch.finfo(dtype).eps)
        wide = self.dtype.to_complex() if dtype.is_complex else self.dtype
        self.changed |= wide != dtype
        return wide if value is dtype else value.to(wide)


@cache
def _signature(operation: Any) -> tuple[set[int | str], bool, bool]:
    """Return by place and name what shares memory with the result of an operation, whether it writes into that, and
    whether it makes its result of no tensor."""
    schema = operation._schema
    shared = {key for k, one in enumerate(schema.arguments) if one.alias_info for key in (k, one.name)}
    return shared, schema.is_mutable, "Tensor" not in str(schema).rpartition("->")[0]
