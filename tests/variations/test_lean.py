"""The leans by number of outputs: each point against counting anew, and the causes against what is known of them."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from lib import __main__ as command
from lib.discrepancy.compared import Comparisons, Variant
from lib.discrepancy.verdict import VerdictTally
from lib.display.quantities import signed_percent
from lib.experiment.query import MOST_COST, Experiment
from lib.network import network, sampling
from lib.network.comparison import BACKWARD, JACOBIAN, PLAIN, by
from lib.run.stream import Stream
from lib.run.tally import ByName, Histogram
from lib.variations import lean
from lib.variations.lean import METHOD, NETWORKS, OUTPUTS, Lean, LeanTally, points
from lib.variations.lean_sentences import causes, lean_conditions, outputs_claim
from lib.variations.lean_tables import last_points, moved, readable, tables, text_of
from lib.variations.mechanisms import MECHANISMS, Mechanism
from lib.variations.variants import Measured
from tests.oracles import closed_form_jacobian

AT_ONCE = 0.0
BATCHED = Experiment(evaluation="batched")


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(lean, "NETWORKS", 3)
    monkeypatch.setattr(lean, "SAMPLES", {"per-sample": 2, "batched": 4})
    monkeypatch.setattr(lean, "OUTPUTS", [2, 8])


def finish(experiment: Experiment) -> LeanTally:
    return Stream(Lean(experiment)).finish()


def test_the_points_have_every_dtype_and_number_of_outputs():
    found = points(replace(BATCHED, outputs=3, method="jacfwd", dtype="bfloat16", seed=5))
    assert [(p.experiment.dtype, p.experiment.outputs) for p in found] == [
        (dtype, outputs) for dtype in ("float64", "float32", "bfloat16", "float16") for outputs in OUTPUTS
    ]
    for point in found:
        assert point.experiment.method == METHOD and point.experiment.networks == "each-block"
        assert point.experiment.seed == 5 and point.experiment.samples == 64 * NETWORKS
        last = point.experiment.outputs == 64
        without = {"partial-sums", "rows"} if point.experiment.dtype == "float64" else set()
        assert set(point.compared) == (MECHANISMS.keys() - without if last else {PLAIN})


@pytest.mark.parametrize("experiment", [Experiment(inputs=64, hidden=(256,) * 6), replace(BATCHED, hidden=(256, 256))])
def test_no_network_grows_beyond_the_bound(experiment):
    found = points(experiment)
    assert all(point.experiment.cost <= MOST_COST for point in found)
    most = max(point.experiment.outputs for point in found)
    assert 2 * most > 64 or replace(found[0].experiment, outputs=most).cost * 4 > MOST_COST
    assert len({point.experiment.samples for point in found}) == 1
    assert Lean.total(experiment) == len(found) * found[0].experiment.samples


def gradients(net: torch.nn.Module, x: torch.Tensor, evaluation: str) -> tuple[torch.Tensor, torch.Tensor]:
    """The backward gradient and the summed Jacobian of samples, from PyTorch alone."""
    if evaluation == "per-sample":
        of_each = [gradients(net, sample.clone(), "one") for sample in x]
        return tuple(torch.stack(part) for part in zip(*of_each, strict=True))
    leaf = x.clone().requires_grad_()
    net(leaf).sum().backward()
    jacobian = torch.autograd.functional.jacobian(net if evaluation == "one" else lambda x: net(x).sum(0), x)
    return leaf.grad, jacobian.sum(0)


@pytest.mark.parametrize("experiment", [Experiment(), BATCHED], ids=lambda e: e.evaluation)
def test_the_plain_leans_are_counted_again(experiment, few):
    """From PyTorch and a closed form in float64, which leaves nothing open in these few float32 components."""
    tally = finish(experiment)
    for outputs in (2, 8):
        at = replace(experiment, outputs=outputs, networks="each-block", samples=12)
        won = []
        for number in range(3):
            net, wide = network.build(at, number), network.build(at, number).double()
            block = sampling.block(at, number)
            samples = block if experiment.evaluation == "batched" else block[:2]
            backward, jacobian = gradients(net, samples, experiment.evaluation)
            kept = 4 if experiment.evaluation == "batched" else 2
            exact = np.array([closed_form_jacobian(wide, ["relu", "sigmoid"], x.double()).sum(0) for x in block[:kept]])
            near, far = (np.abs(g[:kept].double().numpy() - exact) for g in (backward, jacobian))
            won.append(((near < far).sum(), (far < near).sum()))
        found = tally.at("float32", outputs)
        assert found.networks == 3
        assert [(found.backward_wins[i], found.jacobian_wins[i]) for i in range(3)] == won


@pytest.mark.parametrize("experiment", [Experiment(), BATCHED], ids=lambda e: e.evaluation)
def test_the_tally_does_not_depend_on_the_slicing(experiment, few):
    sliced = Stream(Lean(experiment))
    while not sliced.complete:
        sliced.advance(AT_ONCE)
    whole = finish(experiment)
    assert repr(sliced.tally) == repr(whole) and whole.samples == Lean.total(experiment)
    middle = Lean.total(experiment) // 2 // Lean(experiment).block_size * Lean(experiment).block_size
    halves = [Stream(Lean(experiment), parts=[part]) for part in (range(middle), range(middle, whole.samples))]
    assert (halves[1].finish() + halves[0].finish()).figures() == whole.figures()


def test_the_figures_have_a_row_for_each_comparison(few):
    rows = finish(BATCHED).figures()["leans"]
    names = [(row["dtype"], row["outputs"], row["switched_off"] or PLAIN) for row in rows]
    assert names == [
        (point.experiment.dtype, point.experiment.outputs, name) for point in points(BATCHED) for name in point.compared
    ]
    for row in rows:
        assert row["networks"] == 3 and sum(row["closer"].values()) == 5 * row["referenced"] == 5 * 12


def test_a_mechanism_is_one_row_of_one_table(few, monkeypatch):
    row = Mechanism(
        "the loop over the outputs", BACKWARD, by("functional-vectorized"), how="they are one batch", needs_wider=False
    )
    monkeypatch.setitem(MECHANISMS, "loop", row)
    tally = finish(BATCHED)
    rows = tally.figures()["leans"]
    found = [(row["dtype"], row["outputs"]) for row in rows if row["switched_off"] == "loop"]
    assert found == [(dtype, 8) for dtype in ("float64", "float32", "bfloat16", "float16")]
    shown = readable(tally, BATCHED).iloc[-1]
    assert (shown["switched off"], shown["how"]) == ("the loop over the outputs", "they are one batch")


def test_a_mechanism_that_lacks_something_names_itself():
    with pytest.raises(TypeError, match="The mechanism the loop: missing a required argument: 'how'."):
        Mechanism("the loop", BACKWARD, JACOBIAN)


def test_the_command_line_prints_the_figures(few, capsys, monkeypatch):
    monkeypatch.setattr("signal.signal", lambda number, handler: None)
    assert command.main(["--lean", "evaluation=batched&seed=2"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["complete"] and printed["query"] == "evaluation=batched&seed=2"
    assert printed["leans"] == json.loads(json.dumps(finish(replace(BATCHED, seed=2)).figures()))["leans"]


# What is measured, over enough networks.


@pytest.fixture(scope="module")
def measured():
    """The last points alone, by dtype and output activation."""

    def lean_of(query: str, dtype: str) -> dict[str, tuple[float, float, float]]:
        point = last_points(Experiment.parse(query))[dtype]
        compared = {lean.point_name(dtype, 64, name): MECHANISMS[name] for name in point.compared}
        variant = Variant(replace(point.experiment, samples=32 * 64), compared, judged=True, of_each_block=64)
        study, found = Comparisons(variant), {}
        total = LeanTally()
        for number in range(32):
            total += LeanTally.of(Measured((study.judge(study.measure(64 * number, float("inf"))),)))
        for name in point.compared:
            tally = total.at(dtype, 64, name)
            found[name] = (tally.lean_of_networks() or (0.0,))[0], *(tally.interval_of_networks() or (0.0, 0.0))
        return found

    return lean_of


def test_in_float32_the_orders_of_adding_explain_the_lean_to_the_jacobian(measured):
    leans = measured("evaluation=batched", "float32")
    assert leans[PLAIN][2] < -0.1  # the interval ends below −10 %
    assert abs(leans["cascade"][0]) < abs(leans[PLAIN][0]) / 2  # rows in turn: most of it is gone
    assert leans["partial-sums"][1] > 0.4  # no partial sums are rounded: it leans the other way
    assert leans["subnormals"] == leans[PLAIN]


def test_in_bfloat16_the_rounding_of_rows_explains_the_lean_to_backward(measured):
    leans = measured("evaluation=batched", "bfloat16")
    assert leans[PLAIN][1] > 0.1
    assert leans["cascade"] == leans["partial-sums"] == leans["subnormals"] == leans[PLAIN]
    assert leans["rows"][2] < -0.2


def test_for_softmax_it_is_the_one_pass(measured):
    leans = measured("evaluation=batched&output_activation=softmax", "float32")
    assert leans[PLAIN][1] > 0.6 and leans["one-pass"][2] < 0.05


def test_subnormals_explain_a_lean_in_float16(measured):
    leans = measured("evaluation=batched&hidden=10,10,10,10,10&activation=sigmoid", "float16")
    assert leans[PLAIN][1] > 0.7 and leans["subnormals"][2] < 0.4


# What is said and shown of it.


def made(leans: dict[tuple[str, str], list[tuple[int, int]]]) -> LeanTally:
    """A complete tally of the default's last points, by dtype and mechanism: components won on each network."""
    found = {}
    for (dtype, mechanism), won in leans.items():
        backward, jacobian = np.array(won).T
        blocks = np.arange(len(won))
        sums = np.array([backward.sum(), jacobian.sum()])
        found[lean.point_name(dtype, 64, mechanism)] = VerdictTally(
            verdicts=Histogram.of(np.arange(2), sums) if sums.any() else Histogram.of(np.array([2])),
            networks=len(won),
            backward_wins=Histogram.of(blocks, backward),
            jacobian_wins=Histogram.of(blocks, jacobian),
        )
    return LeanTally(ByName(found), Lean.total(BATCHED))


