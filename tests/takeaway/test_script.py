"""Scripts are run where neither the project nor numpy can be imported, and print the figures of the library."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
import torch

from lib.derivative import formulas as derivatives
from lib.derivative.reference import exists_at
from lib.experiment import choices
from lib.experiment.choices import X_FROM
from lib.experiment.functions import FUNCTIONS
from lib.experiment.query import PRESETS, Experiment
from lib.experiment.studies import SUBJECTS
from lib.floats.line import round_once
from lib.network.sampling import POINTS, block_size, chunk_size
from lib.run.stream import Stream
from lib.takeaway.script import in_torch, script
from lib.takeaway.study_table import CLASSES
from tests.cases import EVERY_DTYPE, EVERY_METHOD, SHAPES

DRIVER = """
import contextlib, io, json, sys
sys.modules |= dict.fromkeys(["numpy", "pandas", "flint", "streamlit"])  # importing these fails from here on
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
"""Runs scripts one after the other in a process that has no access to the project, nor to what else it requires."""


def per_dtype(number: int) -> str:
    return EVERY_DTYPE[number % len(EVERY_DTYPE)]


OWN = [
    {"f": "0.5*x*(1+tanh(sqrt(2/pi)*(x+0.044715*x**3)))"},
    {"f": "sqrt(1+x**2)-1", "df": "x/sqrt(1+x**2)", "dtype": "bfloat16"},
    {"f": "where(abs(x) > e, maximum(x, -1), sigmoid(2)*x**-2)", "dtype": "float16"},
    {"f": "maximum(where(x > 0, 1, 2), 0)*x/(x-1)**0.5", "dtype": "float64"},
    {"function": "tanh", "df": "1-tanh(x)**2"},
    # What the default dtype decides, and constants that no tensor of the dtype holds.
    {"f": "minimum(x, 2)*x*0.1"},
    {"f": "exp(x)*maximum(x, 0.5)", "df": "1/3", "dtype": "bfloat16"},
    {"f": "where(x > 0, 0.1, -3)*x*maximum(sigmoid(2), 0.1)", "dtype": "float64"},
    {"f": "maximum(x, 1e10)*x*where(x > 0, -1, -2)", "dtype": "float16"},
    {"f": "log(x)*(94906267*94906267)"},  # autograd goes on where there is no logarithm
]
"""Functions and formulas of a visitor."""

