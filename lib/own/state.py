"""What an evaluation starts from: the random numbers and the buffers. Every evaluation starts from the same.

So two ways see the same dropout masks, batch norm the same running statistics, and what is measured is a function.

NOTE [random numbers]: dropout draws from PyTorch's default generator, which belongs to the process, and no argument
gives it another. So its state is saved, set back before each evaluation, and put back in the end, even after an error.
Another thread that draws at the same time would see that; two threads that compare wait for each other.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock, get_ident
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_pre_hook

_IN_USE = RLock()


class RandomNumbers:
    """The states of the generators of PyTorch, NumPy and Python as they are now."""

    def __init__(self, device: torch.device) -> None:
        self._cuda = device if device.type == "cuda" else None
        self._torch = torch.get_rng_state()
        self._card = torch.cuda.get_rng_state(device) if self._cuda else None
        self._python = random.getstate()
        self._numpy: Any = np.random.get_state()

    def put_back(self) -> None:
        torch.set_rng_state(self._torch)
        if self._cuda:
            torch.cuda.set_rng_state(self._card, self._cuda)
        random.setstate(self._python)
        np.random.set_state(self._numpy)


class _Touched:
    """The gradients, buffers and modes of every module as they were before it was first called here.

    A network that no copy reaches, as in a global object's attribute, is run itself; so it is put back in the end.
    """

    def __init__(self) -> None:
        self._seen: dict[int, tuple[nn.Module, bool]] = {}
        self._grads: dict[int, tuple[Tensor, Tensor | None, Tensor | None]] = {}
        self._buffers: dict[int, tuple[Tensor, Tensor]] = {}
        self._thread = get_ident()

    def look(self, module: nn.Module, given: object) -> None:
        if id(module) in self._seen or get_ident() != self._thread:
            return
        self._seen[id(module)] = module, module.training
        with torch.no_grad():
            for parameter in module.parameters(recurse=False):
                if parameter.is_leaf and not _wrapped(parameter):
                    grad = parameter.grad
                    kept = None if grad is None else grad.clone()
                    self._grads.setdefault(id(parameter), (parameter, grad, kept))
            for buffer in module.buffers(recurse=False):
                if not _wrapped(buffer):
                    self._buffers.setdefault(id(buffer), (buffer, buffer.clone()))

    @torch.no_grad()
    def put_back(self) -> None:
        for parameter, grad, kept in self._grads.values():
            if grad is not None and kept is not None:
                grad.copy_(kept)
            parameter.grad = grad
        for buffer, value in self._buffers.values():
            if not torch.equal(buffer, value):  # the version does not tell: batch norm writes past it
                buffer.copy_(value)
        for module, training in self._seen.values():
            if module.training != training:
                module.training = training


def _wrapped(x: Tensor) -> bool:
    """Whether x stands for another tensor inside a transform of `torch.func`."""
    return torch._C._functorch.is_functorch_wrapped_tensor(x)


@contextmanager
def random_numbers(device: torch.device) -> Iterator[RandomNumbers]:
    """Give the random numbers as they are; in the end put them back, NOTE [random numbers], and all touched networks.

    The watch on modules belongs to the process, as the random numbers do, and looks at this thread's calls alone.
    """
    with _IN_USE:
        numbers, touched = RandomNumbers(device), _Touched()
        watch = register_module_forward_pre_hook(touched.look)
        try:
            yield numbers
        finally:
            watch.remove()
            touched.put_back()
            numbers.put_back()


class Buffers:
    """The buffers and plain attributes of modules as they are now."""

    def __init__(self, modules: list[nn.Module]) -> None:
        self._modules = [(module, self._attributes(module), dict(module._buffers)) for module in modules]
        self._values = [
            (buffer, buffer._version, buffer.clone())
            for _, _, buffers in self._modules
            for buffer in buffers.values()
            if buffer is not None
        ]

    @staticmethod
    def _attributes(module: nn.Module) -> dict[str, object]:
        scripted = isinstance(module, torch.jit.ScriptModule)
        return {} if scripted else {name: value for name, value in vars(module).items() if not name.startswith("_")}

    def put_back(self) -> None:
        for module, attributes, buffers in self._modules:
            if attributes:
                vars(module).update(attributes)
            for name, buffer in buffers.items():
                if module._buffers[name] is not buffer:
                    module._buffers[name] = buffer
        with torch.no_grad():
            for k, (buffer, version, value) in enumerate(self._values):
                if buffer._version != version:
                    buffer.copy_(value)
                    self._values[k] = buffer, buffer._version, value
