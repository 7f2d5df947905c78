"""What was brought, as a mathematical function of what is differentiated, in one dtype.

A `Function` calls its own copy of the network, and gets the points as arguments: the floats among the inputs, or the
parameters. Whoever calls it has it `start` first from the same random numbers and buffers, so that it is one function.
"""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from lib.own.copied import Copy
from lib.own.refused import FLOATS, RefusedError, RefusedValueError, checked_result, checked_state, failed, no_path
from lib.own.state import Buffers, RandomNumbers
from lib.own.wide import InDtype, change_dtype


class Function:
    """The function of `points`, which have `names`, in the dtype given or, without one, in its own.

    Raises `RefusedError` if a call fails, gives no tensor of floats, or changes x.
    """

    def __init__(
        self,
        call: Callable[..., Tensor],
        x: tuple[Tensor, ...],
        of: str,
        random_numbers: RandomNumbers,
        dtype: torch.dtype | None = None,
    ) -> None:
        if dtype is not None:
            call = getattr(call, "_orig_mod", getattr(call, "_torchdynamo_orig_callable", call))  # uncompiled
        try:
            copy = Copy(call)
        except Exception as error:
            raise failed("A deep copy of the network", error) from error
        self._call, self._random_numbers, self.of, self.dtype = copy.call, random_numbers, of, dtype
        self.modules, self.networks = copy.modules, copy.networks
        for each in copy.networks.values():
            checked_state((*each.parameters(), *each.buffers()))
        if dtype is not None:
            change_dtype(copy.networks.values(), dtype)
        self.mode: TorchFunctionMode | None = None if dtype is None else InDtype(dtype)
        self.x = tuple(_in(one.detach().clone(), dtype) for one in x)
        self._buffers = Buffers(self.modules)
        if of == "input":
            floats = [(k, one) for k, one in enumerate(self.x) if one.dtype in FLOATS]
            self.names = tuple("x" if len(self.x) == 1 else f"x[{k}]" for k, _ in floats)
            self.points = tuple(one for _, one in floats)
        else:
            named: dict[
                int, tuple[str, Tensor]
            ] = {}  # once each, though a function may name a network and a part of it
            for network, module in copy.networks.items():
                for name, one in module.named_parameters():
                    if one.requires_grad and one.dtype in FLOATS:
                        named.setdefault(id(one), (name if len(copy.networks) == 1 else f"{network}.{name}", one))
            if not named:
                raise RefusedValueError("The network has no parameters that require a gradient.")
            self._holder = _Holder(copy.networks, self._call)
            if any(isinstance(module, torch.jit.ScriptModule) for module in self.modules):
                raise RefusedValueError("The parameters of a scripted network cannot be replaced: give it unscripted.")
            held = [(name, id(one)) for name, one in self._holder.named_parameters() if id(one) in named]
            self._full_names = tuple(name for name, _ in held)
            self.names = tuple(named[one][0] for _, one in held)
            self.points = tuple(named[one][1] for _, one in held)

    def __call__(self, *points: Tensor) -> Tensor:
        """Evaluate at the points, each of the shape of its own."""
        if self.of == "input":
            given = iter(points)
            return self._evaluated(self._call, *(next(given) if one.dtype in FLOATS else one for one in self.x))
        parameters = dict(zip(self._full_names, points, strict=True))
        return self._evaluated(lambda *x: torch.func.functional_call(self._holder, parameters, x), *self.x)

    def start(self) -> None:
        """Put back what an evaluation starts from; outside of any transform, which would refuse to change buffers."""
        self._random_numbers.put_back()
        self._buffers.put_back()

    def leaves(self) -> tuple[tuple[Tensor, ...], Callable[[], Tensor]]:
        """Return the leaves of a graph as `backward()` finds them, and what builds the graph."""
        if self.of == "input":
            leaves = tuple(point.detach().clone().requires_grad_() for point in self.points)
            return leaves, lambda: self(*leaves)
        return self.points, lambda: self._evaluated(self._call, *self.x)

    def with_path(self, y: Tensor) -> Tensor:
        if not y.requires_grad:
            raise no_path(self.of)
        return y

    def _evaluated(self, call: Callable[..., Any], *x: Tensor) -> Tensor:
        versions = [one._version for one in x]
        try:
            with self.mode or nullcontext():
                y = call(*x)
        except RefusedError:
            raise
        except Exception as error:
            if "leaf Variable that requires grad" in str(error) and self.of == "input":
                raise _changed() from error
            raise failed("The network", error) from error
        if [one._version for one in x] != versions:
            raise _changed()
        return checked_result(y)


class _Holder(nn.Module):
    """The networks of a function as one, so that `functional_call` can replace their parameters."""

    def __init__(self, networks: dict[str, nn.Module], call: Callable[..., Tensor]) -> None:
        super().__init__()
        self.networks = nn.ModuleList(networks.values())
        object.__setattr__(self, "_brought", call)

    def forward(self, *x: Tensor) -> Tensor:
        return vars(self)["_brought"](*x)


def _in(x: Tensor, dtype: torch.dtype | None) -> Tensor:
    return x.to(dtype) if dtype is not None and x.dtype in FLOATS else x


def _changed() -> RefusedError:
    return RefusedValueError("The network changes x in place: let it work on a copy, as in net(x.clone()).")
