"""What the README says is true: its lines run, its tree is the tree, its recipes work."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from lib.discrepancy.study import Discrepancy
from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from lib.run.stream import Stream
from tests.server import ROOT
from tests.test_project import ROOMS

README = (ROOT / "README.md").read_text()
CONTRIBUTING = (ROOT / ".github/CONTRIBUTING.md").read_text()


def blocks(language: str, under: str, text: str = README) -> list[str]:
    """The blocks of code in a section."""
    section = text.partition(f"\n## {under}\n")[2].partition("\n## ")[0]
    return re.findall(rf"^```{language}\n(.*?)```", section, re.DOTALL | re.MULTILINE)


def test_the_lines_of_python_reproduce_a_figure(capsys):
    (lines,) = blocks("python", "From Python")
    exec(lines, {})  # noqa: S102
    tally = Stream(Discrepancy(Experiment.parse("dtype=float64&samples=500"))).finish()
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
    for picture in pictures:
        assert (ROOT / picture).read_bytes().startswith((b"\x89PNG", b"GIF89a"))


def test_the_layout_is_that_of_the_tree():
    (layout,) = blocks("", "How it is laid out")
    paths = [line.split()[0] for line in layout.splitlines()]
    assert len(paths) <= 20 and all((ROOT / path).exists() for path in paths)
    assert [path.removeprefix("lib/") for path in paths if path.startswith("lib/")] == ROOMS


RECIPES = dict(
    zip(("mish", "vjp", "zeros"), blocks("python", "Add your own", CONTRIBUTING), strict=True)
)
"""The recipes of CONTRIBUTING, by the name of what each adds."""


def parts_of(recipe: str) -> list[tuple[str, str, str, str]]:
    """Each part of a recipe: a file, "in" or "above", what to look for there, and the lines."""
    parts = re.split(r"^# (lib/\S+), (in|above) (\S+):\n", recipe, flags=re.MULTILINE)
    return list(zip(parts[1::4], parts[2::4], parts[3::4], parts[4::4], strict=True))


def add(folder: Path, part: tuple[str, str, str, str]) -> None:
    """Rows become the first ones in their table; other lines come before its statement."""
    path, where, name, lines = part
    source = (folder / path).read_text()
    head = f"^{re.escape(name)}"
    pattern = rf"{head}\b.*?\{{" if where == "in" else f"(?={head})"
    place = re.search(pattern, source, re.DOTALL | re.MULTILINE).end()
    (folder / path).write_text(f"{source[:place]}\n{lines}\n{source[place:]}")


def python(folder: Path, lines: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-c", lines], cwd=folder, capture_output=True, text=True)


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

REFUSED = """
import sys

for folder in ("mish", "vjp", "zeros"):
    sys.path[0] = folder
    for name in [name for name in sys.modules if name.startswith("lib")]:
        del sys.modules[name]
    try:
        import lib.takeaway.script, lib.takeaway.study_table
    except TypeError as error:
        print(error)
"""

OWN = """
from contextlib import redirect_stdout
from io import StringIO

from lib.__main__ import main
from lib.takeaway import arguments

VJP = "method=vjp&samples=100&outputs=3&evaluation=batched"
for command in (
    "activation=mish&samples=400&evaluation=batched",
    "activation=mish&samples=400&evaluation=batched&dtype=float64",
    VJP,
    "run --study zeros samples=40&activation=sigmoid",
    "run --study zeros samples=40&hidden=1&seed=2&distribution=normal",
    "run --study ladder samples=20",
):
    assert main(command.split()) == 0
with redirect_stdout(StringIO()) as script:
    main(["script", VJP])
exec(script.getvalue(), {"__name__": "__main__"})
print(arguments.make_parser().format_help(), arguments.fields())
main(["dtype=float16"])
"""
"""What is asked of a copy that has all that is added, and lacks float16."""


def test_the_recipes_add_what_they_say_and_the_one_row_takes_a_dtype_away(tmp_path):
    whole = tmp_path / "whole"
    shutil.copytree(ROOT / "lib", whole / "lib", ignore=shutil.ignore_patterns("__pycache__"))
    (whole / "lib/discrepancy/zeros.py").write_text(ZEROS)
    table = whole / "lib/takeaway/study_table.py"
    table.write_text(f"from lib.discrepancy import zeros\n{table.read_text()}")
    for name, recipe in RECIPES.items():
        *parts, last = parts_of(recipe)
        for part in parts:
            add(whole, part)
        shutil.copytree(whole, tmp_path / name)
        add(whole, last)
    refusals = python(tmp_path, REFUSED).stdout.splitlines()
    assert [line.split()[-4:] for line in refusals] == [
        [name, "lacks", "a", "row."] for name in RECIPES
    ]

    choices = whole / "lib/experiment/choices.py"
    (row,) = re.findall(
        r'^    "float16": DType\(\n.*?^    \),\n', choices.read_text(), re.DOTALL | re.MULTILINE
    )
    choices.write_text(choices.read_text().replace(row, "").replace(', "float16")', ")"))

    done = python(whole, OWN)
    assert done.returncode == 2 and "float16" in done.stderr, done.stderr
    *lines, text = done.stdout.split("\n", 6)
    *mish, vjp, none, some, ladder = map(json.loads, lines)
    for figures in mish:
        assert figures["referenced"] == 400 and figures["closer"]["undecided"] < 20
        assert 0 < figures["max_units"] < figures["bound_units"] and figures["over_bound"] == 0
    assert vjp["components"] == 500 and vjp["bound_units"] is None
    assert 0 < vjp["equal"] and vjp["max_abs"] < 1e-7
    assert {f"equal = {vjp['equal']}", f"max_abs = {vjp['max_abs']!r}"} <= {*text.splitlines()}
    assert none["zeros"] == 0 and some["zeros"] % 5 == 0
    assert {rung["dtype"] for rung in ladder["ladder"]} == {*DTYPES} - {"float16"}
    for added in ("mish", "vjp", "components of the backward gradient that are zero"):
        assert added in text
