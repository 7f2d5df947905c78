"""What a script differentiates, and how, as Python text that a reader might have written.

For a network, the text computes the backward gradient and the Jacobian methods of `jacobians`; for a function of one
number, the function and its formulas in `formulas`. The tests run the text against those modules.
"""

import ast
import math
import re
from dataclasses import replace

from lib.experiment.calls import CALLS
from lib.experiment.functions import FUNCTIONS
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.experiment.rows import complete
from lib.pitfall.study import rows_method

_OF_THE_GRAPH = ("rows", "batched-grad", "single-call")  # methods that differentiate the same y as backward()

_WHY_BATCHED = {
    ".sum(0)": "# The samples are independent, so the gradients of their sum are those of each.",
    "x + d": "# The samples are independent, so a shift d of all moves each by its own Jacobian.",
}
"""Why a method for one sample also works for a block of samples: the notes in `jacobians`."""


_LINES = complete(
    "script of the method",
    METHODS,
    {
        **{
            name: [f"J = {METHODS[name].call.replace('net', '{net}')}{{samples_first}}"]
            for name in ("functional", "functional-vectorized", "jacrev")
        },
        "functional-forward": ["at = {origin}", 'J = jacobian({moved}, {at}, vectorize=True, strategy="forward-mode")'],
        "jacfwd": ["J = jacfwd({moved})({origin})"],
        "rows": ["J = torch.stack([grad(y_i, x, retain_graph=True)[0] for y_i in {y}]{in_rows})"],
        "batched-grad": [
            "rows = torch.eye({outputs}).to(y)",
            "J = grad({y}, x, rows, is_grads_batched=True, retain_graph=True)[0]{samples_first}",
        ],
        "copies": [
            "copies = x.unsqueeze(-2).repeat_interleave({outputs}, -2).requires_grad_()",
            "J = grad(net(copies), copies, {each})[0]",
        ],
        "summed-output": [f"J = {METHODS['summed-output'].call}  # one row, of the sum of the outputs"],
        "single-call": ["J = torch.stack(grad(list({y}), [x] * {outputs}, retain_graph=True){in_rows})"],
        "finite-difference": [
            "steps = torch.diag_embed({step} * x.abs().clamp(min=1))",
            "above, below = x.unsqueeze(-2) + steps, x.unsqueeze(-2) - steps  # not quite, in floats",
            "J = ((net(above) - net(below)) / (above - below).diagonal(dim1=-2, dim2=-1).unsqueeze(-1)).mT",
        ],
    },
)
"""Lines that compute J by each method. `_jacobian` fills in the braces, which depend on the evaluation."""


def gradients(experiment: Experiment) -> str:
    """Return the definition of `gradients`, which computes the backward gradient and the summed Jacobian.

    Its argument is one sample of shape (inputs,), or a block of samples if the experiment is batched.
    """
    total = "J" if METHODS[experiment.method].gives == "sum" else _sum(experiment)
    definition = _function("gradients", experiment.method, experiment, [], _to_cpu(["x.grad", total], experiment))
    on_paper = "    # On paper they are equal.\n" if METHODS[experiment.method].gives == "rows" else ""
    return definition.replace("    return ", f"{on_paper}    return ")


def matrices(experiment: Experiment) -> str:
    """Return the definition of `matrices`, which takes the same argument.

    It computes the correct rows, their sum, the single call's matrix and the backward gradient, all in float64.
    """
    y, rows_in = ("y.sum(0)", ", 1") if experiment.evaluation == "batched" else ("y", "")
    call = f"grad(list({y}), [x] * {experiment.outputs}, retain_graph=True)"
    single = f"single = torch.stack({call}{rows_in})  # all rows at once"
    returned = _to_cpu(["J", _sum(experiment), "single", "x.grad"], experiment)
    if experiment.dtype != "float64":
        returned = [f"{value}.double()" for value in returned]
    return _function("matrices", rows_method(experiment), experiment, [single], returned)


def evaluated(experiment: Experiment) -> list[str]:
    """Return definitions of functions that compute outputs and gradient side by side, as a vector or as rows of them.

    They are `both`, for one sample and for a batch, or `alone` and `together` if a method computes the gradient.
    """
    if experiment.gradient == "backward":
        lines = ["y = net(x.requires_grad_())", "y.backward(torch.ones_like(y))"]
        return [_definition("both", [*lines, f"return {_side_by_side('y.detach()', 'x.grad', experiment)}"])]
    return [
        _definition(name, _both_by_method(replace(experiment, evaluation=evaluation)))
        for name, evaluation in (("alone", "per-sample"), ("together", "batched"))
    ]


def _both_by_method(experiment: Experiment) -> list[str]:
    batched = experiment.evaluation == "batched"
    lines = _jacobian(experiment.method, batched, experiment)
    if experiment.method in _OF_THE_GRAPH:
        lines = ["y = net(x.requires_grad_())", *lines]
    why = [reason for part, reason in _WHY_BATCHED.items() if batched and part in "\n".join(lines)]
    total = "J" if METHODS[experiment.method].gives == "sum" else _sum(experiment)
    returned = f"return {_side_by_side('net(x).detach()', total, experiment)}"
    return [*why, *lines, returned]


def _side_by_side(outputs: str, gradient: str, experiment: Experiment) -> str:
    return _to_cpu([f"torch.cat([{outputs}, {gradient}], -1)"], experiment)[0]


