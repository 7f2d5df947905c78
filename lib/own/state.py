"""What an evaluation starts from: the random numbers and the buffers. Every evaluation starts from the same.

So two ways see the same dropout masks, batch norm the same running statistics, and what is measured is a function.

NOTE [random numbers]: dropout draws from PyTorch's default generator, which belongs to the process, and no argument
gives it another. So its state is saved, set back before each evaluation, and put back in the end, even after an error.
Another thread that draws at the same time would see that; two threads that compare wait for each other.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any

import numpy as np
import torch
from torch import nn

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


@contextmanager
def random_numbers(device: torch.device) -> Iterator[RandomNumbers]:
    """Give the random numbers as they are, and put them back in the end: NOTE [random numbers]."""
    with _IN_USE:
        numbers = RandomNumbers(device)
        try:
            yield numbers
        finally:
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
