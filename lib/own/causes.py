"""What may keep a gradient from that of the function: looked for in the network as it runs, with the caller's line."""

import sys
from collections.abc import Callable, Iterable, Mapping
from os import sep
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from lib.own.function import Function, Points

_SKIPPED = (str(Path(torch.__file__).parent) + sep, str(Path(__file__).parent) + sep)
_CUTS = {"detach": "detach()", "detach_": "detach()", "item": "item()", "tolist": "tolist()", "numpy": "numpy()"}
_CUTS |= {"__float__": "float()", "register_hook": "register_hook()"}
_RANDOM = {"dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout", "rrelu"}


class _Watch(TorchFunctionMode):
    """Notes what cuts a gradient off, takes values out of autograd's sight, or depends on the training mode."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, None] = {}

    def __torch_function__(
        self, func: Callable, types: Iterable[type], args: tuple = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        name, what = getattr(func, "__name__", ""), ""
        of_graph = bool(args) and isinstance(args[0], Tensor) and args[0].requires_grad
        given = kwargs or {}
        in_training = name in _RANDOM and given.get("training", args[2:3] == (True,))
        in_training |= name == "batch_norm" and given.get("training", args[5:6] == (True,))
        if of_graph:
            is_data = name == "__get__" and getattr(func, "__self__", None) is Tensor.data
            what = ".data" if is_data else _CUTS.get(name, "")
        if name == "_set_grad_enabled" and args and not args[0]:
            what = "no_grad()"
        if in_training:
            what = f"{name} in training mode"
        if torch.is_inference_mode_enabled():
            what = "inference_mode()"
        if what:
            self.found[f"{what}{_place()}"] = None
        return func(*args, **(kwargs or {}))


def causes_in(function: Function, of_two: bool) -> list[str]:
    """Return what is found in one run of the function; of one of two functions also what differs between runs."""
    leaves: Points = tuple(point.clone().requires_grad_() for point in function.points)
    with _Watch() as watch:
        y = function(leaves)
    found = [cause for cause in watch.found if of_two or "training" not in cause]
    found += _custom_backwards(y)
    with torch.no_grad():
        again = function(function.points)
    if not torch.equal(again.nan_to_num(), y.nan_to_num()):
        found.append("another result each time it is run")
    return found


def _custom_backwards(y: Tensor) -> list[str]:
    """Return the classes of `autograd.Function` in the graph of y, other than PyTorch's own."""
    found: dict[str, None] = {}
    seen, todo = set(), [y.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        todo += [following for following, _ in node.next_functions]
        custom = getattr(node, "_forward_cls", None)
        if custom is not None and custom.__module__.partition(".")[0] != "torch":
            found[f"{custom.__name__}.backward"] = None
    return [*found]


def _place() -> str:
    frame = sys._getframe(1)
    while frame and frame.f_code.co_filename.startswith(_SKIPPED):
        frame = frame.f_back
    return f" at {Path(frame.f_code.co_filename).name}:{frame.f_lineno}" if frame else ""
