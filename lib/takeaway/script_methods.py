"""How a script computes the Jacobian by each method, as Python text; the tests run it against `network.jacobians`."""

from lib.experiment.choices import complete
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment

FORWARD = "y = net(x.requires_grad_())"

_LINES = complete(
    "script of the method",
    METHODS,
    {
        **{
            name: [f"J = {METHODS[name].call.replace('net', '{net}')}{{samples_first}}"]
            for name in ("functional", "functional-vectorized", "jacrev")
        },
        "functional-forward": ["at = {origin}", 'J = jacobian({moved}, at, vectorize=True, strategy="forward-mode")'],
        "jacfwd": ["J = jacfwd({moved})({origin})"],
        "rows": [FORWARD, "J = torch.stack([grad(y_i, x, retain_graph=True)[0] for y_i in {y}]{in_rows})"],
        "batched-grad": [
            FORWARD,
            "rows = torch.eye({outputs}).to(y)",
            "J = grad({y}, x, rows, is_grads_batched=True, retain_graph=True)[0]{samples_first}",
        ],
        "copies": [
            "copies = x.unsqueeze(-2).repeat_interleave({outputs}, -2).requires_grad_()",
            "J = grad(net(copies), copies, {each})[0]",
        ],
        "summed-output": [f"J = {METHODS['summed-output'].call}  # one row, of the sum of the outputs"],
        "single-call": [FORWARD, "J = torch.stack(grad(list({y}), [x] * {outputs}, retain_graph=True){in_rows})"],
        "finite-difference": [
            "steps = torch.diag_embed({step} * x.abs().clamp(min=1))",
            "above, below = x.unsqueeze(-2) + steps, x.unsqueeze(-2) - steps  # not quite, in floats",
            "J = ((net(above) - net(below)) / (above - below).diagonal(dim1=-2, dim2=-1).unsqueeze(-1)).mT",
        ],
    },
)
"""Lines that compute J from x. The braces depend on the evaluation."""

_PER_SAMPLE = {
    **{"net": "net", "y": "y", "in_rows": "", "samples_first": "", "each": "torch.eye({outputs}).to(x)"},
    **{"moved": "net", "origin": "x"},
}
_BATCHED = {
    **{"net": "lambda x: net(x).sum(0)", "y": "y.sum(0)", "in_rows": ", 1", "samples_first": ".movedim(0, 1)"},
    "each": "torch.eye({outputs}).to(x).expand(len(x), -1, -1)",
    **{"moved": "lambda d: net(x + d)", "origin": "torch.zeros_like(x[0])"},
}
_WHY_BATCHED = {
    ".sum(0)": "# The samples are independent, so the gradients of their sum are those of each.",
    "x + d": "# The samples are independent, so a shift d of all moves each by its own Jacobian.",
}
"""Why a method for one sample also works for a block of samples: the notes in `jacobians`."""


def jacobian(experiment: Experiment, method: str, batched: bool, forward: bool) -> list[str]:
    """Return lines that compute J at x, one sample or a batch of them; with `forward`, they compute y as well."""
    step = "torch.finfo(x.dtype).eps ** (1 / 3)" if experiment.step is None else f"2.0**{experiment.step}"
    names = {"outputs": experiment.outputs, "step": step}
    names |= {name: text.format(**names) for name, text in (_BATCHED if batched else _PER_SAMPLE).items()}
    lines = [line.format(**names) for line in _LINES[method]]
    if forward:
        lines += [FORWARD] * (FORWARD not in lines)
        lines[:0] = [] if batched else ["x = x.clone()  # where in memory a tensor begins may choose the kernel"]
    return [why for part, why in _WHY_BATCHED.items() if batched and part in "\n".join(lines)] + lines
