"""Figures as sentences: never rounded to none or all, in one sentence, honest about what is missing."""

import ast
import re

import numpy as np
import pytest

from lib.discrepancy.study import Discrepancy, DiscrepancyTally
from lib.display.quantities import at_most, percent
from lib.experiment.choices import MATMULS, METHODS
from lib.experiment.query import PRESETS, Experiment, QueryError
from lib.network import machine
from lib.pitfall.costs import Cost
from lib.pitfall.study import Pitfall
from lib.run.stream import Stream
from lib.run.tally import Histogram
from lib.takeaway.sentences import (
    claim,
    conditions,
    cost_claim,
    cost_spread,
    elsewhere,
    environment,
    finiteness,
    pitfall_claim,
    pitfall_rows,
    progress,
    quoted,
    refusal,
    summary,
    title,
    vmap_claim,
)
from tests.cases import EVERY_METHOD


def test_progress_says_rate_and_time_left_while_it_is_going_on():
    assert progress(0, 2000, "samples", 0, False) == "0 of 2,000 samples · starting"
    assert progress(500, 2000, "samples", 250, False) == "500 of 2,000 samples · 250 samples/s · 6 s left"
    assert progress(500, 2000, "samples", 250, False, 1).endswith(" · 6 s left · taking turns with 1 other run")
    assert (
        progress(0, 2000, "samples", 0, False, 12) == "0 of 2,000 samples · starting · taking turns with 12 other runs"
    )
    assert progress(500, 2000, "samples", 250, True) == "500 of 2,000 samples · paused"
    assert progress(2000, 2000, "turns", 250, False) == "2,000 of 2,000 turns"


def test_the_claim_has_the_figures_of_the_tally():
    experiment = Experiment(samples=200)
    tally = Stream(Discrepancy(experiment)).finish()
    text = claim(tally, experiment)
    assert percent(1000 - tally.equal, 1000) in text and at_most(tally.max_abs.value) in text and "1,000" in text


def test_the_claim_of_the_control_is_that_all_bits_are_the_same():
    experiment = Experiment(samples=20, outputs=1)
    assert "equal values in all 100 " in claim(Stream(Discrepancy(experiment)).finish(), experiment)


def test_the_claim_of_nothing_is_no_figure():
    assert "on their way" in claim(DiscrepancyTally(), Experiment())
    overflowed = DiscrepancyTally(arrived_nonfinite=Histogram.of(np.zeros(5, int)), arrived=Histogram.of(np.array([0])))
    assert "no finite" in claim(overflowed, Experiment())


def test_components_that_are_not_finite_are_said():
    lost = DiscrepancyTally(arrived_nonfinite=Histogram.of(np.zeros(3, int)))
    assert "0/0" in finiteness(lost, Experiment(method="finite-difference"))
    assert finiteness(lost, Experiment()).endswith(
        ": a number on the way overflowed the range of the dtype. They are in no other figure here."
    )
    assert finiteness(lost, Experiment()).startswith("3 of 3 components are infinite or NaN")


def claim_of(query: str) -> str:
    experiment = Experiment.parse(f"samples=20&{query}")
    return claim(Stream(Discrepancy(experiment)).finish(), experiment)


@pytest.mark.parametrize(
    ("query", "side", "words"),
    [
        (
            "method=summed-output",
            "jacobian(lambda x: net(x).sum(), x)",
            "100 gradient components: each is one backward",
        ),
        (
            "method=single-call&outputs=1",
            "stack(grad([y_0, y_1, …], [x, x, …])).sum(0)",
            "components: each is one backward",
        ),
        ("method=single-call&outputs=3", "stack(grad([y_0, y_1, …], [x, x, …])).sum(0)", "counts the gradient 3 times"),
        (
            "method=finite-difference",
            "((net(x + h) − net(x − h)) / (2h)).sum(0)",
            "finite differences only approximate",
        ),
        ("method=finite-difference&outputs=1", "((net(x + h) − net(x − h)) / (2h)).sum(0)", "only approximate the"),
        ("method=jacrev", "jacrev(net)(x).sum(0)", "never differed by more than"),
        ("method=batched-grad", "grad(y, x, eye, is_grads_batched=True)[0].sum(0)", "differed by more than"),
    ],
)
def test_the_claim_writes_down_what_was_compared_and_why_it_differs(query, side, words):
    text = claim_of(query)
    assert text.startswith(f"`backward()` and `{side}` gave ") and words in text


