"""Scripts print the figures of the library, where neither it nor numpy can be imported."""

import ast
import json
import re
from contextlib import contextmanager
from dataclasses import replace
from itertools import cycle

import pytest
import torch

from lib.derivative.reference import reference
from lib.discrepancy.rows import first_rows
from lib.experiment import choices
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import Experiment
from lib.floats.ulps import round_once
from lib.takeaway.script import script
from lib.takeaway.study_table import CLASSES
from tests.cases import EVERY_DTYPE, EVERY_METHOD, finish
from tests.server import python

DRIVER = """
import contextlib, io, json, sys
sys.modules |= dict.fromkeys(["numpy", "pandas", "flint", "streamlit"])  # imports of these fail
try:
    import lib
except ImportError:
    import torch
    printed = {}
    for name, text in json.load(sys.stdin).items():
        torch.set_default_dtype(torch.float32)  # as each has a process of its own
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(text, name, "exec"), {"__name__": "__main__"})
        printed[name] = out.getvalue()
    json.dump(printed, sys.stdout)
"""
"""Runs scripts one after the other, without access to the project and to what else it requires."""

OWN = (
    "f=0.5*x*(1%2Btanh(sqrt(2/pi)*(x%2B0.044715*x**3)))",
    "f=sqrt(1%2Bx**2)-1&df=x/sqrt(1%2Bx**2)&dtype=bfloat16",
    "f=where(abs(x)>e,maximum(x,-1),sigmoid(2)*x**-2)&dtype=float16",
    "f=maximum(where(x>0,1,2),0)*x/(x-1)**0.5&dtype=float64",
    "f=exp(x)*maximum(x,0.5)&df=1/3&dtype=bfloat16",
    "f=where(x>0,1,2)**-1*x",
    "f=maximum(x,1e10)*x*where(x>0,-1,-2)&dtype=float16",
    "f=log(x)*(94906267*94906267)",
)
"""Functions of a visitor: what the default dtype decides, constants that the dtype cannot hold."""

CASES = {
    "discrepancy": [
        *(f"samples=25&method={method}" for method in EVERY_METHOD),
        *(f"samples=90&outputs=3&evaluation=batched&method={name}" for name in EVERY_METHOD),
        # No component is finite, and some are.
        *(f"samples=40&method=finite-difference&step={step}" for step in (-60, -25, -9)),
        "samples=30&layers=2+33+17+5+4&activation=silu&output_activation=tanh&distribution=normal",
        # Several blocks, of which the last is cut; and a network for each block.
        "samples=20000&evaluation=batched&seed=2147483647",
        "samples=150&networks=each-block&seed=5",
        "samples=500&networks=each-block&evaluation=batched&hidden=16,16,16,16,16,16",
    ],
    "pitfall": [
        "samples=15&layers=4+7+5+3&activation=gelu&output_activation=softmax",
        "samples=300&evaluation=batched&method=copies",
        "samples=1000&networks=each-block&evaluation=batched",
    ],
    "batch": [
        "samples=9&hidden=40,40&gradient=method&method=finite-difference",
        "samples=257&hidden=64,64&networks=each-block",
    ],
    "derivative": [
        *(f"samples=200&function={name}&x_from=normal" for name in FUNCTIONS),
        "samples=34768&x_from=log-uniform&dtype=float16",
        "samples=300&function=abs&x_from=uniform",
        *(f"samples=300&{query}" for query in OWN),
    ],
}
dtypes = cycle(EVERY_DTYPE)
QUERIES = [
    (study, query if "dtype=" in query else f"{query}&dtype={next(dtypes)}")
    for study, queries in CASES.items()
    for query in queries
]
IN_CHUNKS = [
    ("discrepancy", "evaluation=batched&samples=700&hidden=64,64&outputs=64"),
    ("pitfall", "evaluation=batched&samples=500&hidden=64,64&outputs=64&dtype=float16"),
]
"""For a device whose blocks are drawn in several chunks: one block or more, the last one cut."""


