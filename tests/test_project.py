"""The project as a whole: the README does what it says, imports run one way, the code is formatted."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lib.experiment import FIELDS, Experiment
from lib.stream import Stream
from lib.studies.discrepancy import Discrepancy

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
LAYERS = [
    [
        "lib.choices",
        "lib.fields",
        "lib.graph",
        "lib.quantities",
        "lib.fma",
        "lib.ranks",
        "lib.pace",
        "lib.answers",
    ],
    ["lib.fingerprint", "lib.pieces", "lib.markdown", "lib.exact_floats", "lib.seeds", "lib.intervals"],
    ["lib.paste", "lib.printed", "lib.tolerances"],
    ["lib.possible_floats", "lib.prose"],
    ["lib.distances"],
    ["lib.decode"],
    ["lib.decode_sentences"],
    ["lib.decode_tables"],
    ["lib.functions"],
    ["lib.experiment"],
    ["lib.machine", "lib.floats", "lib.orders", "lib.method_sentences"],
    ["lib.sampling", "lib.kernels"],
    ["lib.network"],
    ["lib.jacobians", "lib.derivatives", "lib.balls", "lib.tally", "lib.exact_sum", "lib.studies.sampled", "lib.steps"],
    ["lib.fixes", "lib.remedies", "lib.whole_numbers", "lib.costs", "lib.certified", "lib.arb_gradient", "lib.parting"],
    ["lib.studies.derivative_bins", "lib.reference", "lib.replay", "lib.mechanisms"],
    ["lib.studies.derivative_tally", "lib.bounds", "lib.replay_tables"],
    ["lib.studies.judge"],
    ["lib.studies.verdict", "lib.tally_json"],
    [
        "lib.studies.discrepancy",
        "lib.studies.pitfall",
        "lib.studies.derivative",
        "lib.studies.derivative_saturation",
        "lib.studies.agreement",
        "lib.studies.controls",
        "lib.studies.differences",
        "lib.studies.lean",
    ],
    [
        "lib.condition_sentences",
        "lib.studies.discrepancy_tables",
        "lib.studies.pitfall_tables",
        "lib.studies.derivative_points",
        "lib.studies.verdict_tables",
        "lib.studies.lean_tables",
        "lib.studies.ladder",
        "lib.studies.remedies",
        "lib.studies.scaling",
        "lib.studies.differences_tables",
        "lib.cost_tables",
        "lib.export",
        "lib.stream",
        "lib.checkpoint",
        "lib.meeting",
    ],
    [
        "lib.studies.derivative_tables",
        "lib.sentences",
        "lib.derivative_sentences",
        "lib.origin_sentences",
        "lib.difference_sentences",
        "lib.why_sentences",
        "lib.verdict_sentences",
        "lib.run",
        "lib.lean_sentences",
        "lib.studies.files",
        "lib.long_run",
        "lib.charts.parts",
        "lib.script_blocks",
        "lib.script_functions",
    ],
    ["lib.script", "lib.runs"],
    ["lib.report"],
    [
        "lib.charts.discrepancy",
        "lib.charts.pitfall",
        "lib.charts.costs",
        "lib.charts.derivative",
        "lib.charts.methods",
        "lib.charts.verdict",
        "lib.charts.scaling",
        "lib.charts.differences",
        "lib.charts.lean",
        "lib.plots",
    ],
    ["lib.__main__", "lib.data_sentences", "page.figures", "page.live", "page.jumps", "page.log"],
    ["page.tour"],
    [
        "page.controls",
        "page.costs",
        "page.check",
        "page.points",
        "page.origin",
        "page.remedies",
        "page.verdict",
        "page.lean",
        "page.numbers",
        "page.data",
    ],
    ["page.discrepancy", "page.pitfall", "page.derivative", "page.script"],
    ["page.own"],
    ["streamlit_app"],
]
"""The modules from the ground up: each imports only from layers below its own."""


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def source(module: str) -> Path:
    return ROOT / f"{module.replace('.', '/')}.py"


def imports(module: str) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(source(module).read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def test_every_module_has_its_layer():
    paths = [path for part in ("lib", "page") for path in (ROOT / part).rglob("*.py") if path.name != "__init__.py"]
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths}
    assert {module for layer in LAYERS for module in layer} == modules | {"streamlit_app"}


@pytest.mark.parametrize("height", range(len(LAYERS)))
def test_imports_run_downwards_only(height):
    ours = {module for layer in LAYERS for module in layer}
    below = {module for layer in LAYERS[:height] for module in layer}
    for module in LAYERS[height]:
        assert imports(module) & ours <= below, module


def test_only_the_page_imports_streamlit():
    for path in (ROOT / "lib").rglob("*.py"):
        assert "streamlit" not in imports(".".join(path.relative_to(ROOT).with_suffix("").parts)), path


def test_the_lines_of_the_readme_reproduce_a_figure():
    (lines,) = blocks("python")
    printed = subprocess.run([sys.executable, "-c", lines], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    tally = Stream(Discrepancy(Experiment.parse("dtype=float64&samples=500"))).finish()
    assert printed.split() == [str(tally.equal), str(tally.components), str(tally.max_abs.value)]
    assert len([line for line in lines.splitlines() if line]) == 5


def test_ci_runs_the_test_command_of_the_readme():
    commands = [line for block in blocks("sh") for line in block.splitlines()]
    (command,) = [line for line in commands if "pytest" in line]
    assert command in (ROOT / ".ci/run").read_text().splitlines()


def test_the_readme_lists_every_key_of_the_query_with_its_default():
    rows = dict(re.findall(r"^\| `(\w+)` \|.*\| (?:`(.*)`|empty) \|$", README, re.MULTILINE))
    assert rows == {name: Experiment().text(name) for name in FIELDS}


def test_the_picture_of_the_readme_is_there():
    for picture in re.findall(r"!\[[^]]+\]\(([^)]+)\)", README):
        assert (ROOT / picture).read_bytes().startswith(b"\x89PNG")


def test_every_requirement_is_pinned_exactly():
    for path in (ROOT / "requirements.txt", ROOT / "tests/requirements.txt"):
        for line in path.read_text().splitlines():
            assert re.fullmatch(r"[A-Za-z0-9-]+==[0-9.]+", line) or line == "-r ../requirements.txt"


@pytest.mark.parametrize("command", [["check"], ["format", "--check"]], ids=" ".join)
def test_the_code_passes_ruff(command):
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *command, "--no-cache", "."], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("study", ["discrepancy", "derivative"])
def test_a_study_computes_on_one_thread_whoever_starts_it(study):
    lines = f"""
import torch, threading
from lib.experiment import Experiment
from lib.studies.{study} import {study.title()}
torch.set_num_threads(2)
def work():
    {study.title()}(Experiment())
    print(torch.get_num_threads())
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""
    assert subprocess.run([sys.executable, "-c", lines], cwd=ROOT, capture_output=True, text=True).stdout == "1\n"
