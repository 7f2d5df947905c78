"""A deep copy of a network or function, so that the caller's own is never run and stays as it is, byte for byte.

Python's deepcopy keeps functions as they are, with all that they refer to. Here a function is built anew, with copies
of the networks and tensors in its closure, among its defaults and among the globals that it names, and so are the
functions that it calls, other than PyTorch's and NumPy's. A tensor that is the result of a computation, as
`weight_norm` leaves one in its module, is copied without its history.
"""

from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import torch
from torch import Tensor, nn


class Copy:
    """The copy `call`, and the networks in it by name, in the order in which they are met."""

    def __init__(self, call: Callable[..., Tensor]) -> None:
        self._memo: dict[int, Any] = {}
        self._kept: list[object] = []  # so that no address is used twice
        self.networks: dict[str, nn.Module] = {}
        self.call = self._copied(call, "")
        self.modules = [module for network in self.networks.values() for module in network.modules()]

    def _copied(self, thing: Any, name: str) -> Any:
        if id(thing) in self._memo:
            return self._memo[id(thing)]
        self._kept.append(thing)
        copy: Any = thing
        if isinstance(thing, nn.Module):
            copy = self._network(thing)
            self.networks[name or "net"] = copy
        elif isinstance(thing, Tensor):
            copy = _tensor(thing)
        elif isinstance(thing, FunctionType):
            return self._function(thing)
        elif isinstance(thing, MethodType):
            copy = MethodType(thing.__func__, self._copied(thing.__self__, name))
        elif isinstance(thing, partial):
            arguments = [self._copied(each, name) for each in thing.args]
            named = {key: self._copied(each, key) for key, each in thing.keywords.items()}
            copy = partial(self._copied(thing.func, name), *arguments, **named)
        elif isinstance(thing, list | tuple) and type(thing) in (list, tuple):
            copy = type(thing)(self._copied(each, f"{name}.{k}") for k, each in enumerate(thing))
        elif type(thing) is dict:
            copy = {key: self._copied(each, f"{name}.{key}") for key, each in thing.items()}
        elif hasattr(thing, "__dict__") and not isinstance(thing, type | ModuleType | BuiltinFunctionType):
            copy = deepcopy(thing, self._memo)
            found = {key: each for key, each in vars(copy).items() if isinstance(each, nn.Module)}
            self.networks |= found
        self._memo[id(thing)] = copy
        return copy

    def _network(self, network: nn.Module) -> nn.Module:
        for module in network.modules():
            for value in vars(module).values():
                if isinstance(value, Tensor) and not value.is_leaf:
                    self._memo[id(value)] = _tensor(value)
        copy = deepcopy(network, self._memo)
        for parameter, copied in zip(network.parameters(), copy.parameters(), strict=True):
            for hook in (parameter._backward_hooks or {}).values():  # which a deep copy leaves out
                copied.register_hook(self._copied(hook, "hook"))
        for module in copy.modules():
            for hooks in (module._forward_pre_hooks, module._forward_hooks, module._backward_hooks):
                hooks.update({key: self._copied(hook, "hook") for key, hook in hooks.items()})
        return copy

    def _function(self, function: FunctionType) -> FunctionType:
        """Build the function anew if it refers to anything that is copied; PyTorch's own are left as they are."""
        if (function.__module__ or "").partition(".")[0] in ("torch", "numpy"):
            return function
        names = {*_names(function.__code__)}
        own = {
            name: value
            for name, value in function.__globals__.items()
            if name in names and (isinstance(value, nn.Module | Tensor) or type(value) in (FunctionType, list, dict))
        }
        globals_ = dict(function.__globals__)
        cells = tuple(CellType() for _ in function.__closure__ or ())
        copy = FunctionType(function.__code__, globals_, function.__name__, None, cells or None)
        copy.__dict__.update(function.__dict__)
        copy.__module__ = function.__module__
        self._memo[id(function)] = copy  # first, since functions may call each other
        globals_ |= {name: self._copied(value, name) for name, value in own.items()}
        for cell, given, name in zip(cells, function.__closure__ or (), function.__code__.co_freevars, strict=True):
            try:
                cell.cell_contents = self._copied(given.cell_contents, name)
            except ValueError:  # a cell that is empty still
                pass
        copy.__defaults__ = self._copied(function.__defaults__, function.__name__)
        copy.__kwdefaults__ = self._copied(function.__kwdefaults__, function.__name__)
        return copy


def _names(code: CodeType) -> Iterator[str]:
    """The global names that the code uses, with those of the functions inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _tensor(x: Tensor) -> Tensor:
    if isinstance(x, nn.Parameter):
        return nn.Parameter(x.detach().clone(), x.requires_grad)
    copy = x.detach().clone(memory_format=torch.preserve_format)
    return copy.requires_grad_() if x.requires_grad and x.is_leaf else copy
