"""The table of Jacobian methods."""

from dataclasses import dataclass

from lib.experiment.choices import Choice


@dataclass(frozen=True)
class Method(Choice):
    """A Jacobian method.

    `call` is how the page writes the method down: Python for one sample, with y = net(x), the
    identity as `eye`, a copy of x per output as `copies`, and a step per input as `h`.

    `mode` is the mode of automatic differentiation: "reverse", "forward" or "none". `gives` says
    what the method returns: the "rows" of the Jacobian, their "sum" as the only row, that sum in
    every row ("sums"), or an "approximation" of the rows.

    `batched` says that reverse mode computes all rows in one pass, in which kernels see other
    shapes than in backward(). `by_operations` says that PyTorch computes the slope of an activation
    by several operations where backward() uses one kernel. It does so if the derivative must itself
    be differentiable, and in forward mode. `bounded` lists the evaluations in which the discrepancy
    has a proved bound, because the forward pass makes the same calls as that of backward(): see
    `reference.bounds`. `options` are the fields of the experiment that the method takes.
    """

    call: str
    mode: str = "reverse"
    gives: str = "rows"
    batched: bool = False
    by_operations: bool = False
    bounded: tuple[str, ...] = ("per-sample", "batched")
    options: tuple[str, ...] = ()

    @property
    def summed(self) -> str:
        """How the page writes the method's result summed over the outputs."""
        if self.gives == "sum":
            return self.call
        operand = f"({self.call})" if " / " in self.call else self.call
        return f"{operand}.sum(0)"


# On the CPU every method takes every dtype and activation, per sample and batched.
METHODS = {
    "functional": Method("functional.jacobian", "one backward pass per output", "jacobian(net, x)"),
    "functional-vectorized": Method(
        "functional.jacobian, vectorized",
        "the backward passes of all outputs at once, by vmap",
        "jacobian(net, x, vectorize=True)",
        batched=True,
    ),
    "functional-forward": Method(
        "functional.jacobian, forward mode",
        "one forward pass with a tangent for each input, by vmap",
        'jacobian(net, x, vectorize=True, strategy="forward-mode")',
        mode="forward",
        by_operations=True,
    ),
    "jacrev": Method(
        "func.jacrev",
        "reverse mode as a function transform",
        "jacrev(net)(x)",
        batched=True,
        by_operations=True,
        # Per sample, a bias is added in a separate operation.
        bounded=("batched",),
    ),
    "jacfwd": Method(
        "func.jacfwd",
        "forward mode as a function transform",
        "jacfwd(net)(x)",
        mode="forward",
        by_operations=True,
        # Per sample, a bias is added in a separate operation.
        bounded=("batched",),
    ),
    "rows": Method(
        "grad, row by row",
        "one call of grad per output: the loop that people write by hand",
        "stack([grad(y[i], x, retain_graph=True)[0] for i in range(len(y))])",
    ),
    "batched-grad": Method(
        "grad, is_grads_batched",
        "one call of grad with all grad_outputs as a batch",
        "grad(y, x, eye, is_grads_batched=True)[0]",
        batched=True,
    ),
    "copies": Method(
        "grad, one copy per output",
        "one forward pass on independent copies of the input, one per output",
        "grad(net(copies), copies, eye)[0]",
        batched=True,
        bounded=(),
    ),
    "summed-output": Method(
        "jacobian of the summed outputs",
        "the outputs are added before differentiating: the same backward pass as backward()",
        "jacobian(lambda x: net(x).sum(), x)",
        gives="sum",
    ),
    "single-call": Method(
        "single call (the pitfall)",
        "one call of grad on repeated inputs: every row comes back as the sum of all rows",
        "stack(grad(list(y), [x] * len(y)))",
        gives="sums",
    ),
    "finite-difference": Method(
        "finite differences",
        "central differences: no autograd, and far fewer correct digits",
        "(net(x + diag(h)) - net(x - diag(h))).T / ((x + h) - (x - h))",
        mode="none",
        gives="approximation",
        bounded=(),
        options=("step",),
    ),
}
