"""Formulas of a function of one number as a reader might have written them in torch and math."""

import ast
import math
import re

from lib.experiment.expressions import CALLS


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
