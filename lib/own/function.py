"""What was brought, as a function of what is differentiated, in its own dtype or in another one throughout.

A module is run as a deep copy. A function is run as it is: every module that it calls has other buffers meanwhile,
and its mode put back, and no gradient is written into its parameters. Each run draws the same random numbers, which are
those that the caller's next draw would get, and leaves them there.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from copy import deepcopy
from inspect import getclosurevars, isfunction
from threading import get_ident
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.overrides import TorchFunctionMode

from lib.network.jacobians import METHODS
from lib.own.refused import FLOATS, MOST_ENTRIES, Call, RefusedError, failed, parameters_of, result_of

Points = tuple[Tensor, ...]


class Function:
    """The result as a function of `points`, which have `names`: the floats among the inputs, or the parameters.

    Raises `RefusedError` if a run fails or gives no tensor of floats.
    """

    def __init__(self, call: Call, x: Points, of: str) -> None:
        self.name = getattr(call, "__name__", type(call).__name__)
        call = getattr(call, "_orig_mod", call)  # of torch.compile, whose code cannot be computed in another dtype
        try:
            self._call = deepcopy(call) if isinstance(call, nn.Module) else call
        except Exception as error:
            raise failed("A deep copy of the network", error) from error
        self.of, self.inputs = of, tuple(one.detach().clone() for one in x)
        self._networks = _networks(self._call)
        self._parameters = parameters_of(self._networks)
        self.mean_of = 0
        self._held: dict[torch.dtype | None, dict[str, Tensor]] = {None: {}}
        if of == "input":
            floats = {f"x[{k}]": one for k, one in enumerate(self.inputs) if one.dtype in FLOATS}
            self.points, self.names = tuple(floats.values()), ("x",) if len(self.inputs) == 1 else tuple(floats)
        else:
            named = {name: one for name, one in self._parameters.items() if one.requires_grad}
            if not named:
                raise RefusedError("The network has no parameters that require a gradient.")
            self.points, self.names = tuple(one.detach().clone() for one in named.values()), tuple(named)

    def __call__(self, points: Points, dtype: torch.dtype | None = None) -> Tensor:
        """Run at the points; with a dtype, compute in it whatever the network asks for."""
        mode = nullcontext() if dtype is None else InDtype(dtype)
        if dtype is not None:
            points = tuple(point.to(dtype) for point in points)
        given = iter(points if self.of == "input" else [one for one in self.inputs if one.dtype in FLOATS])
        x = tuple(next(given).to(dtype or one.dtype) if one.dtype in FLOATS else one for one in self.inputs)
        if dtype not in self._held:
            self._held[dtype] = {name: one.detach().to(dtype) for name, one in self._parameters.items()}
        held = self._held[dtype]
        if self.of == "parameters":
            held = held | dict(zip(self.names, points, strict=True))
        devices = {one.device for one in (*points, *x) if one.device.type == "cuda"}
        try:
            with torch.random.fork_rng(devices), _put_back(), self._holding(held), mode:
                y = self._call(*x)
        except Exception as error:
            raise failed("The network", error) from error
        return result_of(y)

    @contextmanager
    def _holding(self, held: Mapping[str, Tensor]) -> Iterator[None]:
        """Give the networks these parameters, wherever one is used; `functional_call` does so too, but slowly."""
        others = {id(self._parameters[name]): one for name, one in held.items()}
        changed = [
            (module._parameters, name, one)
            for network in (self._networks.values() if held else ())
            for module in network.modules()
            for name, one in module._parameters.items()
            if id(one) in others
        ]
        try:
            for parameters, name, one in changed:
                parameters[name] = others[id(one)]  # type: ignore[assignment]
            yield
        finally:
            for parameters, name, one in changed:
                parameters[name] = one

    def backward(self, dtype: torch.dtype | None = None) -> tuple[Points, Tensor]:
        """Return the gradient of the sum of all results by a real `backward(ones)`, and the result."""
        leaves = tuple((one if dtype is None else one.to(dtype)).clone().requires_grad_() for one in self.points)
        y = self(leaves, dtype)
        if not y.requires_grad:
            raise RefusedError(
                f"No gradient path leads from the {self.of} to the result: it does not depend on it, or all of it is "
                "cut off by detach(), no_grad() or an operation without a derivative."
            )
        self.mean_of = _mean_of(y)
        try:
            y.backward(torch.ones_like(y), inputs=leaves)  # so that nothing reaches the caller's own leaves
        except Exception as error:
            raise failed("backward()", error) from error
        return tuple(torch.zeros_like(leaf) if leaf.grad is None else leaf.grad for leaf in leaves), y

    def summed_jacobian(self, method: str, outputs: int, dtype: torch.dtype | None = None) -> Points:
        """Return the Jacobian by a method of the project's table, summed over all results."""
        sizes = [point.numel() for point in self.points]
        if outputs * sum(sizes) > MOST_ENTRIES and method != "summed-output":
            raise RefusedError(
                f"The Jacobian would have {outputs:,} × {sum(sizes):,} entries: at most {MOST_ENTRIES:,} are allowed; "
                'method="summed-output" needs only one row.'
            )
        dtypes = [point.dtype if dtype is None else dtype for point in self.points]
        widest = min(dtypes, key=lambda one: torch.finfo(one).eps)

        def of_all(flat: Tensor) -> Tensor:
            parts = zip(flat.split(sizes), self.points, dtypes, strict=True)
            return self(tuple(part.reshape(one.shape).to(own).clone() for part, one, own in parts), dtype).flatten()

        try:
            rows = METHODS[method](of_all, torch.cat([one.detach().flatten().to(widest) for one in self.points]))
        except Exception as error:
            raise failed(method, error) from error
        summed = zip(rows.detach().split(sizes, -1), self.points, dtypes, strict=True)
        return tuple(part.to(own).reshape(-1, *one.shape).sum(0) for part, one, own in summed)