TO_BACKWARD, TO_JACOBIAN, TO_NONE = [(70, 30), (72, 30), (69, 31)], [(30, 70), (30, 72), (31, 69)], [(50, 51), (49, 47)]


def test_the_claim_names_the_side_of_every_dtype():
    tally = made(
        {
            ("float64", PLAIN): TO_JACOBIAN,
            ("float32", PLAIN): TO_JACOBIAN,
            ("bfloat16", PLAIN): TO_BACKWARD,
            ("float16", PLAIN): TO_NONE,
        }
    )
    claim = outputs_claim(tally, BATCHED)
    assert "With 64 outputs" in claim and "to the Jacobian in float64 and float32" in claim
    assert "to `backward()` in bfloat16" in claim and "to neither side for certain in float16" in claim
    assert "one network after another" in outputs_claim(LeanTally(), BATCHED)


def test_a_cause_is_named_where_the_intervals_are_apart():
    tally = made(
        {
            ("float32", PLAIN): TO_JACOBIAN,
            ("float32", "cascade"): TO_NONE,
            ("float32", "partial-sums"): TO_BACKWARD,
            ("float32", "one-pass"): [(0, 0)],
            ("bfloat16", PLAIN): TO_BACKWARD,
            ("bfloat16", "rows"): TO_BACKWARD,
        }
    )
    float32, bfloat16 = (last_points(BATCHED)[dtype] for dtype in ("float32", "bfloat16"))
    assert moved(tally, float32).keys() == {"cascade", "partial-sums", "one-pass"} and not moved(tally, bfloat16)
    lines = dict(zip(last_points(BATCHED), causes(tally, BATCHED).splitlines(), strict=True))
    assert f"{MECHANISMS['cascade'].label} (to {signed_percent(1 / 197)})" in lines["float32"]
    assert f"{MECHANISMS['one-pass'].label} (all ties)" in lines["float32"]
    assert MECHANISMS["rows"].label not in lines["float32"] and "Nothing here moves it" in lines["bfloat16"]
    assert "no interval" in lines["float16"]
    assert not causes(LeanTally(), BATCHED)
    table = readable(tally, BATCHED).set_index("switched off")
    assert table["float32"][MECHANISMS["one-pass"].label] == "all ties"
    assert table["float32"]["nothing"] == text_of(tally.at("float32", 64))
    assert table["float64"][MECHANISMS["rows"].label] == "–"


def test_the_table_has_the_figures(few):
    tally = finish(BATCHED)
    shown = tables(tally, BATCHED)["leans"]
    rows = [row for row in tally.figures()["leans"] if not row["switched_off"] and row["lean_of_networks_interval"]]
    assert len(shown) == len(rows) > 0
    for row, drawn in zip(rows, shown.itertuples(), strict=True):
        assert (drawn.dtype, drawn.outputs) == (row["dtype"], row["outputs"])
        expected = [row["lean_of_networks"][0], *row["lean_of_networks_interval"]]
        assert [drawn.lean, drawn.low, drawn.high] == pytest.approx(expected, rel=1e-6)
        assert abs(drawn.x - np.log2(drawn.outputs)) < 0.2
    empty = tables(LeanTally(), BATCHED)["leans"]
    assert len(empty) == 0 and (empty.dtypes == shown.dtypes).all()


def test_the_conditions_name_the_evaluation():
    assert "64 samples on each, batched" in lean_conditions(BATCHED)
    assert "4 samples on each, per-sample" in lean_conditions(Experiment())
