"""A mode that runs every operation in one dtype, or imitates rounding.

A dispatch mode reaches every operation, also where the network casts, as in `x.float() @ w`.
`net.double()` does not.
"""

from functools import cache
from typing import Any

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from lib.network.seeds import stream_seed

_COMPUTES = ("attention", "dropout", "rrelu")
"""Parts of the names of operations that may draw random numbers, but compute as well."""


class DtypeMode(TorchDispatchMode):
    """Run every operation in one dtype, or imitate rounding.

    Casts, autocast and the backward pass reach this mode too, since it lies below autograd. Only
    tensors that are written in place, and views of tensors not cast yet, keep their dtype.

    To imitate rounding, each floating-point tensor x given to an operation that returns floats is
    changed at random by up to eps·abs(x) and, unless x is 0, by up to eps·tiny more, the distance
    between subnormal floats. Tensors that share memory with the result, as in a view, are not.

    Args:
        dtype: the dtype of every operation, or None for the network's own.
        drawn: the dtype in which the network draws random numbers. They stay the same numbers.
        unreached: a dictionary to which in-place writes that keep another dtype are added.
        stream: the number of the stream of random numbers that imitate rounding, or None.

    Attributes:
        changed: whether the mode has cast anything, or random numbers were drawn. If not, and if
            it imitates no rounding, the same run without the mode has the same results.
    """

    def __init__(
        self,
        dtype: torch.dtype | None,
        drawn: torch.dtype,
        unreached: dict,
        stream: int | None = None,
    ):
        super().__init__()
        self.dtype = dtype
        self.changed = False
        self.drawn = drawn
        self.unreached = unreached
        self._random = None
        if stream is not None:
            # `slope` uses the first two streams.
            self._random = torch.Generator().manual_seed(stream_seed("directions", 0, 2 + stream))

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        shared, writes = _signature(func)
        keywords = kwargs or {}
        draws = torch.Tag.nondeterministic_seeded in func.tags
        if draws and not any(name in str(func) for name in _COMPUTES):
            # In another dtype, other numbers would be drawn.
            self.changed = True
            like = [cast(value, self.dtype and self.drawn) for value in args]
            result = func(*like, **keywords)
            return args[0].copy_(result) if writes else self._cast(result)

        def run(generator: torch.Generator | None) -> Any:
            def given(place: int | str, value: Any) -> Any:
                return value if place in shared else self._cast(value, generator)

            values = [given(*pair) for pair in enumerate(args)]
            return func(*values, **{name: given(name, value) for name, value in keywords.items()})

        result = run(self._random)
        if self._random and isinstance(result, torch.Tensor) and not _is_float(result.dtype):
            # A comparison, such as mask == 1, must see the numbers unchanged.
            result = run(None)
        if writes and cast(result, self.dtype) is not result:
            self.unreached[f"in-place writes to {str(result.dtype)[6:]}"] = None
        return result if shared else self._cast(result)

    def _cast(self, value: Any, generator: torch.Generator | None = None) -> Any:
        if type(value) in (list, tuple):
            return type(value)(self._cast(part, generator) for part in value)
        wide = cast(value, self.dtype)
        self.changed |= wide is not value
        if not generator or not isinstance(value, torch.Tensor) or not _is_float(value.dtype):
            return wide
        info = torch.finfo(wide.dtype)
        varied = torch.empty(value.shape).uniform_(-info.eps, info.eps, generator=generator)
        change = varied.to(wide) * (wide + info.tiny * wide.sgn())
        return torch.where(wide.isfinite(), wide + change, wide)


def cast(value: Any, dtype: torch.dtype | None) -> Any:
    """Cast a tensor, or a dtype itself, to a floating-point dtype.

    A complex one becomes complex, with parts in that dtype. Integers, other values, and all values
    if `dtype` is None, are returned as they are.
    """
    own = getattr(value, "dtype", value)
    if dtype is None or not _is_float(own):
        return value
    wide = dtype.to_complex() if own.is_complex else dtype
    if own is wide:
        return value
    return wide if own is value else value.to(wide)


def copy_buffers(module: nn.Module, dtype: torch.dtype | None) -> None:
    """Replace the buffers of a module by copies in a dtype, or in their own if it is None."""
    module._buffers = {
        name: None if part is None else cast(part.clone(), dtype)
        for name, part in module._buffers.items()
    }


def _is_float(dtype: object) -> bool:
    return isinstance(dtype, torch.dtype) and (dtype.is_floating_point or dtype.is_complex)


@cache
def _signature(operation: Any) -> tuple[set[int | str], bool]:
    """Return the arguments that share memory with the result, and whether it is written in place.

    Each of these arguments is listed twice, by its position and by its name.
    """
    places = [k for k, argument in enumerate(operation._schema.arguments) if argument.alias_info]
    names = [operation._schema.arguments[k].name for k in places]
    return {*places, *names}, operation._schema.is_mutable
