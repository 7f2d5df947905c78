"""What was brought, as a function of what is differentiated, in its own dtype or in another one throughout.

Whatever modules it calls, however it reaches them, are left as they were: in every run each has other buffers and its
state put back, no gradient is written into its parameters, and what it writes into these is undone in the end. A deep
copy would take longer than one backward and one Jacobian of a small network, and a function has none. Each run draws
the same random numbers, which are those that the caller's next draw would get, and leaves them there.
"""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import cache
from threading import get_ident
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.functional import jacobian
from torch.nn.modules.module import register_module_forward_pre_hook

from lib.experiment.choices import DTYPES
from lib.floats.quantities import listed
from lib.own.throughout import Replaced, Throughout
from lib.own.watch import FLOATS, Watch, custom_backwards

Points = tuple[Tensor, ...]
MOST_ENTRIES = 2**27
"""Of a Jacobian: 1 GiB in float64."""


class RefusedError(ValueError, TypeError):
    """What was brought cannot be compared; one sentence says why."""


class OwnFunction:
    """The result as a function of `points`, which have `names`: the floats among the inputs, or the parameters.

    `value` is the result of the watched run, and `causes` are what may keep its gradient from being right. `unseen` is
    where it computes in a dtype that cannot be changed or is not known.
    """

    def __init__(self, call: Callable[..., Tensor], x: Points, of: str, left: ExitStack) -> None:
        self.name, self.of, self.inputs = getattr(call, "__name__", type(call).__name__), of, x
        self._call = getattr(call, "_orig_mod", call)  # of torch.compile, which cannot be computed in another dtype
        self._modules: dict[int, tuple[nn.Module, dict]] = {}  # that it calls, with their state
        self.names = ("x",) if len(x) == 1 else tuple(f"x[{k}]" for k, one in enumerate(x) if one.dtype in FLOATS)
        self.points = self._floats = tuple(one for one in x if one.dtype in FLOATS)
        watch, names = Watch(), dict[int, str]()
        y = self._watched((_leaves if of == "input" else _copies)(self.points, None), watch, names, left)
        self.value, self.causes = y.detach(), watch.causes | dict.fromkeys(custom_backwards(y))
        self.unseen = watch.unseen
        self._as_it_is: set[torch.dtype | None] = {None}  # the dtypes in which it computes without a change
        given = watch.parameters | {id(one): one for one in self._floats}
        self._in = cache(lambda dtype: {key: one.detach().to(dtype) for key, one in given.items()})
        self._asked = [key for key, one in watch.parameters.items() if one.requires_grad and of == "parameters"]
        if of == "parameters":
            self.names = tuple(names.get(key, f"parameter {k}") for k, key in enumerate(self._asked))
            self.points = tuple(watch.parameters[key].detach() for key in self._asked)

    def __call__(self, points: Points, dtype: torch.dtype | None = None) -> Tensor:
        """Run at the points, with parameters of a dtype if one is given."""
        others = self._in(dtype) if dtype else {}
        if self.of == "parameters":
            others = others | dict(zip(self._asked, points, strict=True))
            points = _copies([others.get(id(one), one) for one in self._floats], dtype)
        mode = Replaced(others) if others else nullcontext()
        return self._run(points, mode)

    def _watched(self, points: Points, watch: Watch, names: dict[int, str], left: ExitStack) -> Tensor:
        thread = get_ident()

        def look(module: nn.Module, given: object) -> None:
            if id(module) not in self._modules and get_ident() == thread:  # the hook is the process's
                self._modules[id(module)] = module, dict(vars(module))
                _give_other_buffers(module)
                for name, one in module.named_parameters():
                    if id(one) not in names:
                        names[id(one)] = f"{type(module).__name__}.{name}"
                        left.callback(one.data.copy_, one.detach().clone())

        hook = register_module_forward_pre_hook(look)
        try:
            return self._run(points, watch)
        finally:
            hook.remove()

    def _run(self, points: Points, mode: AbstractContextManager) -> Tensor:
        for module, _ in self._modules.values():
            _give_other_buffers(module)
        given = iter(points)
        x = [next(given) if one.dtype in FLOATS else one for one in self.inputs]
        try:
            with torch.random.fork_rng({one.device for one in x if one.is_cuda}), mode:
                y: Any = self._call(*x)
        finally:
            for module, before in self._modules.values():
                vars(module).clear()
                vars(module).update(before)
        if not isinstance(y, Tensor) or y.dtype not in FLOATS or not y.numel():
            allowed = f"allowed is one tensor of {listed(DTYPES)}; pick it, as in lambda x: net(x)[0]."
            raise RefusedError(f"The network returns {kind_of(y)}: {allowed}")
        return y

    def throughout(self, dtype: torch.dtype | None) -> AbstractContextManager:
        """Compute in a dtype, whatever the network asks for."""
        if dtype:
            self._in(dtype)  # what is ready takes no change
        return nullcontext() if dtype in self._as_it_is else Throughout(dtype)

    def backward(self, dtype: torch.dtype | None = None, shaken: bool = False) -> tuple[Points, Tensor]:
        """Return the gradient of the sum of all results by a real `backward(ones)`, and the result; `shaken` by as much
        as rounding can do."""
        at = _leaves(self.points, dtype)
        with Throughout(None) if shaken else self.throughout(dtype) as mode:
            y = self(at, dtype)
        follows = mode and (mode.changed or shaken or custom_backwards(y))  # PyTorch's own ask for no dtype
        with mode if follows else nullcontext():
            if y.requires_grad:
                y.backward(torch.ones_like(y), inputs=at)  # so that nothing reaches the caller's own leaves
        if dtype and mode:
            coarser = [one for one in mode.left if torch.finfo(one).eps > torch.finfo(dtype).eps]
            self.unseen |= {f"{str(one)[6:]} that is written into": None for one in coarser}
            self._as_it_is |= set() if mode.changed else {dtype}
        if not (dtype or shaken) and not torch.equal(y.nan_to_num(), self.value.nan_to_num()):
            self.causes["another result each time it is run"] = None
        if all(leaf.grad is None for leaf in at):
            cut = "it does not depend on it, or detach(), no_grad() or an operation without a derivative cuts it off."
            raise RefusedError(f"No gradient path leads from the {self.of} to the result: {cut}")
        return tuple(torch.zeros_like(leaf) if leaf.grad is None else leaf.grad for leaf in at), y.detach()

    def summed_jacobian(self, dtype: torch.dtype | None = None) -> tuple[Points, Tensor]:
        """Return the Jacobian by `torch.autograd.functional.jacobian`, summed over all results, and the result."""
        entries = self.value.numel() * sum(one.numel() for one in self.points)
        if entries > MOST_ENTRIES:
            raise RefusedError(f"The Jacobian would have {entries:,} entries: at most {MOST_ENTRIES:,} are allowed.")
        with self.throughout(dtype):
            rows = jacobian(lambda *points: self(points, dtype).flatten(), _leaves(self.points, dtype))
        return tuple(part.sum(0) for part in rows), self.value


def _copies(points: Iterable[Tensor], dtype: torch.dtype | None) -> Points:
    return tuple(one.to(dtype or one.dtype, copy=True) for one in points)


def _leaves(points: Points, dtype: torch.dtype | None) -> Points:
    return tuple(one.requires_grad_() for one in _copies(points, dtype))


def _give_other_buffers(module: nn.Module) -> None:
    vars(module)["_buffers"] = {name: one if one is None else one.clone() for name, one in module._buffers.items()}


def kind_of(thing: object) -> str:
    """Say what was given, for a refusal."""
    if isinstance(thing, Tensor) and not thing.is_nested:  # which may have no shape
        return f"{str(thing.dtype).removeprefix('torch.')} of shape {tuple(thing.shape)} on the device {thing.device}"
    return "None" if thing is None else f"a {type(thing).__name__}"
