"""What runs show from above autograd: the parameters in use, what may cut a gradient off, and where
NaN or an infinity begins.
"""

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from os import sep
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from lib.experiment.choices import DTYPES

FLOATS = tuple(getattr(torch, name) for name in DTYPES)
"""The dtypes of what is differentiated."""

_OWN = f"{Path(__file__).parent}{sep}"
_SKIPPED = (f"{Path(torch.__file__).parent}{sep}", contextlib.__file__)
_DATA = Tensor.data.__get__  # type: ignore[attr-defined]
_EXITS = ("item", "tolist", "numpy", "__float__", "__array__", "__dlpack__", "data_ptr")
_SUSPECTS = (*_EXITS, "detach", "detach_", "register_hook")

WHERE = (
    "`where` hides the value of the branch that it does not take, but the backward pass still goes "
    "through it with the gradient 0. Use `where` twice: the inner one gives the branch a harmless "
    "x, the outer one picks the result."
)


@dataclass
class Seen:
    """What the runs of all that is compared show.

    `causes` may keep a gradient from being right; `unseen` is where a dtype cannot be changed or is
    not known; `names` are those of parameters.
    """

    causes: dict[str, None] = field(default_factory=dict)
    unseen: dict[str, None] = field(default_factory=dict)
    names: dict[Tensor, str] = field(default_factory=dict)


class Watch(TorchFunctionMode):
    """Notes what PyTorch's functions are called with.

    `parameters` are those in use. `first` has the first calls that return "NaN" and "infinity", and
    were not given them.

    Args:
        seen: to be filled with calls that cut a gradient off, and
            with those by which values leave PyTorch, each with the caller's line.
        looks: whether to look for NaN and infinities.
    """

    def __init__(self, seen: Seen, looks: bool = False) -> None:
        super().__init__()
        self.seen = seen
        self.looks = looks
        self.parameters: dict[nn.Parameter, None] = {}
        self.first: dict[str, str] = {}

    def __torch_function__(
        self, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        keywords = kwargs or {}
        given: list[Any] = []
        for value in (*args, *keywords.values()):
            given += value if isinstance(value, list | tuple) else [value]
        for part in given:
            if isinstance(part, nn.Parameter):
                self.parameters[part] = None
        name = getattr(func, "__name__", "")
        call = ".data" if func == _DATA else f"{name.strip('_')}()"
        tensor = args[0] if args and isinstance(args[0], Tensor) else torch.empty(0)
        if name in _EXITS and tensor.dtype in FLOATS:
            self.seen.unseen[f"{call}{_place()}"] = None
        if (name in _SUSPECTS or func == _DATA) and tensor.requires_grad:
            self.seen.causes[f"{call}{_place()}"] = None
        if name == "_set_grad_enabled" and args == (False,):
            self.seen.causes[f"no_grad(){_place()}"] = None
        result = func(*args, **keywords)
        for what in _lost(result) - set().union(*map(_lost, given)) if self.looks else ():
            self.first.setdefault(what, f"The first {what} is the result of {call}{_place()}.")
        return result


def _lost(value: Any) -> set[str]:
    """Return which of "NaN" and "infinity" a tensor or a number has."""
    if not isinstance(value, Tensor | float):
        return set()
    numbers = torch.as_tensor(value)
    looks = {"NaN": numbers.isnan(), "infinity": numbers.isinf()}
    return {what for what, lost in looks.items() if lost.any()}


def _place() -> str:
    """Return the line that called PyTorch, or nothing if PyTorch itself did."""
    frame = sys._getframe(2)  # the caller of the watch
    while frame.f_back and frame.f_code.co_filename.startswith(_SKIPPED):
        frame = frame.f_back
    file = frame.f_code.co_filename
    return "" if file.startswith(_OWN) else f" at {Path(file).name}:{frame.f_lineno}"


def nodes(y: Tensor) -> Iterator[Any]:
    """All nodes of the graph of y."""
    seen: set[Any] = {None}
    ahead = {y.grad_fn}
    while ahead := ahead - seen:
        seen |= ahead
        yield from ahead
        ahead = {following for node in ahead for following, _ in node.next_functions}


def watch_backward(y: Tensor) -> list[str]:
    """Return a list that a backward of y fills with sentences: where NaN or an infinity arises."""
    masked = any(node.name().startswith("Where") for node in nodes(y))
    places = list[str]()

    def look(name: str, made: tuple, given: tuple) -> None:
        for part in made:
            if part is None or part.isfinite().all():
                continue
            same = given[0] is not None and part.shape == given[0].shape
            zero = same and bool((part.isnan() & (given[0] == 0)).any())
            place = (
                f"{name}, where the gradient 0 comes in: 0 times ∞ or NaN is NaN" if zero else name
            )
            advice = f" {WHERE}" if zero and masked else ""
            places.append(f"It begins in the backward pass, in {place}.{advice}")

    for node in nodes(y):
        node.register_hook(partial(look, node.name()))
    return places
