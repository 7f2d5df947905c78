"""What was brought, as a function of what is differentiated, in its own dtype or in another one throughout.

Whatever modules it calls, however it reaches them, are left as they were: in every run each has other buffers and its
state put back, no gradient is written into its parameters, and what it writes into these is undone in the end. A deep
copy would take longer than one backward and one Jacobian of a small network, and a function has none. Each run draws
the same random numbers, which are those that the caller's next draw would get, and leaves them there.

A network may fix a dtype inside, as in `x.float() @ w`, where `.double()` does not reach. What sees every call of
PyTorch does, and it also sees what autograd does not: values that leave its sight. So a first run is watched.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import cache
from os import sep
from pathlib import Path
from threading import get_ident
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.functional import jacobian
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.overrides import TorchFunctionMode

from lib.experiment.choices import DTYPES
from lib.floats.quantities import listed

Points = tuple[Tensor, ...]
FLOATS = tuple(getattr(torch, name) for name in DTYPES)
"""The dtypes of what is differentiated."""

_AS_THEY_ARE = {"__get__", "__getitem__", "size", "dim", "requires_grad_", "detach", "typename"}
_IN_PLACE = {"__set__", "__setitem__", "__iadd__", "__isub__", "__imul__", "__itruediv__", "__ipow__"}


class Throughout(TorchFunctionMode):
    """Give every call others in place of the tensors with these ids, and with a dtype all its floats in that."""

    def __init__(self, others: Mapping[int, Tensor], dtype: torch.dtype | None) -> None:
        super().__init__()
        self.others, self.dtype = others, dtype

    def __torch_function__(
        self, func: Callable, types: Iterable[type], args: tuple = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        name, (first, *rest) = getattr(func, "__name__", ""), args or (None,)
        if name in ("float", "half", "bfloat16", "double") and self.dtype:
            return self._given(first)
        given = {key: self._given(value) for key, value in (kwargs or {}).items()}
        in_place = name in _IN_PLACE or name.endswith("_") and not name.startswith("__")
        if in_place or name in _AS_THEY_ARE or not args:  # what is written into stays the same tensor
            return func(*[self.others.get(id(one), one) for one in args[:1]], *map(self._given, rest), **given)
        return self._given(func(*map(self._given, args), **given))

    def _given(self, value: Any) -> Any:
        if isinstance(value, Tensor):
            value = self.others.get(id(value), value)
            kept = self.dtype in (None, value.dtype) or value.dtype not in FLOATS
            return value if kept else value.to(self.dtype)
        if isinstance(value, torch.dtype):
            return self.dtype if self.dtype and value in FLOATS else value
        return type(value)(map(self._given, value)) if type(value) in (list, tuple) else value


_SKIPPED = (str(Path(torch.__file__).parent) + sep, str(Path(__file__).parent) + sep)
_CUTS = {name: f"{name}()" for name in ("detach", "detach_", "item", "tolist", "numpy", "register_hook")}
_CUTS |= {"__float__": "float()", "__get__": ".data"}


class Watch(TorchFunctionMode):
    """Notes the `parameters` that are used, and as `causes`, with the caller's line, what cuts a gradient off, takes
    values out of autograd's sight or depends on the training mode."""

    def __init__(self) -> None:
        super().__init__()
        self.parameters: dict[int, nn.Parameter] = {}
        self.causes: dict[str, None] = {}

    def __torch_function__(
        self, func: Callable, types: Iterable[type], args: tuple = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        name, given, cause = getattr(func, "__name__", ""), kwargs or {}, ""
        if sys._getframe(1).f_code.co_filename == __file__:  # what is done here to put things back is none of its own
            return func(*args, **given)
        self._note((*args, *given.values()))
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
    found: dict[Any, type] = {}
    todo = [y.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in found:
            found[node] = getattr(node, "_forward_cls", Tensor)
            todo += [following for following, _ in node.next_functions]
    return [f"{custom.__name__}.backward" for custom in found.values() if custom.__module__.split(".")[0] != "torch"]


MOST_ENTRIES = 2**27
"""Of a Jacobian: 1 GiB in float64."""


class RefusedError(ValueError, TypeError):
    """What was brought cannot be compared; one sentence says why."""


class OwnFunction:
    """The result as a function of `points`, which have `names`: the floats among the inputs, or the parameters.

    `value` is the result of the watched run, and `causes` are what may keep its gradient from being right.
    """

    def __init__(self, call: Callable[..., Tensor], x: Points, of: str, left: ExitStack) -> None:
        self.name, self.of, self.inputs = getattr(call, "__name__", type(call).__name__), of, x
        self._call = getattr(call, "_orig_mod", call)  # of torch.compile, which cannot be computed in another dtype
        self._modules: list[nn.Module] = []
        self.names = ("x",) if len(x) == 1 else tuple(f"x[{k}]" for k, one in enumerate(x) if one.dtype in FLOATS)
        self.points = self._floats = tuple(one for one in x if one.dtype in FLOATS)
        watch, names = Watch(), dict[int, str]()
        y = self._watched((_leaves if of == "input" else _copies)(self.points, None), watch, names, left)
        self.value, self.causes = y.detach(), watch.causes | dict.fromkeys(custom_backwards(y))
        self._in = cache(lambda dtype: {key: one.detach().to(dtype) for key, one in watch.parameters.items()})
        self._asked = [key for key, one in watch.parameters.items() if one.requires_grad and of == "parameters"]
        if of == "parameters":
            self.names = tuple(names.get(key, f"parameter {k}") for k, key in enumerate(self._asked))
            self.points = tuple(watch.parameters[key].detach() for key in self._asked)

    def __call__(self, points: Points, dtype: torch.dtype | None = None) -> Tensor:
        """Run at the points; with a dtype, compute in it whatever the network asks for."""
        others = self._in(dtype) if dtype else {}
        if self.of == "parameters":
            others, points = others | dict(zip(self._asked, points, strict=True)), _copies(self._floats, dtype)
        mode = Throughout(others, dtype) if others or dtype else nullcontext()
        return self._run(points, mode, [_kept(module) for module in self._modules])

    def _watched(self, points: Points, watch: Watch, names: dict[int, str], left: ExitStack) -> Tensor:
        kept: list[tuple[dict, dict]] = []
        thread = get_ident()

        def look(module: nn.Module, given: object) -> None:
            if not any(one is module for one in self._modules) and get_ident() == thread:  # the hook is the process's
                self._modules.append(module)
                kept.append(_kept(module))
                for name, one in module.named_parameters():
                    if id(one) not in names:
                        names[id(one)] = f"{type(module).__name__}.{name}"
                        left.callback(one.data.copy_, one.detach().clone())

        hook = register_module_forward_pre_hook(look)
        try:
            return self._run(points, watch, kept)
        finally:
            hook.remove()

    def _run(self, points: Points, mode: AbstractContextManager, kept: list[tuple[dict, dict]]) -> Tensor:
        given = iter(points)
        x = [next(given) if one.dtype in FLOATS else one for one in self.inputs]
        try:
            with torch.random.fork_rng({one.device for one in x if one.is_cuda}), mode:
                y: Any = self._call(*x)
        finally:
            for state, before in kept:
                state.clear()
                state.update(before)
        if not isinstance(y, Tensor) or y.dtype not in FLOATS or not y.numel():
            allowed = f"allowed is one tensor of {listed(DTYPES)}; pick it, as in lambda x: net(x)[0]."
            raise RefusedError(f"The network returns {kind_of(y)}: {allowed}")
        return y

    def backward(self, dtype: torch.dtype | None = None) -> tuple[Points, Tensor]:
        """Return the gradient of the sum of all results by a real `backward(ones)`, and the result."""
        at = _leaves(self.points, dtype)
        y = self(at, dtype)
        if y.requires_grad:
            y.backward(torch.ones_like(y), inputs=at)  # so that nothing reaches the caller's own leaves
        if dtype is None and not torch.equal(y.nan_to_num(), self.value.nan_to_num()):
            self.causes["another result each time it is run"] = None
        if all(leaf.grad is None for leaf in at):
            raise RefusedError(
                f"No gradient path leads from the {self.of} to the result: it does not depend on it, or all of it is "
                "cut off by detach(), no_grad() or an operation without a derivative."
            )
        return tuple(torch.zeros_like(leaf) if leaf.grad is None else leaf.grad for leaf in at), y.detach()

    def summed_jacobian(self, dtype: torch.dtype | None = None) -> tuple[Points, Tensor]:
        """Return the Jacobian by `torch.autograd.functional.jacobian`, summed over all results, and the result."""
        entries = self.value.numel() * sum(one.numel() for one in self.points)
        if entries > MOST_ENTRIES:
            raise RefusedError(f"The Jacobian would have {entries:,} entries: at most {MOST_ENTRIES:,} are allowed.")
        rows = jacobian(lambda *points: self(points, dtype).flatten(), _leaves(self.points, dtype))
        return tuple(part.sum(0) for part in rows), self.value


def _copies(points: Points, dtype: torch.dtype | None) -> Points:
    return tuple(one.to(dtype or one.dtype, copy=True) for one in points)


def _leaves(points: Points, dtype: torch.dtype | None) -> Points:
    return tuple(one.requires_grad_() for one in _copies(points, dtype))


def _kept(module: nn.Module) -> tuple[dict, dict]:
    """Give a module copies of its buffers to change; return its state, and what that was before."""
    state, before = vars(module), dict(vars(module))
    state["_buffers"] = {name: one if one is None else one.clone() for name, one in module._buffers.items()}
    return state, before


def kind_of(thing: object) -> str:
    """Say what was given, for a refusal."""
    if isinstance(thing, Tensor):
        return f"{str(thing.dtype).removeprefix('torch.')} of shape {tuple(thing.shape)} on the device {thing.device}"
    return "None" if thing is None else f"a {type(thing).__name__}"
