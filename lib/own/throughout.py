"""One dtype throughout, also where the network asks for another, as in `x.float() @ w`.

A dispatch mode reaches every operation, where `.double()` of the network does not.
"""

from functools import cache
from typing import Any

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from lib.network.seeds import stream_seed

_COMPUTES = ("attention", "dropout", "rrelu")
"""Operations that may draw random numbers, but compute with what goes into them."""


class Throughout(TorchDispatchMode):
    """Let every operation compute in one dtype, or imitate rounding: vary what goes into it by up
    to one eps, at random.

    Each nonzero number also moves by up to eps·tiny, the gap between subnormal floats.

    Casts, autocast and what a backward does all end here, below autograd. Only a
    tensor that is written into keeps its dtype.

    Args:
        dtype: of every operation, or None for the network's own.
        drawn: the dtype in which random numbers are drawn, as the network itself draws them.
        unseen: to be filled with the dtypes of tensors that are written into.
        stream: the number of the stream of random numbers, to imitate rounding.

    After a run `changed` says whether it computes otherwise without the mode.

    """

    def __init__(
        self, dtype: torch.dtype | None, drawn: torch.dtype, unseen: dict, stream: int | None = None
    ):
        super().__init__()
        self.dtype = dtype
        self.changed = False
        self.drawn = drawn
        self.unseen = unseen
        self._random = None
        if stream is not None:
            # the first two streams are those of `slope`
            self._random = torch.Generator().manual_seed(stream_seed("directions", 0, 2 + stream))

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        shared, writes = _signature(func)
        keywords = kwargs or {}
        draws = torch.Tag.nondeterministic_seeded in func.tags
        if draws and not any(name in str(func) for name in _COMPUTES):
            # numbers that are drawn in another dtype are others
            self.changed = True
            like = [cast(value, self.dtype and self.drawn) for value in args]
            result = func(*like, **keywords)
            return args[0].copy_(result) if writes else self._cast(result)

        def given(place: int | str, value: Any) -> Any:
            return value if place in shared else self._cast(value, self._random)

        args = tuple(given(*pair) for pair in enumerate(args))
        result = func(*args, **{name: given(name, value) for name, value in keywords.items()})
        if writes and cast(result, self.dtype) is not result:
            self.unseen[f"{str(result.dtype)[6:]} that is written into"] = None
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
        return wide + varied.to(wide) * (wide + info.tiny * wide.sgn())


def cast(value: Any, dtype: torch.dtype | None) -> Any:
    """Return a tensor or dtype of floats in a dtype, complex if it is; others as they are."""
    own = getattr(value, "dtype", value)
    if dtype is None or not _is_float(own):
        return value
    wide = dtype.to_complex() if own.is_complex else dtype
    if own is wide:
        return value
    return wide if own is value else value.to(wide)


def copy_buffers(module: nn.Module, dtype: torch.dtype | None) -> None:
    """Give a module copies of its buffers, in a dtype."""
    module._buffers = {
        name: None if part is None else cast(part.clone(), dtype)
        for name, part in module._buffers.items()
    }


def _is_float(dtype: object) -> bool:
    return isinstance(dtype, torch.dtype) and (dtype.is_floating_point or dtype.is_complex)


@cache
def _signature(operation: Any) -> tuple[set[int | str], bool]:
    """Return the arguments, by place and by name, whose memory the result of an operation shares,
    and whether it writes into them.
    """
    places = [k for k, argument in enumerate(operation._schema.arguments) if argument.alias_info]
    names = [operation._schema.arguments[k].name for k in places]
    return {*places, *names}, operation._schema.is_mutable
