"""What the README says is true: its lines run, its tree is the tree, its recipes work."""

import json
import re
import shutil
import signal
from importlib import import_module

import pytest
import torch

from lib.discrepancy.study import Discrepancy
from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from tests.anew import lib_anew
from tests.cases import finish
from tests.server import ROOT
from tests.test_project import PACKAGES

README = (ROOT / "README.md").read_text()
CONTRIBUTING = (ROOT / ".github/CONTRIBUTING.md").read_text()


def blocks(language, under, text=README):
    """The blocks of code in a section."""
    section = text.partition(f"\n## {under}\n")[2].partition("\n## ")[0]
    return re.findall(rf"^```{language}\n(.*?)```", section, re.DOTALL | re.MULTILINE)


def test_the_lines_of_python_reproduce_a_figure(capsys):
    (lines,) = blocks("python", "From Python")
    exec(lines, {})  # noqa: S102
    tally = finish(Discrepancy, Experiment.parse("dtype=float64&samples=500"))
    figures = tally.equal, tally.components, tally.max_abs.value
    assert capsys.readouterr().out.split() == [*map(str, figures)]


def test_ci_runs_the_test_command():
    commands = [line for block in blocks("sh", "Run it") for line in block.splitlines()]
    (command,) = [line for line in commands if "pytest" in line]
    assert command in (ROOT / ".ci/run").read_text().splitlines()


def test_every_picture_is_there_and_no_other():
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", README)
    assert pictures and {*pictures} == {
        f".github/{path.name}" for path in (ROOT / ".github").glob("*.[pg][ni][gf]")
    }


def test_the_layout_is_that_of_the_tree():
    (layout,) = blocks("", "How it is laid out")
    paths = [line.split()[0] for line in layout.splitlines()]
    assert len(paths) <= 20 and all((ROOT / path).exists() for path in paths)
    assert [path.removeprefix("lib/") for path in paths if path.startswith("lib/")] == PACKAGES


RECIPES = dict(
    zip(("mish", "vjp", "zeros"), blocks("python", "Add your own", CONTRIBUTING), strict=True)
)
"""The recipes of CONTRIBUTING, by the name of what each adds."""


def parts_of(recipe):
    """Each part of a recipe: a file, "in" or "above", what to look for there, and the lines."""
    parts = re.split(r"^# (lib/\S+), (in|above) (\S+):\n", recipe, flags=re.MULTILINE)
    return list(zip(parts[1::4], parts[2::4], parts[3::4], parts[4::4], strict=True))


def add(folder, part):
    """Rows become the first ones in their table; other lines come before its statement."""
    path, where, name, lines = part
    source = (folder / path).read_text()
    head = f"^{re.escape(name)}"
    pattern = rf"{head}\b.*?\{{" if where == "in" else f"(?={head})"
    place = re.search(pattern, source, re.DOTALL | re.MULTILINE).end()
    (folder / path).write_text(f"{source[:place]}\n{lines}\n{source[place:]}")


ZEROS = """
from dataclasses import dataclass

from torch import Tensor

from lib.network.jacobians import backward_gradient
from lib.network.sampled_study import SampledStudy, Samples
from lib.run.tally import Tally


@dataclass(frozen=True)
class Gradients(Samples):
    gradient: Tensor


@dataclass(frozen=True)
class ZerosTally(Tally):
    samples: int = 0
    zeros: int = 0

    @classmethod
    def of(cls, measured: Gradients) -> "ZerosTally":
        return cls(len(measured), int((measured.gradient == 0).sum()))

    def figures(self) -> dict[str, object]:
        return {"samples": self.samples, "zeros": self.zeros}


class Zeros(SampledStudy):
    measured = Gradients
    empty = ZerosTally()
    tally = staticmethod(ZerosTally.of)

    def differentiate(self, x: Tensor) -> tuple[Tensor, ...]:
        return (backward_gradient(self.net, x),)
"""

VJP = "method=vjp&samples=100&outputs=3&evaluation=batched"
COMMANDS = (
    "activation=mish&samples=400&evaluation=batched",
    "activation=mish&samples=400&evaluation=batched&dtype=float64",
    VJP,
    "run --study zeros samples=40&activation=sigmoid",
    "run --study zeros samples=40&hidden=1&seed=2&distribution=normal",
    "run --study ladder samples=20",
)
"""What is asked of a copy that has all that is added, and lacks float16."""


def test_the_recipes_add_what_they_say(tmp_path, capsys, monkeypatch):
    """And the one row takes a dtype away."""
    monkeypatch.setattr(signal, "signal", lambda number, handler: None)
    whole = tmp_path / "whole"
    shutil.copytree(ROOT / "lib", whole / "lib", ignore=shutil.ignore_patterns("__pycache__"))
    (whole / "lib/discrepancy/zeros.py").write_text(ZEROS)
    table = whole / "lib/takeaway/study_table.py"
    table.write_text(f"from lib.discrepancy import zeros\n{table.read_text()}")
    monkeypatch.syspath_prepend(whole)
    for name, recipe in RECIPES.items():
        *parts, last = parts_of(recipe)
        for part in parts:
            add(whole, part)
        with lib_anew(), pytest.raises(TypeError, match=f" {name} lacks a row.$"):
            import_module("lib.takeaway.script")
            import_module("lib.takeaway.study_table")
        add(whole, last)

    choices = whole / "lib/experiment/choices.py"
    (row,) = re.findall(
        r'^    "float16": DType\(\n.*?^    \),\n', choices.read_text(), re.DOTALL | re.MULTILINE
    )
    choices.write_text(choices.read_text().replace(row, "").replace(', "float16")', ")"))

    with lib_anew():
        main = import_module("lib.__main__").main
        assert [main(command.split()) for command in COMMANDS] == [0] * len(COMMANDS)
        *mish, vjp, none, some, ladder = map(json.loads, capsys.readouterr().out.splitlines())
        with pytest.raises(SystemExit, match="2"):
            main(["dtype=float16"])
        assert "float16" in capsys.readouterr().err
        main(["script", VJP])
        script = capsys.readouterr().out
        arguments = import_module("lib.takeaway.arguments")
        texts = arguments.make_parser().format_help() + arguments.fields()
    for figures in mish:
        assert figures["referenced"] == 400 and figures["closer"]["undecided"] < 20
        assert 0 < figures["max_units"] < figures["bound_units"] and figures["over_bound"] == 0
    assert vjp["components"] == 500 and vjp["bound_units"] is None
    assert 0 < vjp["equal"] and vjp["max_abs"] < 1e-7
    assert none["zeros"] == 0 and some["zeros"] % 5 == 0
    assert {rung["dtype"] for rung in ladder["ladder"]} == {*DTYPES} - {"float16"}
    try:
        exec(script, {"__name__": "__main__"})
    finally:
        torch.set_default_dtype(torch.float32)
    figures = capsys.readouterr().out.splitlines()
    assert {f"equal = {vjp['equal']}", f"max_abs = {vjp['max_abs']!r}"} <= {*figures}
    for added in ("mish", "vjp", "components of the backward gradient that are zero"):
        assert added in texts