def _mean_of(y: Tensor) -> int:
    """Return of how many terms a scalar result is the mean, by its last step, or 0."""
    node: Any = y.grad_fn
    while node is not None and node.name() in _VIEWS:
        node = node.next_functions[0][0]
    if node is None or y.numel() != 1:
        return 0
    if node.name().startswith("MeanBackward") and hasattr(node, "_saved_self_sym_numel"):
        return int(node._saved_self_sym_numel)
    if getattr(node, "_saved_reduction", 0) != 1:
        return 0
    if not node.name().startswith("NllLoss"):
        return int(node._saved_self.numel())
    # of weighted classes the sum is divided by the weights
    return int((node._saved_target != node._saved_ignore_index).sum()) if node._saved_weight is None else 0


_VIEWS = {"ViewBackward0", "SqueezeBackward0", "UnsqueezeBackward0", "ReshapeAliasBackward0", "ToCopyBackward0"}


def _networks(call: Call) -> dict[str, nn.Module]:
    """Return the networks that a callable is or names."""
    if isinstance(call, nn.Module):
        return {"net": call}
    if not isfunction(call):
        return {}
    named = getclosurevars(call)
    found = {**named.globals, **named.nonlocals}.items()
    return {name: thing for name, thing in found if isinstance(thing, nn.Module)}


@contextmanager
def _put_back() -> Iterator[None]:
    """Give every module that is called meanwhile, however it is reached, copies of its buffers to change."""
    thread, seen = get_ident(), {}

    def look(module: nn.Module, given: object) -> None:
        if id(module) not in seen and get_ident() == thread:  # the watch belongs to the process
            seen[id(module)] = module, module.training, dict(module._buffers)
            module._buffers.update((name, one.clone()) for name, one in module._buffers.items() if one is not None)

    watch = register_module_forward_pre_hook(look)
    try:
        yield
    finally:
        watch.remove()
        for module, training, buffers in seen.values():
            if module.training != training:
                module.training = training
            module._buffers.update(buffers)


class InDtype(TorchFunctionMode):
    """Compute in one dtype, whatever is asked for: every call of PyTorch is given its floats in it."""

    def __init__(self, dtype: torch.dtype) -> None:
        super().__init__()
        self.dtype = dtype

    def __torch_function__(
        self, func: Callable, types: Iterable[type], args: tuple = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        name = getattr(func, "__name__", "")
        if name in ("float", "half", "bfloat16", "double") and args:
            return args[0].to(self.dtype)
        if name in _PLAIN:
            return func(*args, **(kwargs or {}))
        given = {key: self._cast(value) for key, value in (kwargs or {}).items()}
        in_place = name == "__set__" or name.endswith("_") and (not name.startswith("__") or name in _IN_PLACE)
        kept = args[: 1 if in_place else 0]  # what is written into stays the same tensor
        result = func(*kept, *map(self._cast, args[len(kept) :]), **given)
        return result if in_place else self._cast(result)

    def _cast(self, value: Any) -> Any:
        if isinstance(value, Tensor):
            return value.to(self.dtype) if value.dtype in FLOATS and value.dtype != self.dtype else value
        if isinstance(value, torch.dtype):
            return self.dtype if value in FLOATS else value
        return type(value)(map(self._cast, value)) if type(value) in (list, tuple) else value


_PLAIN = {"__get__", "__getitem__", "size", "dim", "requires_grad_", "detach", "typename"}
_IN_PLACE = {"__setitem__", "__iadd__", "__isub__", "__imul__", "__itruediv__", "__ipow__"}
