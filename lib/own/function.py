"""What was brought, as a function of what is differentiated, in its own dtype or in another one throughout.

Whatever modules it calls, however it reaches them, are left as they were: during a run they have other buffers, their
parameters hold other numbers, and their state is put back. A deep copy would take longer than one backward and one
Jacobian of a small network, and a function has none. Each run draws the same random numbers, which are those that the
caller's next draw would get, and leaves them there.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from threading import get_ident
from types import MappingProxyType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_pre_hook

from lib.experiment.choices import DTYPES
from lib.floats.quantities import listed
from lib.own.modes import Throughout, Watch, graph_of

FLOATS = tuple(getattr(torch, name) for name in DTYPES)
"""The dtypes of what is differentiated."""

MOST_ENTRIES = 2**27
"""Of a Jacobian: 1 GiB in float64."""

Points = tuple[Tensor, ...]
Shifts = Mapping[Tensor, Tensor]
Side = tuple[Points, Points]
"""The result, and the gradient of its sum."""


class RefusedError(ValueError, TypeError):
    """What was brought cannot be compared; one sentence says why."""


class OwnFunction:
    """The result as a function of `points`, which have `names`: the floats among the inputs, or the parameters of the
    modules that it calls and other leaves that it uses. `causes` are what may keep its gradient from being right.
    """

    def __init__(self, call: Callable[..., Tensor], x: Points, of: str) -> None:
        self.name = getattr(call, "__name__", type(call).__name__)
        self._call = getattr(call, "_orig_mod", call)  # of torch.compile, which cannot be computed in another dtype
        self._x = [one.detach().clone().requires_grad_(of == "input" and one.dtype in FLOATS) for one in x]
        self._names = {one: "x" if len(x) == 1 else f"x[{k}]" for k, one in enumerate(self._x)}  # of all it uses
        self._changed = False  # whether it asks for another dtype than it is to have
        with self._running(watch := Watch()) as y:
            (leaves, self._custom), self._value = graph_of(y), y.detach()
        self.causes = watch.causes | dict.fromkeys(self._custom)
        self._names |= {leaf: "a tensor" for leaf in leaves if leaf not in self._names}
        used = [*self._names][slice(len(x)) if of == "input" else slice(len(x), None)]
        self.points = tuple(one for one in used if one.requires_grad and one.dtype in FLOATS)
        self.names = [self._names[one] for one in self.points]
        if {*self.points}.isdisjoint(leaves):
            cut = "it does not depend on it, or detach(), no_grad() or an operation without a derivative cuts it off."
            raise RefusedError(f"No gradient path leads from the {of} to the result: {cut}")

    def sides(self, dtype: torch.dtype | None = None, jacobian: bool = False, shaken: bool = False) -> list[Side]:
        """Return the result with its gradient by `backward(ones)`, and if asked for the same with the Jacobian summed
        over all results; in a dtype throughout, if one is given, or `shaken` by as much as rounding can do."""
        entries = self._value.numel() * sum(one.numel() for one in self.points)
        if jacobian and entries > MOST_ENTRIES:
            raise RefusedError(f"The Jacobian would have {entries:,} entries: at most {MOST_ENTRIES:,} are allowed.")
        mode = Throughout(dtype) if dtype or shaken else None
        with self._running(mode or nullcontext(), dtype) as y:
            if not mode and not torch.equal(y.nan_to_num(), self._value.nan_to_num()):
                self.causes["another result each time it is run"] = None
            changed = mode if mode and (mode.changed or self._custom) else None  # PyTorch's own backward asks for none
            self._changed |= bool(changed)
            grad = partial(torch.autograd.grad, inputs=self.points, retain_graph=jacobian, materialize_grads=True)
            with changed or nullcontext():
                found = [grad(y, grad_outputs=torch.ones_like(y))]
                if jacobian:  # as `torch.autograd.functional.jacobian` computes it
                    flat = y.flatten()
                    rows = [grad(flat[k]) for k in range(len(flat))]
                    found.append(tuple(torch.stack(part).sum(0) for part in zip(*rows, strict=True)))
            return [((y.detach(),), one) for one in found]

    def moved(self, direction: Sequence[Tensor], step: float) -> Tensor:
        """Return the result in float64 throughout, so many times the direction away from the points."""
        shifts = {point: step * d for point, d in zip(self.points, direction, strict=True)}
        mode = Throughout(torch.float64) if self._changed else nullcontext()
        with self._running(mode, torch.float64, shifts) as y:
            return y.detach()

    @contextmanager
    def _running(
        self, mode: AbstractContextManager, dtype: torch.dtype | None = None, shifts: Shifts = MappingProxyType({})
    ) -> Iterator[Tensor]:
        """Yield the result. Meanwhile all tensors have the dtype, if one is given, and are shifted."""
        thread, states, lent = get_ident(), dict[nn.Module, dict](), dict[Tensor, Tensor]()

        def lend(one: Tensor) -> None:
            if one not in lent:
                lent[one] = one.data
                other = one.detach().to(dtype if dtype and one.dtype in FLOATS else one.dtype, copy=True)
                one.data = other + shifts[one] if one in shifts else other

        def look(module: nn.Module, given: object) -> None:
            if module in states or get_ident() != thread:  # the hook is the process's
                return
            with torch._C.DisableTorchFunction():
                for part in module.modules():
                    states[part] = dict(vars(part))
                    vars(part).update({key: one.copy() for key, one in states[part].items() if type(one) is dict})
                for name, one in [*module.named_parameters(), *module.named_buffers()]:
                    self._names.setdefault(one, f"{type(module).__name__}.{name}")
                    lend(one)

        hook = register_module_forward_pre_hook(look)
        try:
            for one in self._names:
                lend(one)
            with torch.random.fork_rng({one.device for one in self._x if one.is_cuda}):
                with mode:
                    y: Any = self._call(*self._x)
                if not isinstance(y, Tensor) or y.dtype not in FLOATS or not y.numel():
                    allowed = f"allowed is one tensor of {listed(DTYPES)}; pick it, as in lambda x: net(x)[0]."
                    raise RefusedError(f"The network returns {kind_of(y)}: {allowed}")
                yield y
        finally:
            hook.remove()
            for module, state in states.items():
                vars(module).clear()
                vars(module).update(state)
            for one, data in lent.items():
                one.data = data


def kind_of(thing: object) -> str:
    """Say what was given, for a refusal."""
    if isinstance(thing, Tensor):
        return f"{str(thing.dtype).removeprefix('torch.')} of shape {tuple(thing.shape)} on the device {thing.device}"
    return "None" if thing is None else f"a {type(thing).__name__}"