def test_the_claim_of_a_right_jacobian_gives_no_reason():
    assert ": " not in claim_of("method=rows") and ": " not in claim_of("method=rows&outputs=1")


def test_what_the_claim_writes_down_sums_the_whole_of_the_call():
    """Whatever is written down for a method, `.sum(0)` applies to all of it: parsed, it is called on that very text."""
    for method in METHODS.values():
        in_python = [
            re.sub(r"\b2h\b", "2 * h", part).translate(str.maketrans("−…", "-_"))
            for part in (method.summed, method.call)
        ]
        summed, call = (ast.parse(part, mode="eval").body for part in in_python)
        if method.gives == "sum":
            assert ast.dump(summed) == ast.dump(call)
        else:
            assert summed.func.attr == "sum" and ast.dump(summed.func.value) == ast.dump(call)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("method=finite-difference", "How far from backward() are finite differences, over"),
        ("method=single-call", "How far from backward() is the sum of the rows of one call of grad"),
        ("method=single-call&outputs=1", "the only row of the single call (the pitfall) give equal values, over"),
        ("method=summed-output", "the only row of the jacobian of the summed outputs give equal values, over"),
        ("method=rows", "the summed Jacobian (grad, row by row) give equal values, over"),
    ],
)
def test_the_summary_asks_what_the_method_can_answer(query, words):
    assert words in summary("discrepancy", Experiment.parse(query))


def test_the_conditions_of_finite_differences_name_the_step():
    texts = [conditions(Experiment(method="finite-difference", step=step)) for step in (None, -12, 3)]
    steps = [re.search(r"The step is h = (.*?)·max\(1, \|x\|\)\.", text)[1] for text in texts]
    assert steps == ["eps^(1/3)", "2⁻¹²", "2³"]
    assert conditions(Experiment(step=-12)) == conditions(Experiment())


@pytest.mark.parametrize("method", EVERY_METHOD)
def test_the_conditions_name_the_evaluation_the_dtype_and_the_device(method):
    text = conditions(Experiment(method=method, evaluation="batched", dtype="bfloat16"))
    assert "batched" in text and "bfloat16" in text and "CPU" in text


def test_the_conditions_of_a_card_name_its_flags_and_when_its_bits_repeat():
    texts = [conditions(Experiment(device="cuda", matmul=matmul)) for matmul in MATMULS]
    assert len(set(texts)) == 3 and all("CUDA" in text and "cuBLAS" in text for text in texts)
    assert [MATMULS[matmul].about in text for matmul, text in zip(MATMULS, texts, strict=True)] == [True] * 3
    assert conditions(Experiment(matmul="tf32")) == conditions(Experiment())


@pytest.mark.parametrize("value", ["[a](//b.cc)", "`", "a``b`", "![p](//e.cc/f)", "**x**", "", "x" * 500])
def test_what_a_link_sent_is_shown_as_code(value):
    with pytest.raises(QueryError) as caught:
        Experiment.from_pairs([("dtype", value)])
    head, fence, rest = re.fullmatch(r"(dtype = )(`+) (.*)", refusal(caught.value)).groups()
    shown, tail = rest.split(f" {fence} ")
    assert shown == (value if 0 < len(value) < 60 else caught.value.shown.removeprefix("'" if value else ""))
    assert fence not in shown and tail.startswith("is not allowed")


def pitfall(query: str) -> tuple[str, str]:
    experiment = Experiment.parse(query)
    tally = Stream(Pitfall(experiment)).finish()
    return pitfall_claim(tally, experiment), pitfall_rows(tally, experiment)