CASES = [
    *(
        ("discrepancy", Experiment(method=m, dtype=per_dtype(i), samples=25))
        for i, m in enumerate(EVERY_METHOD)
    ),
    *(
        (
            "discrepancy",
            Experiment(method=m, dtype=per_dtype(i), evaluation="batched", outputs=3, samples=900),
        )
        for i, m in enumerate(EVERY_METHOD)
    ),
    ("discrepancy", Experiment(method="finite-difference", step=-12, samples=25)),
    # No component is finite, and some are.
    ("discrepancy", Experiment(method="finite-difference", step=-60, samples=25)),
    ("discrepancy", Experiment(method="finite-difference", step=-25, samples=300)),
    (
        "discrepancy",
        Experiment(
            method="finite-difference", step=3, samples=900, dtype="float16", evaluation="batched"
        ),
    ),
    *(
        ("discrepancy", replace(shape, samples=8192 // 256, distribution="normal"))
        for shape in SHAPES
    ),
    *(
        ("pitfall", replace(shape, samples=15, dtype=per_dtype(i)))
        for i, shape in enumerate(SHAPES)
    ),
    *(
        ("pitfall", Experiment(method=m, evaluation="batched", samples=300))
        for m in ("copies", "single-call", "jacfwd")
    ),
    # Many blocks, the last of them cut or whole; and a network for each, of both kinds of rounding.
    ("discrepancy", Experiment(evaluation="batched", samples=20_000)),
    (
        "discrepancy",
        Experiment(evaluation="batched", samples=2 * block_size(Experiment()), seed=2**31 - 1),
    ),
    ("discrepancy", Experiment(networks="each-block", samples=150, dtype="float16", seed=5)),
    (
        "discrepancy",
        Experiment(networks="each-block", evaluation="batched", samples=1000, hidden=(16,) * 6),
    ),
    ("discrepancy", Experiment(networks="each-block", samples=20)),
    (
        "pitfall",
        Experiment(
            networks="each-block", evaluation="batched", samples=1000, dtype="bfloat16", seed=1
        ),
    ),
    *(
        ("batch", replace(shape, samples=300, dtype=per_dtype(i)))
        for i, shape in enumerate(SHAPES[1::2])
    ),
    # A wide network has small blocks, which are computed whole, and differs in most components.
    *(
        (
            "batch",
            Experiment(
                gradient="method", method=m, samples=40, hidden=(256, 256), dtype=per_dtype(i)
            ),
        )
        for i, m in enumerate(("finite-difference", "summed-output"))
    ),
    ("batch", Experiment(samples=300, hidden=(256, 256), evaluation="batched")),
    ("batch", Experiment(samples=900, evaluation="batched")),
    ("batch", Experiment(samples=256, hidden=(64, 64), outputs=64, networks="each-block")),
    ("batch", Experiment(samples=300, networks="each-block", dtype="bfloat16", seed=5)),
    *(
        (
            "derivative",
            Experiment(
                function=f, x_from=list(X_FROM)[i % 3], dtype=per_dtype(i), samples=200, seed=i
            ),
        )
        for i, f in enumerate(FUNCTIONS)
    ),
    ("derivative", Experiment(samples=POINTS + 2000, x_from="log-uniform", dtype="float16")),
    ("derivative", Experiment(samples=2 * POINTS, function="gelu", x_from="log-uniform")),
    *(("derivative", Experiment(**chosen, samples=300)) for chosen in OWN),
]


IN_CHUNKS = [
    ("discrepancy", Experiment(evaluation="batched", samples=700, hidden=(64, 64), outputs=64)),
    (
        "discrepancy",
        Experiment(
            evaluation="batched", samples=1500, hidden=(64, 64), outputs=64, dtype="bfloat16"
        ),
    ),
    (
        "pitfall",
        Experiment(evaluation="batched", samples=500, hidden=(64, 64), outputs=64, dtype="float16"),
    ),
]
"""For a device whose blocks are drawn in several chunks, which are one block or more, the last of them cut."""


@contextmanager
def like_a_card() -> Iterator[None]:
    """The CPU takes more at once here, as a graphics card does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(choices.DEVICES, "cpu", replace(choices.DEVICES["cpu"], chunks=16))
        yield


def figures(study: str, experiment: Experiment) -> dict:
    return Stream(CLASSES[study](experiment)).finish().figures()


def expected(name: str, found: dict) -> object:
    """The figure that a line `name = value` is to show."""
    formula, of_formula, figure = name.rpartition(": ")
    if of_batch := re.fullmatch(r"(\w+) in batches of (\d+)", formula):
        (size,) = [size for size in found["sizes"] if size["batch"] == int(of_batch[2])]
        return size[of_batch[1]][figure]
    if of_formula:
        return (found["autograd"] if formula == "autograd" else found["formulas"][formula])[figure]
    return (
        [pair for pair in found["ulps"] if abs(pair[0]) <= 4]
        if name == "ulps_to_4"
        else found[name]
    )


def assert_prints(printed: str, study: str, found: dict) -> None:
    lines = dict(line.rsplit(" = ", 1) for line in printed.splitlines())
    assert {name: ast.literal_eval(value) for name, value in lines.items()} == {
        name: expected(name, found) for name in lines
    }
    equal = (
        "equal" if found.get("function", "").partition("; ")[0] in FUNCTIONS else "equal_anywhere"
    )
    least = {
        "discrepancy": {
            *(
                "samples",
                "components",
                "nonfinite",
                "equal",
                "samples_equal",
                "max_abs",
                "max_ulps",
                "ulps_to_4",
            )
        },
        "pitfall": {
            "samples",
            "rows_equal",
            "rows",
            "rows_backward",
            "single_vs_rows_max",
            "single_vs_sum_max",
        },
        "derivative": {
            "samples",
            *(f"{name}: {equal}" for name in ("autograd", *found.get("formulas", []))),
        },
    }
    least["batch"] = {"samples"} | {
        f"{quantity} in batches of {size}: {figure}"
        for quantity in ("output", "gradient")
        for size in (1, 2, 3, 4, 8, 16, 32, 64, 128, 256)
        for figure in ("components", "equal", "max_abs")
    }
    assert least[study] <= lines.keys()


def near_ties(dtype: torch.dtype) -> torch.Tensor:
    """Numbers just off the middle of two floats of the 16-bit dtype, so little that float32 does not tell, and 0."""
    eps, smallest = torch.finfo(dtype).eps, torch.finfo(dtype).smallest_normal
    middles = 1 + eps * (torch.arange(20, dtype=torch.float64) + 0.5)
    off = torch.cat([middles * (1 + sign * 2.0**-40) for sign in (-1, 0, 1)])
    scaled = [off * scale for scale in (1.0, 4.0, smallest, smallest / 8, -smallest / 2)]
    return torch.cat([*scaled, torch.zeros(1, dtype=torch.float64)])


@pytest.fixture(scope="module")
def printed() -> dict[str, str]:
    """What the scripts print, and what theirs makes of numbers where rounding twice would show."""
    texts = {
        f"{study} {experiment.query}": script(study, experiment) for study, experiment in CASES
    }
    assert len(texts) == len(CASES) > 50
    with like_a_card():
        texts |= {
            f"{study} {experiment.query} in chunks": script(study, experiment)
            for study, experiment in IN_CHUNKS
        }
    for dtype in ("bfloat16", "float16"):
        numbers = near_ties(getattr(torch, dtype)).tolist()
        head = script("derivative", Experiment(dtype=dtype)).partition("\n\nequal = ")[0]
        texts[dtype] = (
            f"{head}\nprint(round_once(torch.tensor({numbers}, dtype=torch.float64)).tolist())"
        )
    done = subprocess.run(
        [sys.executable, "-I", "-c", DRIVER],
        cwd="/",
        input=json.dumps(texts),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("study", "experiment"), CASES, ids=lambda value: getattr(value, "query", value)
)
def test_a_script_prints_the_figures_of_the_library(study, experiment, printed):
    assert_prints(printed[f"{study} {experiment.query}"], study, figures(study, experiment))


@pytest.mark.parametrize(
    ("study", "experiment"), IN_CHUNKS, ids=lambda value: getattr(value, "query", value)
)
def test_a_script_draws_in_chunks_as_the_library_does_for_a_card(study, experiment, printed):
    with like_a_card():
        found = figures(study, experiment)
        assert block_size(experiment) == 16 * chunk_size(experiment)
    assert_prints(printed[f"{study} {experiment.query} in chunks"], study, found)


@pytest.mark.parametrize(
    ("query", "setting"),
    [
        ("matmul=tf32", "allow_tf32 = True"),
        ("matmul=full&dtype=float16", "allow_fp16_reduced_precision_reduction = False"),
        ("matmul=full&dtype=bfloat16", "allow_bf16_reduced_precision_reduction = False"),
        ("matmul=full", None),
        ("matmul=tf32&dtype=float64", None),
        ("matmul=default", None),
    ],
)
def test_how_a_card_rounds_is_set_where_it_is_not_as_pytorch_sets_it(query, setting):
    experiment = Experiment.parse(f"{query}&device=cuda")
    lines = script("discrepancy", experiment).splitlines()
    set_here = [line for line in lines if line.startswith("torch.backends.")]
    assert set_here == ([f"torch.backends.cuda.matmul.{setting}"] if setting else [])
    assert not any(
        "torch.backends" in script("discrepancy", replace(experiment, device=name))
        for name in ("cpu", "mps")
    )
    assert "torch.backends" not in script("derivative", experiment)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_scripts_round_once(dtype, printed):
    numbers = near_ties(getattr(torch, dtype))
    once = round_once(numbers, getattr(torch, dtype))
    assert not torch.equal(once, numbers.to(once.dtype))  # which rounds twice
    assert ast.literal_eval(printed[dtype]) == once.tolist()


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_formulas_are_written_as_the_library_computes_them(function, dtype):
    x = torch.linspace(-3, 3, 1024, dtype=torch.float64).to(getattr(torch, dtype))
    row = derivatives.COMPUTED[function]
    scope = {"torch": torch, "math": __import__("math"), "x": x, "y": row.f(x)}
    for letter, meaning in (
        pair.split(" = ") for pair in FUNCTIONS[function].where.split(", ") if pair
    ):
        scope[letter] = eval(in_torch(meaning), scope)
    computed = {
        FUNCTIONS[function].call: scope["y"],
        **{name: formula(x) for name, formula in row.formulas.items()},
    }
    for text, values in computed.items():
        by_python = eval(in_torch(text), scope).to(x.dtype)
        torch.testing.assert_close(values, by_python, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_where_the_derivative_exists_is_as_the_figures_have_it(function):
    x = torch.tensor([-1.0, -0.0, 0.0, 5e-324, 1.0], dtype=torch.float64)
    condition = FUNCTIONS[function].exists
    found = eval(condition, {"x": x}) if condition else torch.ones(5, dtype=torch.bool)
    assert found.tolist() == exists_at(function, x.numpy()).tolist()


LONGEST = dict(
    inputs=64, hidden=(64,) * 6, outputs=64, activation="leaky_relu", output_activation="leaky_relu"
)
LONGEST |= dict(
    dtype="bfloat16", step=-60, samples=10**9 - 1, seed=2**31 - 1, matmul="full", gradient="method"
)
SHORTEST = dict(
    hidden=(), outputs=1, output_activation="softmax", function="gelu", x_from="log-uniform"
)


@pytest.mark.parametrize("study", SUBJECTS)
def test_every_script_is_short_and_imports_torch_alone(study):
    tried = 0
    choices_of = [
        choices.NETWORKS,
        choices.EVALUATIONS,
        choices.DEVICES,
        EVERY_METHOD,
        (LONGEST, SHORTEST),
    ]
    for networks, evaluation, device, method, fields in product(*choices_of):
        if method != "finite-difference":
            fields = {name: value for name, value in fields.items() if name != "step"}
        chosen = fields | dict(
            networks=networks, evaluation=evaluation, device=device, method=method
        )
        text = script(study, Experiment(**chosen))
        lines, tried = text.splitlines(), tried + 1
        assert (
            len(lines) <= 64
            and max(map(len, lines)) <= 100
            and text.isascii()
            and text.endswith("\n")
        )
        found = [
            node
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Import | ast.ImportFrom)
        ]
        modules = {getattr(node, "module", None) or node.names[0].name for node in found}
        assert {name.partition(".")[0] for name in modules} - {
            "math",
            "collections",
            "itertools",
        } == {"torch"}
    assert tried == 2 * 2 * 3 * len(EVERY_METHOD) * 2


def test_scripts_are_formatted_and_free_of_faults(tmp_path):
    cases = [
        (study, one) for study, one in CASES if not one.f and not one.df
    ]  # a visitor's text is as long as it is
    scripts = {script(study, experiment) for study, experiment in cases}
    scripts |= {script(study, preset) for study in SUBJECTS for preset in PRESETS.values()}
    scripts |= {script(study, replace(experiment, device="cuda")) for study, experiment in cases}
    scripts |= {
        script(
            "discrepancy", Experiment(**LONGEST | {"networks": networks, "evaluation": evaluation})
        )
        for networks in choices.NETWORKS
        for evaluation in choices.EVALUATIONS
    }
    for number, text in enumerate(sorted(scripts)):
        Path(tmp_path, f"script_{number}.py").write_text(text)
    for command in (["check", "--select", "E,F,I,UP,B"], ["format", "--check"]):
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "ruff",
                *command,
                "--isolated",
                "--no-cache",
                "--line-length",
                "100",
                tmp_path,
            ],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout
