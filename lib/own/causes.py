"""What may keep two gradients apart, or both from the function's own: looked for in the network as it runs.

Autograd leaves no trace of what it lost. So the network is run once more while every call of PyTorch is watched for
`detach()`, `.data` and `no_grad()`, with the line of the caller's code from which it came. Then it is run with these
undone: if its gradient then has the slope that was measured, what was cut off is the cause, and not only a suspect.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from os import sep
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.graph import Node

from lib.own.function import Function
from lib.own.gradients import Gradient, backward_gradient
from lib.own.refused import RefusedError
from lib.own.slope import Slope
from lib.own.wide import InDtype

_SKIPPED = (str(Path(torch.__file__).parent) + sep, str(Path(__file__).parent) + sep)
_RANDOM = {"dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout", "rrelu"}
_NAMES = {"detach": "detach()", "detach_": "detach()", "_set_grad_enabled": "no_grad()"}
_OUT = {
    "item": "item()",
    "tolist": "tolist()",
    "numpy": "numpy()",
    "__float__": "float()",
    "register_hook": "register_hook()",
}
"""What takes values out of autograd's sight, or changes a gradient on its way."""


@dataclass(frozen=True)
class Cause:
    """Something found: `what` it is, as code; `where`, as "file.py:12", or empty; of which `kind`: a "cut" that can be
    undone, a "value" taken out or a hook, a "custom backward", "training mode", or "random"."""

    kind: str
    what: str
    where: str = ""

    @property
    def text(self) -> str:
        return f"{self.what} at {self.where}" if self.where else self.what


class _Watched(InDtype):
    """Compute in float64 and note what cuts a gradient off; if `undo`, as if it did not."""

    def __init__(self, undo: bool) -> None:
        super().__init__(torch.float64)
        self._undo = undo
        self.found: dict[Cause, None] = {}

    def __torch_function__(
        self, func: Callable, types: Iterable[type], args: tuple = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        name = getattr(func, "__name__", "")
        data = name == "__get__" and getattr(func, "__self__", None) is Tensor.data
        if data or name in ("detach", "detach_") or name == "_set_grad_enabled" and args and not args[0]:
            if name == "_set_grad_enabled" or args[0].requires_grad:
                self.found[Cause("cut", ".data" if data else _NAMES[name], _place())] = None
            if self._undo:
                return None if name == "_set_grad_enabled" else args[0]
        if name in _RANDOM and (kwargs or {}).get("training", args[2] if len(args) > 2 else False) is True:
            self.found[Cause("training mode", "dropout", _place())] = None
        if name in _OUT and args and isinstance(args[0], Tensor) and args[0].requires_grad:
            self.found[Cause("value", _OUT[name], _place())] = None
        if torch.is_inference_mode_enabled():
            self.found[Cause("value", "inference_mode()", _place())] = None
        return super().__torch_function__(func, types, args, kwargs)


def cuts(function: Function) -> list[Cause]:
    """Return what cuts a gradient off, or draws random numbers, in one run of a float64 function."""
    return [*_run(function, undo=False)[0]]


def undone(function: Function, slope: Slope) -> bool:
    """Return whether the gradient has the measured slope once `detach()`, `.data` and `no_grad()` are undone."""
    gradient = _run(function, undo=True)[1]
    return gradient is not None and slope.confirms(gradient)


def _run(function: Function, undo: bool) -> tuple[Iterable[Cause], Gradient | None]:
    before, watched = function.mode, _Watched(undo)
    function.mode = watched
    try:
        gradient: Gradient | None = backward_gradient(function)[0]
    except RefusedError:
        gradient = None
    finally:
        function.mode = before
    return watched.found, gradient


def custom_backwards(y: Tensor) -> list[Cause]:
    """Return the classes of `autograd.Function` in the graph of y, other than PyTorch's own."""
    found: dict[Cause, None] = {}
    seen: set[Node] = set()
    todo: list[Node | None] = [y.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        todo += [following for following, _ in node.next_functions]
        custom = getattr(node, "_forward_cls", None)
        if custom is not None and custom.__module__.partition(".")[0] != "torch":
            found[Cause("custom backward", f"{custom.__name__}.backward")] = None
    return [*found]


def hooked(modules: Iterable[nn.Module]) -> list[Cause]:
    """Return the kinds of modules with a backward hook of their own or of a parameter: it may change the gradient."""
    names: dict[str, None] = {}
    for module in modules:
        kind = type(module).__name__
        if module._backward_hooks:
            names[kind] = None
        names |= {f"{kind}.{name}": None for name, one in module.named_parameters(recurse=False) if one._backward_hooks}
    return [Cause("value", f"a backward hook of {name}") for name in names]


def varying(function: Function, y: Tensor) -> list[Cause]:
    """Return whether the function gives another result when it is run again from the same state."""
    function.start()
    with torch.no_grad():
        same = torch.equal(function(*function.points).to(y.dtype).nan_to_num(), y.nan_to_num())
    return [] if same else [Cause("random", "another result each time it is run")]


def in_training(modules: Iterable[nn.Module]) -> list[Cause]:
    """Return the kinds of modules that compute something else in training mode, and are in it."""
    names: dict[str, None] = {}
    for module in modules:
        rate = getattr(module, "p", 0) if isinstance(module, nn.modules.dropout._DropoutNd) else 0
        rate = rate or (isinstance(module, nn.RNNBase | nn.MultiheadAttention) and module.dropout)
        if module.training and (rate or isinstance(module, nn.modules.batchnorm._NormBase)):
            names[type(module).__name__] = None
    return [Cause("training mode", f"{name} in training mode") for name in names]


def _place() -> str:
    frame = sys._getframe(1)
    while frame and frame.f_code.co_filename.startswith(_SKIPPED):
        frame = frame.f_back
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}" if frame else ""


def mean_of(y: Tensor) -> tuple[int, str] | None:
    """Return how many terms a scalar result is the mean of, and what took it, or None if its last step is no mean."""
    node: Any = y.grad_fn
    while node is not None and node.name() in _VIEWS and len(node.next_functions) == 1:
        node = node.next_functions[0][0]
    if node is None or y.numel() != 1:
        return None
    if hasattr(node, "_saved_self_sym_numel") and node.name().startswith("MeanBackward"):
        return int(node._saved_self_sym_numel), "mean()"
    if getattr(node, "_saved_reduction", 0) == 1:
        terms = node._saved_target if node.name().startswith("NllLoss") else node._saved_self
        count = terms.numel()
        if node.name().startswith("NllLoss"):
            count = int((terms != node._saved_ignore_index).sum())
            if node._saved_weight is not None or not count:  # divided by the sum of the weights, or of nothing
                return None
        return count, node.name().partition("Backward")[0]
    return None


_VIEWS = {"ViewBackward0", "SqueezeBackward0", "UnsqueezeBackward0", "ReshapeAliasBackward0", "ToCopyBackward0"}
