"""One dtype throughout: a network may fix another inside, as in `x.float() @ w`, where `.double()` does not reach.

A dispatch mode reaches every operation: it can give each of them another dtype, and sees which one was asked for.
"""

from functools import cache
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from lib.network.seeds import stream_seed


class Throughout(TorchDispatchMode):
    """Let every operation compute in one dtype, and vary what goes into it by some eps, at random.

    Casts, scripts, traces, autocast and what a backward does all end here, below autograd. Only a
    tensor that is written into keeps its dtype.

    Args:
        dtype: of every operation, or None for the network's own.
        drawn: the dtype in which random numbers are drawn, as the network itself draws them.
        eps: by how many eps of its dtype each float is varied. 1 imitates rounding.
        shuffle: the number of the stream of random numbers.

    After a run `unseen` has the dtypes of tensors that were written into, and `overflow` says
    whether a number arises that is beyond the network's own dtype, or one that it asks for.
    """

    def __init__(self, dtype: torch.dtype | None, drawn: torch.dtype, eps: int = 0, shuffle: int = 0) -> None:
        super().__init__()
        self.dtype, self.drawn, self.eps = dtype, drawn, eps
        self.unseen = dict[str, None]()
        self._largest, self._limit = 0.0, torch.finfo(drawn).max
        self._random = torch.Generator().manual_seed(stream_seed("directions", 0, 2 + shuffle))

    def __torch_dispatch__(self, func: Any, types: object, args: tuple = (), kwargs: dict | None = None) -> Any:
        shared, writes, creates = _signature(func)
        keywords = kwargs or {}
        if torch.Tag.nondeterministic_seeded in func.tags and "dropout" not in str(func):
            return self._draw(func, writes, args, keywords)
        if not creates:
            args = tuple([v if k in shared else self._cast(v, self.eps) for k, v in enumerate(args)])
            keywords = {k: v if k in shared else self._cast(v, self.eps) for k, v in keywords.items()}
        result = func(*args, **keywords)
        if writes and self.dtype and _is_float(result) and result.dtype != self.dtype:
            self.unseen[f"{str(result.dtype)[6:]} that is written into"] = None
        return result if shared else self._cast(result)

    def _draw(self, func: Any, writes: bool, args: tuple, keywords: dict) -> Any:
        """Draw the numbers that the network draws: those of another dtype are others."""
        like = [cast(value, self.dtype and self.drawn) for value in args]
        result = func(*like, **keywords)
        return args[0].copy_(result) if writes else self._cast(result)

    @property
    def overflow(self) -> bool:
        return self._largest > self._limit

    def _cast(self, value: Any, eps: int = 0) -> Any:
        if type(value) in (list, tuple):
            return type(value)(self._cast(part, eps) for part in value)
        if not _is_float(value):
            return value
        if isinstance(value, torch.dtype):
            self._limit = min(self._limit, torch.finfo(value).max)
            return cast(value, self.dtype)
        value = cast(value, self.dtype)
        if self.dtype and value.numel():
            self._largest = max(self._largest, float(value.abs().nan_to_num(0, 0).max()))
        if not eps:
            return value
        random = 2 * torch.rand(value.shape, generator=self._random) - 1
        return value * (1 + eps * torch.finfo(value.dtype).eps * random.to(value))


def cast(value: Any, dtype: torch.dtype | None) -> Any:
    """Return a tensor or dtype of floats as one of a dtype, complex if it is; others as they are."""
    own = getattr(value, "dtype", value)
    if dtype is None or not _is_float(value):
        return value
    wide = dtype.to_complex() if own.is_complex else dtype
    return wide if own is value else value.to(wide)


def _is_float(value: object) -> bool:
    dtype = getattr(value, "dtype", value)
    return isinstance(dtype, torch.dtype) and (dtype.is_floating_point or dtype.is_complex)


@cache
def _signature(operation: Any) -> tuple[set[int | str], bool, bool]:
    """Describe an operation.

    Returns:
        The arguments, by place and by name, whose memory the result shares; whether it writes into
        them; and whether it takes no tensor.
    """
    schema = operation._schema
    shared = set[int | str]()
    for place, argument in enumerate(schema.arguments):
        if argument.alias_info:
            shared |= {place, argument.name}
    return shared, schema.is_mutable, "Tensor" not in str(schema).rpartition("->")[0]