def test_the_claim_of_the_pitfall_has_the_figures_of_the_tally():
    experiment = Experiment(outputs=3, samples=30)
    tally = Stream(Pitfall(experiment)).finish()
    text = pitfall_claim(tally, experiment)
    assert "gave 3 equal rows" in text and f"up to {at_most(tally.worst.value)}" in text
    assert abs(float(re.search(r"([\d.]+) decades", text)[1]) - tally.decades) <= 0.25


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("outputs=1&samples=5", "right with one output"),
        ("activation=relu&hidden=1&seed=1&samples=5&output_activation=relu", "equal to their sum"),
    ],
)
def test_the_claim_where_there_is_no_pitfall(query, words):
    assert words in pitfall(query)[0]


def test_the_claim_of_the_pitfall_before_the_first_samples():
    assert pitfall_claim(Pitfall.empty, Experiment()).endswith("the first samples are on their way.")


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("single-call", "as `single-call` gives none"),
        ("finite-difference", "`finite-difference` gives none"),
        ("jacrev", "by `torch.func.jacrev`."),
    ],
)
def test_it_is_said_which_method_the_right_rows_are_from(method, words):
    rows = pitfall(f"method={method}&samples=10")[1]
    assert rows.startswith("100% of the 20 rows") and words in rows


def cost(method: str, outputs: int, seconds: float, spread: float = 0.01) -> Cost:
    return Cost(method, outputs, seconds * (1 - spread), seconds, seconds * (1 + spread), 1)


def timed(outputs: int, fast: dict[str, float]) -> list[Cost]:
    """Every method at so many outputs: those named take so many seconds, the others one."""
    return [cost(method, outputs, fast.get(method, 1.0)) for method in METHODS]


FASTEST = "is the fastest way to the rows for"


def test_the_fastest_is_named_and_from_how_many_outputs_on():
    costs = [*timed(1, {"rows": 1e-4}), *timed(2, {"copies": 2e-4}), *timed(4, {"copies": 3e-4})]
    costs += [*timed(8, {"rows": 4e-4}), *timed(16, {"rows": 5e-4})]
    tails = {
        1: f"`rows` {FASTEST} 1 output: 100 µs a Jacobian. From 8 outputs on, up to 16, it is `rows` again.",
        2: f"`copies` {FASTEST} 2 outputs: 200 µs a Jacobian. From 8 outputs on, up to 16, it is `rows`.",
        8: f"`rows` {FASTEST} 8 outputs: 400 µs a Jacobian. It stays the fastest up to 16 outputs.",
        16: f"`rows` {FASTEST} 16 outputs: 500 µs a Jacobian.",
    }
    assert {outputs: cost_claim(costs, Experiment(outputs=outputs)) for outputs in tails} == tails
    some = [*timed(1, {"rows": 1e-4}), *timed(2, {"copies": 2e-4})]
    assert cost_claim(some, Experiment(outputs=1)).endswith(" With 2 outputs it is `copies`.")


def test_nobody_is_the_fastest_before_all_were_timed():
    (rows, *others) = timed(64, {"rows": 1e-4})
    assert cost_claim([rows], Experiment(outputs=64)) == "Not every method has been timed with 64 outputs so far."


def test_a_method_whose_timings_overlap_may_be_as_fast():
    others = [one for one in timed(2, {}) if one.method not in ("rows", "jacrev")]
    costs = [cost("rows", 2, 1e-4, 0.1), cost("jacrev", 2, 1.1e-4, 0.1), *others]
    assert "; `jacrev` may be as fast, since the timings overlap." in cost_claim(costs, Experiment())


def test_nobody_is_the_fastest_before_there_are_timings():
    assert cost_claim([], Experiment()) == "The first timings are on their way."


