"""The network as a function of its input or its parameters, in any dtype.

NOTE [isolation]: a run leaves every module that it calls as it was: the module has copies of its
buffers and parameters during the run, and gets its own attributes back. Other changes persist, such
as an item appended to a list. A deep copy of a small network would take longer than its gradients,
and a plain function cannot be copied. Each run draws the random numbers that the caller would draw
next: PyTorch's default generators of the CPU and of the inputs' CUDA devices are restored.
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
from lib.own.dtype_mode import DtypeMode, cast, copy_buffers
from lib.own.refusal import RefusedError, kind_of, stage
from lib.own.watch import FLOATS, Seen, Watch, nodes, watch_backward

MOST_ENTRIES = 2**27
"""The most entries of a Jacobian: 1 GiB in float64."""

Dtype = torch.dtype | None
"""The dtype of every operation, or None for the network's own."""

_ALLOWED = f"it must be a tensor of {listed(DTYPES, 'or')}"


def without_class(name: str) -> str:
    """Return the name of a parameter without its first part, the class of the module."""
    return name.partition(".")[2]


class OwnFunction:
    """The network as a function of the tensors with respect to which it is differentiated.

    Args:
        call: the network.
        x: its inputs.
        of: "input" or "parameters": what the tensors are.
        seen: notes of each run are added to it.

    Attributes:
        tensors: the inputs of a floating-point dtype, or the trainable parameters in use.
        names: the names of the tensors.
        leaves: the parameters that are differentiated; empty if `of` is "input".
        value: the result in the network's own dtype, without `torch.compile`.

    Raises:
        RefusedError: if the network fails, if it does not return a tensor of real floats, or if one
            of the tensors is not of real floats.
    """

    def __init__(
        self, call: Callable[..., Tensor], x: tuple[Tensor, ...], of: str, seen: Seen
    ) -> None:
        self.of = of
        self._call = call
        self._inputs = x
        self._seen = seen
        # The modules in use with their attributes, the parameters with their data and gradients.
        self._modules: dict[nn.Module, dict] = {}
        self._saved: dict[Tensor, tuple] = {}
        self.leaves: list[Tensor] = []
        # None before the first run in another dtype.
        self._needs_mode: bool | None = None
        watch = Watch(seen)
        self._learn(watch)
        if of == "input":
            names = ["x"] if len(x) == 1 else [f"x[{k}]" for k in range(len(x))]
            inputs = zip(names, x, strict=True)
            tensors = [(name, part) for name, part in inputs if part.dtype in FLOATS]
        else:
            used = [part for part in watch.parameters if part.requires_grad]
            # Two ways may use them in different orders.
            self.leaves = sorted(used, key=lambda part: (without_class(seen.names[part]), id(part)))
            tensors = [(seen.names[part], part.data) for part in self.leaves]
        for name, tensor in tensors:
            if tensor.dtype not in FLOATS:
                raise RefusedError(f"{name} is {kind_of(tensor)}: {_ALLOWED}.")
        self.names = [name for name, _ in tensors]
        self.tensors = [tensor for _, tensor in tensors]

    def _learn(self, watch: Watch) -> None:
        """Run once to find the modules and parameters in use, and the value."""
        thread = get_ident()

        def look(module: nn.Module, given: object) -> None:
            # The hook is called in every thread.
            if get_ident() != thread:
                return
            if module not in self._modules:
                # Within a transform of torch.func, this would crash PyTorch. Another thread is
                # outside of any transform, and outside of the watch.
                with ThreadPoolExecutor(1) as outside:
                    outside.submit(self._keep, module).result()

        with register_module_forward_pre_hook(look), set_stance("force_eager"):
            self.value = self.value_at(around=watch)
        for part in watch.parameters:
            self._saved.setdefault(part, (part.data, part.grad))
            self._seen.names.setdefault(part, "parameter")

    def _keep(self, root: nn.Module) -> None:
        """Save the state of a module and of all within it, and replace it by copies."""
        if any(map(nn.parameter.is_lazy, root.parameters())):
            raise RefusedError("A parameter has no shape yet: call the network once before.")
        for module in root.modules():
            if isinstance(module, torch.jit.ScriptModule):
                raise RefusedError("A ScriptModule cannot be compared: take the original module.")
            if module not in self._modules:
                self._modules[module] = dict(vars(module))
                copy_buffers(module, None)
        for name, part in root.named_parameters():
            if isinstance(part, nn.Parameter) and part not in self._saved:
                self._saved[part] = part.data, part.grad
                self._seen.names.setdefault(part, f"{type(root).__name__}.{name}")
                part.data = part.data.clone()
                part.grad = None

    @contextmanager
    def _isolated(self, dtype: Dtype) -> Iterator[None]:
        """Give modules and parameters copies in a dtype, then restore them: NOTE [isolation]."""
        try:
            for module in self._modules:
                copy_buffers(module, dtype)
            for part, (data, _) in self._saved.items():
                part.grad = None
                part.data = cast(data.clone(), dtype)
            with torch.random.fork_rng({part.device for part in self._inputs if part.is_cuda}):
                yield
        finally:
            for module, before in self._modules.items():
                vars(module).clear()
                vars(module).update(before)
            for part, (data, gradient) in self._saved.items():
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
        """Run the network. A backward pass within the context uses the same dtype and rounding.

        Args:
            dtype: of every operation, or None for the network's own.
            stream: the number of a stream of random numbers to imitate rounding, or None.
            point: other values for the leaves, flat, in the dtype of the run.
            around: a further context for the call alone.

        Yields:
            The leaves that are differentiated, and the result.
        """
        with ExitStack() as stack:
            stack.enter_context(self._isolated(dtype))
            inputs = [cast(part.clone(), dtype) for part in self._inputs]
            for part in inputs:
                part.requires_grad_(self.of == "input" and part.dtype in FLOATS)
            leaves = self.leaves or [part for part in inputs if part.requires_grad]
            if point is not None:
                vector_to_parameters(point, leaves)
            mode = None
            imitates = stream is not None
            if dtype or imitates:
                # Compiled code would keep its dtype.
                stack.enter_context(set_stance("force_eager"))
            if imitates or dtype and self._needs_mode is not False:
                mode = DtypeMode(dtype, self.value.dtype, self._seen.unreached, stream)
                stack.enter_context(mode)
            with stage("The network"), around or nullcontext():
                y: Any = self._call(*inputs)
            if not isinstance(y, Tensor) or y.dtype not in FLOATS or not y.numel():
                example = "lambda x: net(x)[0], or .abs() of complex numbers"
                raise RefusedError(f"The network returns {kind_of(y)}: {_ALLOWED}; try {example}.")
            yield leaves, y
            if dtype and self._needs_mode is None:
                # The first run has a backward pass. If the mode changed nothing, later runs need no
                # mode.
                self._needs_mode = mode.changed

    def value_at(self, dtype: Dtype = None, **how: Any) -> Tensor:
        """Return the result; the arguments are those of `_at`."""
        with self._at(dtype, **how) as (_, y):
            return y.detach()

    def backward(self, dtype: Dtype = None, finite: bool = False, **how: Any) -> list[Tensor]:
        """Return the result, and the gradients of its sum by `y.backward(torch.ones_like(y))`.

        Args:
            dtype: of every operation, or None for the network's own.
            finite: whether only finite results are summed.
            stream: the number of a stream of random numbers to imitate rounding, or None.
            point: other values for all `tensors`, flat, in the dtype of the run.
        """
        with self._at(dtype, **how) as (leaves, y), stage("compare()'s backward()"):
            for node in nodes(y):
                if hasattr(node, "_forward_cls"):
                    self._seen.causes[f"{node._forward_cls.__name__}.backward"] = None
            if y.requires_grad and leaves:
                # With `inputs`, no gradient is added to other leaves of the caller.
                y.backward(y.isfinite().to(y) if finite else torch.ones_like(y), inputs=leaves)
            if all(leaf.grad is None for leaf in leaves):
                raise RefusedError(
                    f"No gradient path leads from the {self.of} to the result: unused, or cut "
                    "off by detach() or torch.func."
                )
            gradients = [
                torch.zeros_like(leaf) if leaf.grad is None else leaf.grad.to_dense()
                for leaf in leaves
            ]
            return [y.detach(), *gradients]

    def summed_jacobian(self, dtype: Dtype = None) -> list[Tensor]:
        """Return the result, and the sum of the rows of its Jacobian, computed row by row."""
        entries = self.value.numel() * sum(part.numel() for part in self.tensors)
        if entries > MOST_ENTRIES:
            raise RefusedError(f"The Jacobian has {entries:,} entries, more than {MOST_ENTRIES:,}.")
        with self._at(dtype) as (leaves, y), stage("torch.autograd.grad"):
            flat = y.flatten()
            # Iterating over `flat` would call unbind, whose backward pass is slow.
            rows = [
                torch.autograd.grad(flat[k], leaves, retain_graph=True, materialize_grads=True)
                for k in range(len(flat))
            ]
            columns = zip(*rows, strict=True)
            return [y.detach(), *(torch.stack(part).sum(0).to_dense() for part in columns)]

    def beginning(self) -> str:
        """Return a sentence on where the first NaN or infinity begins, or ""."""
        watch = Watch(Seen(), checks_finite=True)
        with self._at(around=watch) as (leaves, y):
            places = watch_backward(y)
            torch.autograd.grad(y, leaves, torch.ones_like(y), allow_unused=True)
        if self.value.isfinite().all():
            return "".join(places[:1])
        first = watch.first.get("NaN" if self.value.isnan().any() else "infinity")
        return first or "".join(places[:1])
