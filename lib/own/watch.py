"""What a first run shows from above autograd: the parameters that are used, and where values or gradients get lost."""

import sys
from collections.abc import Callable, Iterable
from os import sep
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from lib.experiment.choices import DTYPES

FLOATS = tuple(getattr(torch, name) for name in DTYPES)
"""The dtypes of what is differentiated."""

_SKIPPED = (str(Path(torch.__file__).parent) + sep, str(Path(__file__).parent) + sep)
_CUTS = {name: f"{name}()" for name in ("detach", "detach_", "item", "tolist", "numpy", "register_hook")}
_CUTS |= {"__float__": "float()", "__get__": ".data"}
_LEAVES = {"item", "tolist", "numpy", "__float__", "__array__", "__dlpack__", "data_ptr"}


class Watch(TorchFunctionMode):
    """Notes the `parameters` that are used, and with the caller's line as `causes` what cuts a gradient off, takes
    values out of autograd's sight or depends on the training mode, and as `unseen` where values leave PyTorch."""

    def __init__(self) -> None:
        super().__init__()
        self.parameters: dict[int, nn.Parameter] = {}
        self.causes: dict[str, None] = {}
        self.unseen: dict[str, None] = {}

    def __torch_function__(self, func: Callable, types: object, args: tuple = (), kwargs: dict | None = None) -> Any:
        name, given, cause = getattr(func, "__name__", ""), kwargs or {}, ""
        if sys._getframe(1).f_code.co_filename.startswith(_SKIPPED[1]):  # what puts things back is none of its own
            return func(*args, **given)
        self._note((*args, *given.values()))
        if name in _LEAVES and args[0].dtype in FLOATS:
            self.unseen[f"{name}(){_place()}"] = None
        if args and isinstance(args[0], Tensor) and args[0].requires_grad:
            is_data = getattr(func, "__self__", None) is Tensor.data
            cause = _CUTS.get(name, "") if is_data or name != "__get__" else ""
        if name == "_set_grad_enabled" and args == (False,):
            cause = "no_grad()"
        # dropout(x, p, training), batch_norm(x, mean, var, weight, bias, training)
        if ("dropout" in name or name == "batch_norm") and given.get("training", any(v is True for v in args[2:6:3])):
            cause = f"{name} in training mode"
        if cause or torch.is_inference_mode_enabled():
            self.causes[f"{cause or 'inference_mode()'}{_place()}"] = None
        return func(*args, **given)

    def _note(self, values: Iterable[object]) -> None:
        for one in values:
            if isinstance(one, nn.Parameter) and one.dtype in FLOATS:
                self.parameters[id(one)] = one
            elif isinstance(one, list | tuple):
                self._note(one)


def _place() -> str:
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(_SKIPPED):
        frame = frame.f_back
    return f" at {Path(frame.f_code.co_filename).name}:{frame.f_lineno}"


def custom_backwards(y: Tensor) -> list[str]:
    """Return the classes of `autograd.Function` in the graph of y, other than PyTorch's own."""
    found, todo = set[Any](), {y.grad_fn}
    while todo := todo - found - {None}:
        found |= todo
        todo = {following for node in todo for following, _ in node.next_functions}
    classes = {getattr(node, "_forward_cls", Tensor) for node in found}
    return sorted(f"{one.__name__}.backward" for one in classes if one.__module__.split(".")[0] != "torch")
