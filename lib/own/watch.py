"""What the first runs show from above autograd: the parameters in use, what may cut a gradient off,
and where NaN or an infinity begins.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from math import inf
from os import sep
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from lib.experiment.choices import DTYPES

FLOATS = tuple(getattr(torch, name) for name in DTYPES)
"""The dtypes of what is differentiated."""

_OWN = str(Path(__file__).parent) + sep
_SKIPPED = (str(Path(torch.__file__).parent) + sep, _OWN)
_LEAVES = ("item", "tolist", "numpy", "__float__", "__array__", "__dlpack__", "data_ptr")
_DATA = Tensor.data.__get__  # type: ignore[attr-defined]
_CUTS = (*_LEAVES, "detach", "detach_", "register_hook")

WHERE = (
    "`where` hides the value of the branch that it does not take, but the backward pass still goes "
    "through it with the gradient 0. Use `where` twice: the inner one gives the branch a harmless "
    "x, the outer one picks the result."
)
STEEP = (
    "The slopes of √x and log x grow without bound towards 0. Add a small number inside of the root, "
    "or replace the zeros before the logarithm."
)


@dataclass
class Seen:
    """What the runs of all that is compared show.

    `causes` may keep a gradient from being right; `unseen` is where a dtype cannot be changed or is
    not known; `limit` is the largest number of the narrowest dtype in use; `overflow` says whether
    numbers beyond it arise in float64; `begins` is a sentence on where NaN or an infinity begins.
    """

    causes: dict[str, None] = field(default_factory=dict)
    unseen: dict[str, None] = field(default_factory=dict)
    limit: float = inf
    overflow: bool = False
    begins: str = ""


class Watch(TorchFunctionMode):
    """Notes what PyTorch's functions are called with.

    `parameters` are those in use, and `first` has the first calls that return "NaN" and an "infinity".

    Args:
        seen: to be filled with calls that cut a gradient off or depend on the training mode, and with
            those by which values leave PyTorch, each with the caller's line.
    """

    def __init__(self, seen: Seen) -> None:
        super().__init__()
        self.seen = seen
        self.parameters: dict[nn.Parameter, None] = {}
        self.first: dict[str, str] = {}

    def __torch_function__(self, func: Callable, types: object, args: tuple = (), kwargs: dict | None = None) -> Any:
        keywords = kwargs or {}
        if sys._getframe(1).f_code.co_filename.startswith(_OWN):
            return func(*args, **keywords)  # our own clean-up calls
        self._note_parameters((*args, *keywords.values()))
        name = getattr(func, "__name__", "")
        call = ".data" if func == _DATA else f"{name.strip('_')}()"
        tensor = args[0] if args and isinstance(args[0], Tensor) else torch.empty(0)
        if tensor.dtype in FLOATS and name in _LEAVES:
            self.seen.unseen[f"{call}{_place()}"] = None
        # dropout(x, p, training), batch_norm(x, mean, var, weight, bias, training)
        training = keywords.get("training", any(value is True for value in args[2:6:3]))
        if training and ("dropout" in name or name == "batch_norm"):
            self.seen.causes[f"{name} in training mode{_place()}"] = None
        elif name == "_set_grad_enabled" and args == (False,):
            self.seen.causes[f"no_grad(){_place()}"] = None
        elif tensor.requires_grad and (name in _CUTS or func == _DATA):
            self.seen.causes[f"{call}{_place()}"] = None
        result = func(*args, **keywords)
        if isinstance(result, Tensor) and result.dtype in FLOATS:
            self.seen.limit = min(self.seen.limit, torch.finfo(result.dtype).max)
        if isinstance(result, Tensor) and not result.isfinite().all():
            what = "NaN" if result.isnan().any() else "infinity"
            self.first.setdefault(what, f"The first {what} is the result of {call}{_place()}.")
        return result

    def _note_parameters(self, values: Iterable[object]) -> None:
        for value in values:
            if isinstance(value, nn.Parameter):
                self.parameters[value] = None
            elif isinstance(value, list | tuple):
                self._note_parameters(value)


def _place() -> str:
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(_SKIPPED):
        frame = frame.f_back
    return f" at {Path(frame.f_code.co_filename).name}:{frame.f_lineno}"


def _nodes(y: Tensor) -> Iterator[Any]:
    """All nodes of the graph of y."""
    seen: set[Any] = {None}
    ahead = {y.grad_fn}
    while ahead := ahead - seen:
        seen |= ahead
        yield from ahead
        ahead = {following for node in ahead for following, _ in node.next_functions}


def watch_backward(y: Tensor, seen: Seen) -> None:
    """Note in which node's backward of the graph of y the first NaN or infinity will arise.

    Args:
        y: the result.
        seen: to be filled with a sentence on that, unless it has one on a value, and with the nodes
            whose backward is written in Python.
    """
    names = list[str]()  # of the nodes so far

    def look(name: str, made: tuple, given: tuple) -> None:
        names.append(name)
        lost = [part for part in made if part is not None and not part.isfinite().all()]
        if seen.begins or not lost:
            return
        zeros = given[0] == 0 if given[0] is not None else torch.empty(0)
        zero = lost[0].shape == zeros.shape and bool((lost[0].isnan() & zeros).any())
        place = f"{name}, where the gradient 0 comes in: 0 · ∞ is NaN" if zero else name
        masked = zero and any(node.startswith("Where") for node in names)
        steep = STEEP if name.startswith(("Sqrt", "Log")) else ""
        seen.begins = f"It begins in the backward pass, in {place}. {WHERE if masked else steep}"

    for node in _nodes(y):
        node.register_hook(partial(look, node.name()))
        if hasattr(node, "_forward_cls"):
            seen.causes[f"{node._forward_cls.__name__}.backward"] = None
