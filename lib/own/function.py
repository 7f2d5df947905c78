"""The network as a function of its input or its parameters, in any dtype throughout.

The modules that it calls, however it reaches them, are left as they were: each run has copies of
their buffers and parameters, and puts their attributes back. Other changes persist, such as a list
to which a module appends. A deep copy would take longer than one backward and one Jacobian of a
small network, and a function has none. Each run draws the random numbers of PyTorch that the caller
would draw next, and the generator is then put back. Python's and NumPy's generators, and others, go
on.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from threading import get_ident
from typing import Any

import torch
from torch import Tensor, nn
from torch.compiler import set_stance
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.nn.utils import vector_to_parameters

from lib.experiment.choices import DTYPES
from lib.floats.quantities import listed
from lib.own.refusal import RefusedError, kind_of, stage
from lib.own.throughout import Throughout, cast, copy_buffers
from lib.own.watch import FLOATS, Seen, Watch, nodes, watch_backward

MOST_ENTRIES = 2**27
"""Of a Jacobian: 1 GiB in float64."""

Dtype = torch.dtype | None
"""Of every operation, or None for the network's own."""

_ALLOWED = f"allowed is {listed(DTYPES, 'or')}"


class OwnFunction:
    """The result as a function of `tensors`, with `names`: those of the input, or parameters.

    `value` is the result in the network's own dtype, without `torch.compile`.

    Args:
        call: the network.
        x: its inputs.
        of: what is differentiated, the "input" or the "parameters".
        seen: to be filled with what each run shows.

    Raises:
        RefusedError: if the network fails, or what it returns or uses is no tensor of real floats.
    """

    def __init__(
        self, call: Callable[..., Tensor], x: tuple[Tensor, ...], of: str, seen: Seen
    ) -> None:
        self.of = of
        self._call = call
        self._inputs = x
        self._seen = seen
        self._modules: dict[nn.Module, dict] = {}  # that it calls, with their state
        self._held: dict[Tensor, tuple] = {}  # parameters, with data and gradient
        self._asked: list[Tensor] = []
        self._needs_mode: bool | None = None  # until the first run in another dtype shows it
        watch = Watch(seen)
        self._learn(watch)
        if of == "input":
            names = ["x"] if len(x) == 1 else [f"x[{k}]" for k in range(len(x))]
            inputs = zip(names, x, strict=True)
            tensors = [(name, part) for name, part in inputs if part.dtype in FLOATS]
        else:
            used = [part for part in watch.parameters if part.requires_grad]
            # two ways may use them in different orders
            self._asked = sorted(used, key=lambda part: (seen.names[part], id(part)))
            tensors = [(seen.names[part], part.data) for part in self._asked]
        for name, tensor in tensors:
            if tensor.dtype not in FLOATS:
                raise RefusedError(f"{name} is {kind_of(tensor)}: {_ALLOWED}.")
        self.names = [name for name, _ in tensors]
        self.tensors = [tensor for _, tensor in tensors]

    def _learn(self, watch: Watch) -> None:
        """Run once to learn what the network uses, and its value."""
        thread = get_ident()

        def look(module: nn.Module, given: object) -> None:
            if get_ident() != thread:  # the hook is the process's
                return
            if module not in self._modules:
                # outside of the transforms of torch.func, where PyTorch crashes, and of the watch
                with ThreadPoolExecutor(1) as outside:
                    outside.submit(self._keep, module).result()

        with register_module_forward_pre_hook(look), set_stance("force_eager"):
            self.value = self.value_at(around=watch)
        for part in watch.parameters:
            self._held.setdefault(part, (part.data, part.grad))
            self._seen.names.setdefault(part, "parameter")

    def _keep(self, root: nn.Module) -> None:
        if any(map(nn.parameter.is_lazy, root.parameters())):
            raise RefusedError("A parameter has no shape yet: call the network once before.")
        for module in root.modules():
            if isinstance(module, torch.jit.ScriptModule):
                raise RefusedError("A ScriptModule cannot be compared: take what it was made from.")
            if module not in self._modules:
                self._modules[module] = dict(vars(module))
                copy_buffers(module, None)
        for name, part in root.named_parameters():
            if isinstance(part, nn.Parameter) and part not in self._held:
                self._held[part] = part.data, part.grad
                self._seen.names.setdefault(part, f"{type(root).__name__}.{name}")
                part.data = part.data.clone()
                part.grad = None

    @contextmanager
    def _isolated(self, dtype: Dtype) -> Iterator[None]:
        """Give modules and parameters copies of their numbers, and put everything back."""
        try:
            for module in self._modules:
                copy_buffers(module, dtype)
            for part, (data, _) in self._held.items():
                part.grad = None
                part.data = cast(data.clone(), dtype)
            with torch.random.fork_rng({part.device for part in self._inputs if part.is_cuda}):
                yield
        finally:
            for module, before in self._modules.items():
                vars(module).clear()
                vars(module).update(before)
            for part, (data, gradient) in self._held.items():
                part.data = data
                part.grad = gradient

    @contextmanager
    def _at(
        self,
        dtype: Dtype = None,
        stream: int | None = None,
        point: Tensor | None = None,
        around: AbstractContextManager | None = None,
    ) -> Iterator[tuple[list[Tensor], Tensor]]:
        """Give the leaves and the result; a backward in the context computes as the run does."""
        with ExitStack() as stack:
            stack.enter_context(self._isolated(dtype))
            inputs = [cast(part.clone(), dtype) for part in self._inputs]
            for part in inputs:
                part.requires_grad_(self.of == "input" and part.dtype in FLOATS)
            leaves = self._asked or [part for part in inputs if part.requires_grad]
            if point is not None:
                vector_to_parameters(point, leaves)
            mode = None
            shakes = stream is not None
            if dtype or shakes:
                # compiled code would keep its dtype
                stack.enter_context(set_stance("force_eager"))
            if shakes or dtype and self._needs_mode is not False:
                mode = Throughout(dtype, self.value.dtype, self._seen.unseen, stream)
                stack.enter_context(mode)
            with stage("The network"), around or nullcontext():
                y: Any = self._call(*inputs)
            if not isinstance(y, Tensor) or y.dtype not in FLOATS or not y.numel():
                pick = "pick it, as in lambda x: net(x)[0], or the .abs() of complex numbers"
                raise RefusedError(f"The network returns {kind_of(y)}: {_ALLOWED}; {pick}.")
            yield leaves, y
            if dtype and self._needs_mode is None:
                # The first run has a backward. If the mode changed nothing, later runs need none.
                self._needs_mode = mode.changed

    def value_at(self, dtype: Dtype = None, **how: Any) -> Tensor:
        """Return the result."""
        with self._at(dtype, **how) as (_, y):
            return y.detach()

    def backward(self, dtype: Dtype = None, **how: Any) -> list[Tensor]:
        """Return the result, and the gradients of its sum by a real `backward(ones)`.

        Args:
            dtype: of every operation, or None for the network's own.
            stream: the number of a stream of random numbers, to imitate rounding.
            point: the numbers of all `tensors`, in place of the function's own, of the dtype.
        """
        with self._at(dtype, **how) as (leaves, y), stage("compare()'s backward()"):
            for node in nodes(y):
                if hasattr(node, "_forward_cls"):
                    self._seen.causes[f"{node._forward_cls.__name__}.backward"] = None
            if y.requires_grad and leaves:
                # inputs: so that nothing reaches the caller's own leaves
                y.backward(torch.ones_like(y), inputs=leaves)
            if all(leaf.grad is None for leaf in leaves):
                path = f"No gradient path leads from the {self.of} to the result"
                why = "nothing depends on it, detach() cuts it off, or torch.func hides it"
                raise RefusedError(f"{path}: {why}.")
            gradients = [
                torch.zeros_like(leaf) if leaf.grad is None else leaf.grad.to_dense()
                for leaf in leaves
            ]
            return [y.detach(), *gradients]

    def summed_jacobian(self, dtype: Dtype = None) -> list[Tensor]:
        """Return the result, and its Jacobian, row by row and summed over the rows."""
        entries = self.value.numel() * sum(part.numel() for part in self.tensors)
        if entries > MOST_ENTRIES:
            raise RefusedError(f"The Jacobian has {entries:,} entries, more than {MOST_ENTRIES:,}.")
        with self._at(dtype) as (leaves, y), stage("torch.autograd.grad"):
            flat = y.flatten()
            # not by iteration: through unbind each row would build the gradient of all results
            rows = [
                torch.autograd.grad(flat[k], leaves, retain_graph=True, materialize_grads=True)
                for k in range(len(flat))
            ]
            columns = zip(*rows, strict=True)
            return [y.detach(), *(torch.stack(part).sum(0).to_dense() for part in columns)]

    def beginning(self) -> str:
        """Return a sentence on where the first NaN or infinity begins, or nothing."""
        watch = Watch(Seen(), looks=True)
        with self._at(around=watch) as (leaves, y):
            places = watch_backward(y)
            torch.autograd.grad(y, leaves, torch.ones_like(y), allow_unused=True)
        if self.value.isfinite().all():
            return "".join(places[:1])
        first = watch.first.get("NaN" if self.value.isnan().any() else "infinity")
        return first or "".join(places[:1])