@contextmanager
def like_a_card(chunks):
    """The CPU takes more at once here, as a graphics card does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(choices.DEVICES, "cpu", replace(choices.DEVICES["cpu"], chunks=chunks))
        yield


def of_first_samples(experiment):
    """What a script prints of the first samples, from the table of the page."""
    figures = {}
    for sample, rows in first_rows(experiment).groupby("sample"):
        values = [list(map(float, rows[name])) for name in ("backward()", "Jacobian")]
        first, second = torch.tensor(values, dtype=getattr(torch, experiment.dtype))
        figures |= {
            f"sample {sample}: backward()": first.tolist(),
            f"sample {sample}: Jacobian": second.tolist(),
            f"sample {sample}: torch.equal": all(rows["equal"]),
            f"sample {sample}: difference": (first - second).tolist(),
        }
    return figures


def expected(line, figures):
    """The figure of a line, whose name is that of a figure, with a formula or a batch size."""
    if line in figures:
        return figures[line]
    formula, _, figure = line.rpartition(": ")
    if of_batch := re.fullmatch(r"(\w+) in batches of (\d+)", formula):
        (size,) = [size for size in figures["sizes"] if size["batch"] == int(of_batch[2])]
        return size[of_batch[1]][figure]
    if formula:
        rows = {"autograd": figures["autograd"], **figures["formulas"]}
        return rows[formula][figure]
    if figure == "ulps_to_4":
        return [pair for pair in figures["ulps"] if abs(pair[0]) <= 4]
    return figures[figure]


@pytest.fixture(scope="module")
def scripts():
    """All scripts, by name."""
    texts = {}
    for chunks, cases in ((1, QUERIES), (16, IN_CHUNKS)):
        with like_a_card(chunks):
            for study, query in cases:
                texts[f"{study} {query}"] = script(study, Experiment.parse(query))
    return texts


@pytest.fixture(scope="module")
def printed(scripts):
    """The output of all scripts, by name."""
    done = python("-I", "-c", DRIVER, cwd="/", input=json.dumps(scripts))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


LINES = {"discrepancy": 12, "pitfall": 7, "batch": 61, "derivative": 2}
"""How many figures a script prints at least."""


@pytest.mark.parametrize(
    "study, query, chunks",
    [*((*case, 1) for case in QUERIES), *((*case, 16) for case in IN_CHUNKS)],
)
def test_a_script_prints_the_figures_of_the_library(study, query, chunks, printed):
    with like_a_card(chunks):
        experiment = Experiment.parse(query)
        figures = finish(CLASSES[study], experiment).figures()
        if study == "discrepancy":
            figures |= of_first_samples(experiment)
    lines = dict(line.rsplit(" = ", 1) for line in printed[f"{study} {query}"].splitlines())
    assert len(lines) >= LINES[study] + len(figures.get("formulas", []))
    for line, value in lines.items():
        figure = expected(line, figures)
        assert value == str(figure) or ast.literal_eval(value) == figure, line


@pytest.mark.parametrize(
    "query, setting",
    [
        ("matmul=tf32", "allow_tf32 = True"),
        ("matmul=full&dtype=float16", "allow_fp16_reduced_precision_reduction = False"),
        ("dtype=bfloat16", "allow_bf16_reduced_precision_reduction = True"),
        ("matmul=tf32&dtype=float64", None),
    ],
)
def test_how_a_card_rounds_is_set(query, setting):
    on_card = script("discrepancy", Experiment.parse(f"{query}&device=cuda"))
    assert on_card.count('.to("cuda")') == 2, "weights and samples"
    lines = [line for line in on_card.splitlines() if line.startswith("torch.backends.")]
    assert lines == ([f"torch.backends.cuda.matmul.{setting}"] if setting else [])
    for other in (
        script("discrepancy", Experiment.parse(query)),
        script("derivative", Experiment(device="cuda")),
    ):
        assert "torch.backends" not in other


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_scripts_round_once(dtype):
    """Numbers nearer to the middle of two floats of the dtype than float32 can tell."""
    names = {}
    exec(script("derivative", Experiment(dtype=dtype)).partition("\n\nequal = ")[0], names)
    finfo = torch.finfo(getattr(torch, dtype))
    middles = 1 + finfo.eps * (torch.arange(20, dtype=torch.float64) + 0.5)
    off = torch.cat([middles * (1 + sign * 2.0**-40) for sign in (-1, 0, 1)])
    numbers = torch.cat([off * scale for scale in (0, 1, 4, -finfo.smallest_normal / 8)])
    expected = round_once(numbers, getattr(torch, dtype))
    assert torch.equal(names["round_once"](numbers), expected)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_derivatives_exist_where_figures_say(function):
    x = torch.tensor([-1.0, -0.0, 0.0, 5e-324, 1.0], dtype=torch.float64)
    exists = eval(FUNCTIONS[function].exists or "x == x", {"x": x})
    assert exists.tolist() == reference(function, x).exists.tolist()


def test_every_script_is_short_and_formatted(tmp_path, scripts):
    """Of all but a visitor's own function, which may be as long as a visitor likes."""
    texts = [text for name, text in scripts.items() if "&f=" not in name]
    for number, text in enumerate(texts):
        assert text.isascii() and text.endswith("\n") and len(text.splitlines()) <= 64
        (tmp_path / f"script_{number}.py").write_text(text)
    options = ["--isolated", "--no-cache", "--line-length", "100", str(tmp_path)]
    for command in (["check", "--select", "E,F,I,UP,B"], ["format", "--check"]):
        done = python("-m", "ruff", *command, *options)
        assert done.returncode == 0, done.stdout
