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


def test_it_is_short():
    assert len(README.splitlines()) <= 110


def test_the_lines_of_python_reproduce_a_figure():
    (lines,) = blocks("python", "From Python")
    printed = subprocess.run(
        [sys.executable, "-c", lines], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    tally = Stream(Discrepancy(Experiment.parse("dtype=float64&samples=500"))).finish()
    assert printed.split() == [str(tally.equal), str(tally.components), str(tally.max_abs.value)]


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


RECIPES = blocks("python", "Add your own", CONTRIBUTING)


class Copy:
    """A copy of the core to which the lines of a recipe are added."""

    def __init__(self, folder: Path, recipe: str) -> None:
        self.folder = folder
        shutil.copytree(ROOT / "lib", folder / "lib", ignore=shutil.ignore_patterns("__pycache__"))
        parts = re.split(r"^# (lib/\S+), (in|above) (\S+):\n", recipe, flags=re.MULTILINE)
        self.parts = list(zip(parts[1::4], parts[2::4], parts[3::4], parts[4::4], strict=True))
        assert not parts[0] and self.parts

    def add(self, part: int) -> None:
        """Rows become the first ones in their table; other lines come before its statement."""
        path, where, name, lines = self.parts[part]
        source = (self.folder / path).read_text()
        head = f"^{re.escape(name)}"
        pattern = rf"{head}\b.*?\{{" if where == "in" else f"(?={head})"
        place = re.search(pattern, source, re.DOTALL | re.MULTILINE).end()
        (self.folder / path).write_text(f"{source[:place]}\n{lines}\n{source[place:]}")

    def run(self, *arguments: str) -> subprocess.CompletedProcess:
        command = [sys.executable, "-m", "lib", *arguments]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True)

    def printed(self, *commands: str) -> str:
        """What several command lines print in one process, which loads PyTorch only once."""
        lines = """
import sys
from lib.__main__ import main
for line in sys.argv[1:]:
    assert main(line.split()) == 0
"""
        command = [sys.executable, "-c", lines, *commands]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def figures(self, *commands: str) -> list[dict]:
        return [json.loads(line) for line in self.printed(*commands).splitlines()]


def refused(copy: Copy, name: str, *arguments: str) -> None:
    """Without the last of its parts something is missing, and an error says of what."""
    done = copy.run(*arguments)
    assert done.returncode and f" {name} lacks a row." in done.stderr, done.stderr


def test_an_activation_of_ones_own(tmp_path):
    copy = Copy(tmp_path, RECIPES[0])
    copy.add(0)
    refused(copy, "mish", "samples=5")
    copy.add(1)
    query = "activation=mish&samples=400&evaluation=batched&dtype="
    for found in copy.figures(f"{query}float32", f"{query}float64"):
        assert found["referenced"] == 400 and found["closer"]["undecided"] < 20
        assert 0 < found["max_units"] < found["bound_units"] and found["over_bound"] == 0
    assert "mish" in copy.run("--help").stdout


def test_a_method_of_ones_own(tmp_path):
    copy = Copy(tmp_path, RECIPES[1])
    copy.add(0)
    refused(copy, "vjp", "samples=5")
    copy.add(1), copy.add(2)
    refused(copy, "vjp", "script")
    copy.add(3)
    for way in ("per-sample", "batched"):
        query = f"method=vjp&samples=100&outputs=3&evaluation={way}"
        line, script = copy.printed(query, f"script {query}").split("\n", 1)
        figures = json.loads(line)
        assert figures["components"] == 500 and figures["bound_units"] is None
        assert 0 < figures["equal"] and figures["max_abs"] < 1e-7
        command = [sys.executable, "-c", script]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        lines = {f"equal = {figures['equal']}", f"max_abs = {figures['max_abs']!r}"}
        assert lines <= {*done.stdout.splitlines()}


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


def test_a_study_of_ones_own(tmp_path):
    copy = Copy(tmp_path, RECIPES[2])
    (tmp_path / "lib/discrepancy/zeros.py").write_text(ZEROS)
    copy.add(0)
    refused(copy, "zeros", "--help")
    copy.add(1)
    refused(copy, "zeros", "samples=5")
    table = tmp_path / "lib/takeaway/study_table.py"
    table.write_text(f"from lib.discrepancy import zeros\n{table.read_text()}")
    copy.add(2)
    none, some = copy.figures(
        "run --study zeros samples=40&activation=sigmoid",
        "run --study zeros samples=40&hidden=1&seed=2&distribution=normal",
    )
    assert none["zeros"] == 0 and some["zeros"] % 5 == 0
    assert "zeros" in copy.run("--help").stdout
    assert "components of the backward gradient that are zero" in copy.run("fields").stdout


def test_a_dtype_is_its_row_and_its_devices(tmp_path):
    """Without these float16 is gone, and all else is as it was."""
    copy = Copy(tmp_path, RECIPES[0])
    path = tmp_path / "lib/experiment/choices.py"
    pattern = r'^    "float16": DType\(\n.*?^    \),\n'
    (row,) = re.findall(pattern, path.read_text(), re.DOTALL | re.MULTILINE)
    assert "one row for float16" in CONTRIBUTING
    path.write_text(path.read_text().replace(row, "").replace(', "float16")', ")"))
    assert copy.run("dtype=float16").returncode == 2
    (found,) = copy.figures("run --study ladder samples=20")
    rungs = found["ladder"]
    assert [rung["dtype"] for rung in rungs] == [dtype for dtype in DTYPES if dtype != "float16"]