def _definition(name: str, lines: list[str]) -> str:
    return "\n    ".join([f"def {name}(x):", *lines]) + "\n"


def _to_cpu(values: list[str], experiment: Experiment) -> list[str]:
    return values if experiment.device == "cpu" else [f"{value}.cpu()" for value in values]


def _sum(experiment: Experiment) -> str:
    return "J.sum(1)" if experiment.evaluation == "batched" else "J.sum(0)"


def _function(name: str, method: str, experiment: Experiment, more: list[str], returned: list[str]) -> str:
    """Return a function of x as text. It computes y and J, runs `more` and y.backward(), and returns `returned`."""
    batched = experiment.evaluation == "batched"
    forward = "y = net(x.requires_grad_())"
    before = [] if batched else ["x = x.clone()  # where in memory a tensor begins may choose the kernel"]
    lines = _jacobian(method, batched, experiment)
    lines = [forward, *lines] if method in _OF_THE_GRAPH else [*lines, forward]
    lines = [*lines, *more, "y.backward(torch.ones_like(y))", f"return {', '.join(returned)}"]
    why = [reason for part, reason in _WHY_BATCHED.items() if batched and part in "\n".join(lines)]
    return _definition(name, [*why, *before, *lines])


def _jacobian(method: str, batched: bool, experiment: Experiment) -> list[str]:
    """Return the lines that compute J from x, or from y = net(x) for the methods in `_OF_THE_GRAPH`."""
    outputs = experiment.outputs
    names = {
        "outputs": outputs,
        "step": "torch.finfo(x.dtype).eps ** (1 / 3)" if experiment.step is None else f"2.0**{experiment.step}",
        **{"net": "net", "y": "y", "in_rows": "", "samples_first": "", "each": f"torch.eye({outputs}).to(x)"},
        **{"moved": "net", "at": "x", "origin": "x"},
    }
    if batched:
        names |= {
            **{"net": "lambda x: net(x).sum(0)", "y": "y.sum(0)", "in_rows": ", 1", "samples_first": ".movedim(0, 1)"},
            "each": f"torch.eye({outputs}).to(x).expand(len(x), -1, -1)",
            **{"moved": "lambda d: net(x + d)", "at": "at", "origin": "torch.zeros_like(x[0])"},
        }
    lines = (line.format(**names) for line in _LINES[method])
    return [line for line in lines if line != "at = x"]


def by_hand(function: str) -> str:
    """Return lines that assign the value of each formula at x, by its text, to the dict `by_hand`, given y = f(x)."""
    row = FUNCTIONS[function]
    letters = [pair.split(" = ") for pair in row.where.split(", ") if pair]
    lines = [f"{letter} = {in_torch(meaning)}" for letter, meaning in letters if letter != "y"]
    entries = [f'    "{formula}": {in_torch(formula)},' for formula in row.formulas]
    return "\n".join([*lines, "by_hand = {", *entries, "}\n"])


def in_torch(formula: str) -> str:
    """Return a formula of `functions` as an expression in torch and math, with the usual spaces."""
    text = ast.unparse(_InTorch().visit(ast.parse(formula, mode="eval")))
    text = re.sub(r"(?<![\w.)\]])(\w+) \*\* (?:\((-[\d.]+)\)|(-?[\d.]+))", r"\1**\2\3", text)
    return re.sub(r"(^|\()-(\w+\*\*-?[\d.]+)", r"\1-(\2)", text)


class _InTorch(ast.NodeTransformer):
    """Qualify each name: with torch if it is applied to a tensor, which has a one-letter name, otherwise with math."""

    def visit_Call(self, call: ast.Call) -> ast.Call:
        self.generic_visit(call)
        if not isinstance(call.func, ast.Name):
            return call
        name, tensors = call.func.id, [operand for operand in call.args if _has_letter(operand)]
        if name == "where":
            call.args = [_as_float(one) for one in call.args]
        if name in ("maximum", "minimum") and len(tensors) == 1:
            like: list[ast.expr] = [ast.Call(ast.Name("torch.full_like"), [tensors[0], one], []) for one in call.args]
            call.args = [one if one in tensors else like[i] for i, one in enumerate(call.args)]
        if tensors:
            call.func.id = CALLS[name].torch
        elif name in vars(math):
            call.func.id = f"math.{name}"
        else:
            numbers: list[ast.expr] = [ast.Call(ast.Name("torch.tensor"), [one], []) for one in call.args]
            return ast.Call(ast.Attribute(ast.Call(ast.Name(CALLS[name].torch), numbers, []), "item"), [], [])
        return call

    def visit_BinOp(self, operation: ast.BinOp) -> ast.BinOp:
        self.generic_visit(operation)
        if isinstance(operation.op, ast.Pow):
            operation.left = _as_float(operation.left)  # whole numbers could outgrow a tensor's
        return operation

    def visit_Name(self, name: ast.Name) -> ast.Name:
        return ast.Name(f"math.{name.id}") if name.id in ("pi", "e") else name


def _as_float(node: ast.expr) -> ast.expr:
    match node:
        case ast.Constant(int(value)):
            return ast.Constant(float(value))
    return node


def _has_letter(node: ast.expr) -> bool:
    """Whether an expression has a tensor in it."""
    return any(isinstance(part, ast.Name) and len(part.id) == 1 for part in ast.walk(node))