@pytest.mark.parametrize(
    ("loop", "batch", "words"),
    [
        ((1.0, 2.0, 4.0), (3.0, 3.0, 3.0), "from 4 outputs on, not always with fewer"),
        ((1.0, 2.0, 4.0), (0.5, 3.0, 3.0), "from 4 outputs on, not always with fewer"),
        ((1.0, 2.0, 4.0), (0.5, 0.5, 0.5), "at every number of outputs tried"),
        ((1.0, 2.0, 4.0), (0.5, 0.5, 5.0), "slower than the loop (`rows`) at the most outputs tried"),
    ],
)
def test_it_is_said_where_vmap_loses(loop, batch, words):
    costs = [cost("rows", n, seconds) for n, seconds in zip((1, 2, 4), loop, strict=True)]
    costs += [cost("batched-grad", n, seconds) for n, seconds in zip((1, 2, 4), batch, strict=True)]
    assert words in vmap_claim(costs)


def test_nothing_is_said_of_vmap_before_it_was_timed():
    assert vmap_claim([cost("rows", 1, 1.0)]) == "The first timings of `batched-grad` are on their way."


def test_the_spread_of_the_timings_is_said():
    assert "spread over 20% of their median" in cost_spread([cost("rows", n, 1e-4, 0.1) for n in (1, 2, 4)])


@pytest.mark.parametrize("study", ["discrepancy", "pitfall", "derivative"])
@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
def test_a_title_and_a_summary_fit_a_preview_and_name_the_experiment(study, preset):
    assert len(title(study, preset)) <= 60 and preset.dtype in title(study, preset)
    text = summary(study, preset)
    assert len(text) <= 200 and text.count("?") == 1 and text.endswith("?")
    assert f" {preset.samples:,} random " in text and preset.dtype in text


def test_a_title_and_a_summary_say_what_is_special():
    experiment = Experiment(hidden=(3, 4), device="cuda", networks="each-block", samples=1, method="single-call")
    assert title("discrepancy", Experiment()) == "Last Bit: 5→10→2 relu, float32, functional"
    assert title("pitfall", experiment) == "Last Bit: 5→3→4→2 relu, float32, single-call"
    assert title("derivative", experiment) == "Last Bit: the derivative of 1/x, float32"
    assert "over 1 random sample of 5→3→4→2 networks (relu, sigmoid) in float32 on CUDA" in summary(
        "discrepancy", experiment
    )
    assert "(functional.jacobian)" in summary("pitfall", experiment)
    assert "of torch.exp(x)" in summary("derivative", Experiment(function="exp"))


def test_the_environment_is_one_line_with_the_settings_of_the_device():
    described = machine.describe(Experiment()) | {"gpu": "Some GPU", "cuda": "13.0", "matmul_tf32": True}
    on_cpu, on_cuda = environment(described, "cpu"), environment(described, "cuda")
    parts = [described[key] for key in ("torch", "python", "cpu", "cpu_capability", "float32_matmul_precision")]
    assert all(part in on_cpu and part in on_cuda for part in parts) and "1 thread ·" in on_cpu
    assert on_cpu.startswith("Device CPU · ") and "GPU" not in on_cpu and "TF32" not in on_cpu
    assert on_cuda.startswith("Device CUDA · ") and "Some GPU, CUDA 13.0" in on_cuda and "TF32 on, in cuDNN" in on_cuda
    assert "MKL" not in environment(described | {"mkl": False}, "cpu") and "\n" not in on_cpu


def test_what_matters_on_another_machine_is_said():
    described = machine.describe(Experiment())
    assert described["cpu_capability"] in elsewhere(described) and described["torch"] in elsewhere(described)


def test_what_a_visitor_wrote_is_code_as_it_was_typed_and_the_rest_is_no_markup():
    assert quoted("Left out at '...': after (threshold=10**6) or (threshold=10**6).", "'...'") == (
        r"Left out at ` ... `: after (threshold=10\*\*6) or (threshold=10\*\*6)."
    )
    assert quoted("x = a`b is not allowed.", "a`b") == "x = `` a`b `` is not allowed."
    assert quoted("Nothing was sent.", "") == "Nothing was sent."
