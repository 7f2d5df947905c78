"""An experiment as a Python script that needs only torch and prints the figures of the page.

On the same machine its figures are the same bit for bit, per sample and batched, since its blocks
have the same size. It prints lines `name = value` with the names of the JSON. If a figure belongs
to a formula or a batch size, its line begins with that. The script of `discrepancy` also prints the
results of the first samples, and the counts from −4 to 4 ulps. The templates are in `scripts`: what
all scripts share, what each study measures and prints, and how each method computes the Jacobian.
The tests run those of the methods against `network.jacobians`.
"""

import ast
import math
import re
import tomllib
from itertools import pairwise
from pathlib import Path
from textwrap import fill
from typing import Any

import torch
from jinja2 import ChoiceLoader, DictLoader, Environment, FileSystemLoader, StrictUndefined

from lib.batch.arrangements import SIZES, block_size
from lib.batch.study import PIECE
from lib.discrepancy.rows import FIRST_SAMPLES
from lib.experiment.choices import DEVICES, DTYPES, MATMULS, OUTPUT_ACTIVATIONS, complete
from lib.experiment.expressions import CALLS
from lib.experiment.functions import FUNCTIONS
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.experiment.studies import TAB_STUDIES
from lib.network import sampling
from lib.network.seeds import PARTS, start_of

_WIDTH = 100
_SCRIPTS = Path(__file__).parent / "scripts"
_METHODS = complete(
    "script of the method", METHODS, tomllib.loads((_SCRIPTS / "methods.toml").read_text())
)
_TEMPLATES = Environment(
    loader=ChoiceLoader([FileSystemLoader(_SCRIPTS), DictLoader(_METHODS)]),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_IMPORTS = {
    "math": "import math",
    "Counter": "from collections import Counter",
    "pairwise": "from itertools import pairwise",
    "torch": "\nimport torch",
    "nn": "from torch import nn",
    "grad": "from torch.autograd import grad",
    "jacobian": "from torch.autograd.functional import jacobian",
    "jacfwd": "from torch.func import jacfwd",
    "jacrev": "from torch.func import jacrev",
}
"""Import lines by the name that needs each, in the order of the script."""


def script(study: str, experiment: Experiment) -> str:
    """Return the script of a study. It has at most 64 lines of at most 100 characters.

    A line with a long `f` may be longer. The script prints no figures that need the exact gradient,
    since torch alone cannot compute it.
    """
    values = _of_function(experiment) if study == "derivative" else _of_network(study, experiment)
    code = _TEMPLATES.get_template(f"{study}.py.j2").render(values | _common(experiment))
    used = [line for name, line in _IMPORTS.items() if re.search(rf"(?<![\w.]){name}\b[.(,]", code)]
    about = fill(f'"""{_about(study, experiment)}"""', _WIDTH - 10)
    return _apart("\n\n".join([about, "\n".join(used), code]))


def _about(study: str, experiment: Experiment) -> str:
    """Say in plain text what a study compares, and for which experiment."""
    row = TAB_STUDIES[study]
    compared = f"{row.label} {row.about[0].upper()}{row.about[1:]}".replace("`", "")
    chosen = experiment.query.replace("&", ", ") or "all else by default"
    return f"{compared}, over {experiment.samples:,} samples in {experiment.dtype}; {chosen}."


def _common(experiment: Experiment) -> dict[str, Any]:
    """Return the values that all templates use; `e` is the experiment."""
    row = DTYPES[experiment.dtype]
    on_cpu = experiment.device == "cpu"

    def seed(purpose: str, number: str = "block") -> str:
        part = PARTS[purpose]
        start = start_of(purpose, experiment.seed)
        return f"{part.start} + ({start} + {number}) % {len(part)}"

    def rounded(drawn: str) -> str:
        once = f"round_once({drawn})" if row.narrow else f"{drawn}.to(torch.{experiment.dtype})"
        return once if on_cpu else f'{once}.to("{experiment.device}")'

    return {
        "e": experiment,
        "row": row,
        "cpu": "" if on_cpu else ".cpu()",
        "seed": seed,
        "rounded": rounded,
    }


def _of_network(study: str, experiment: Experiment) -> dict[str, Any]:
    size = block_size(experiment) if study == "batch" else sampling.block_size(experiment)
    modules = [_module(activation) for activation in experiment.activations]
    parts: list[str] = []
    for (inputs, outputs), module in zip(pairwise(experiment.widths), modules, strict=True):
        parts.append(f"nn.Linear({inputs}, {outputs})")
        if module != "nn.Identity()":
            parts.append(module)
    return {
        "size": size,
        "chunks": size // sampling.chunk_size(experiment),
        "blocks": -(-experiment.samples // size),
        "modules": modules,
        "parts": ", ".join(parts),
        "matmul": _matmul(experiment),
        "batched": experiment.evaluation == "batched",
        "gives": METHODS[experiment.method].gives,
        "first_samples": FIRST_SAMPLES,
        "sizes": SIZES,
        "piece": PIECE,
    }


def _of_function(experiment: Experiment) -> dict[str, Any]:
    function = FUNCTIONS[experiment.differentiated]
    dtype = getattr(torch, experiment.dtype)
    letters = [pair.split(" = ") for pair in function.where.split(", ") if pair]
    return {
        "size": sampling.POINTS,
        "blocks": -(-experiment.samples // sampling.POINTS),
        "matmul": "",
        "widest": sampling.WIDEST,
        "range": sampling.log_range(dtype),
        "largest": torch.finfo(dtype).max,
        "function": function,
        "in_torch": in_torch,
        # The script defines y itself.
        "letters": [letter for letter in letters if letter[0] != "y"],
    }


def _matmul(experiment: Experiment) -> str:
    """Return the assignment that sets how a graphics card rounds products of this
    dtype, "" if none does."""
    row = MATMULS[experiment.matmul]
    flags = {
        "float32": f"allow_tf32 = {row.tf32}",
        "float16": f"allow_fp16_reduced_precision_reduction = {row.reduced}",
        "bfloat16": f"allow_bf16_reduced_precision_reduction = {row.reduced}",
    }
    return flags.get(experiment.dtype, "") if DEVICES[experiment.device].matmuls else ""


def _module(activation: str) -> str:
    row = OUTPUT_ACTIVATIONS[activation]
    return f"nn.{row.module}({', '.join(f'{name}={value}' for name, value in row.arguments)})"


def _apart(text: str) -> str:
    """Separate the parts of a script by two empty lines around functions, by one elsewhere."""
    parts = re.sub(r"\n\s*\n", "\n\n", text.strip())
    parts = re.sub(r"\n\n(?=def )", "\n\n\n", parts)
    return re.sub(r"(?m)^(def .*\n(?: .*\n)+)\n(?!\n)", r"\1\n\n", parts) + "\n"


def in_torch(formula: str) -> str:
    """Return a formula of `functions` as a reader would write it with torch and math."""
    text = ast.unparse(_InTorch().visit(ast.parse(formula, mode="eval")))
    # x ** (-2) becomes x**-2, and then -x**2 becomes -(x**2).
    text = re.sub(r"(?<![\w.)\]])(\w+) \*\* (?:\((-[\d.]+)\)|(-?[\d.]+))", r"\1**\2\3", text)
    return re.sub(r"(^|\()-(\w+\*\*-?[\d.]+)", r"\1-(\2)", text)


class _InTorch(ast.NodeTransformer):
    """Qualify each name: with math if it is applied to numbers and math has it, else with torch.

    Tensors have names of one letter.
    """

    def visit_Call(self, call: ast.Call) -> ast.expr:
        self.generic_visit(call)
        if not isinstance(call.func, ast.Name):
            return call
        name = call.func.id
        of_tensors = any(map(_has_letter, call.args))
        if name == "where":
            call.args = [_as_float(operand) for operand in call.args]
        elif not of_tensors and name in vars(math):
            return ast.Call(ast.Name(f"math.{name}"), call.args, [])
        else:
            call.args = [
                operand if _has_letter(operand) else _as_tensor(operand) for operand in call.args
            ]
        call.func.id = CALLS[name].torch
        return call if of_tensors else ast.Call(ast.Attribute(call, "item"), [], [])

    def visit_BinOp(self, operation: ast.BinOp) -> ast.BinOp:
        self.generic_visit(operation)
        of_numbers = not _has_letter(operation) and not isinstance(operation.right, ast.Name)
        if of_numbers or isinstance(operation.op, ast.Pow):
            # With integers, PyTorch could overflow.
            operation.left = _as_float(operation.left)
        return operation

    def visit_Constant(self, constant: ast.Constant) -> ast.expr:
        return _as_float(constant) if float(ast.unparse(constant)) >= 2**53 else constant

    def visit_Name(self, name: ast.Name) -> ast.Name:
        return ast.Name(f"math.{name.id}") if name.id in ("pi", "e") else name


def _as_float(node: ast.expr) -> ast.expr:
    match node:
        case ast.Constant(int(value)):
            return ast.Constant(float(value))
        case ast.UnaryOp(sign, operand):
            return ast.UnaryOp(sign, _as_float(operand))
    return node


def _as_tensor(number: ast.expr) -> ast.expr:
    """Return a number as a tensor without dimensions, which does not change the dtype of a result
    with x."""
    return ast.Call(
        ast.Name("torch.tensor"), [number], [ast.keyword("dtype", ast.Name("torch.float64"))]
    )


def _has_letter(node: ast.expr) -> bool:
    """Whether an expression has a tensor in it."""
    return any(isinstance(part, ast.Name) and len(part.id) == 1 for part in ast.walk(node))
