"""What is said of the verdict is what was counted; every oracle counts anew."""

import re
from dataclasses import replace

import numpy as np
import pytest
import torch

from lib.discrepancy.study import Discrepancy
from lib.discrepancy.verdict import VerdictTally
from lib.discrepancy.verdict_sentences import (
    bound_claim,
    lean_claim,
    reference_conditions,
    shared_error,
    verdict_claim,
    why_right,
)
from lib.discrepancy.verdict_tables import LABELS, LIMITS, SERIES, tables
from lib.display.quantities import percent, significant
from lib.experiment.choices import ACTIVATIONS
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.floats.line import ZERO_BINADE
from lib.network import network, sampling
from lib.reference.bounds import bound_units, probable_units, unproved
from lib.run.stream import Stream
from lib.run.tally import Constant, Extreme, Histogram, Place
from tests.cases import EVERY_METHOD

POST = Experiment(samples=300)


def verdict(experiment: Experiment) -> VerdictTally:
    return Stream(Discrepancy(experiment)).finish().verdict


def test_the_claim_has_the_counts():
    tally = verdict(POST)
    closer = tally.figures()["closer"]
    text = verdict_claim(tally, POST)
    for name in ("backward", "jacobian", "tie"):
        assert percent(closer[name], 1500) in text
    assert "of 1,500 components" in text and "undecided" not in text


@pytest.mark.parametrize(
    ("experiment", "words"),
    [(replace(POST, outputs=1), "equally close to the exact gradient in all 1,500 components"), (None, "on their way")],
)
def test_other_claims(experiment, words):
    assert words in verdict_claim(verdict(experiment) if experiment else VerdictTally(), POST)


SOFTMAX = replace(POST, output_activation="softmax")


def test_the_lean_has_its_interval_and_its_population():
    tally = verdict(POST)
    closer, (low, high) = tally.figures()["closer"], tally.figures()["lean_interval"]
    share = closer["backward"] / (closer["backward"] + closer["jacobian"])
    numbers = [float(number.replace("−", "-")) for number in re.findall(r"([+−]?[0-9.]+)%", lean_claim(tally, POST))]
    shown = [100 * share, 100 * (1 - share), 100 * (2 * share - 1), 95, 100 * low, 100 * high]
    assert numbers == pytest.approx(shown, abs=0.051)
    assert "over 300 samples" in lean_claim(tally, POST)
    many = verdict(replace(POST, networks="each-block"))
    assert f"over {many.networks:,} networks" in lean_claim(many, POST)


def won(*samples: tuple[int, int], networks: bool = False) -> VerdictTally:
    """A tally of samples, or of networks, with so many components won by backward and by the Jacobian."""
    backward, jacobian = np.array(samples).T
    verdicts = Histogram.of(np.array([0, 1]), np.array([backward.sum(), jacobian.sum()]))
    if not networks:
        return VerdictTally(len(samples), verdicts=verdicts, leans=Histogram.of(128 * backward + jacobian))
    blocks = np.arange(len(samples))
    return VerdictTally(
        verdicts=verdicts,
        networks=len(samples),
        backward_wins=Histogram.of(blocks, backward),
        jacobian_wins=Histogram.of(blocks, jacobian),
    )


TO_BACKWARD, TO_THE_JACOBIAN = "leans to `backward()`", "leans to the Jacobian"
LEANS = {
    "backward": (won(*[(3, 0)] * 20), "this network " + TO_BACKWARD),
    "jacobian": (won(*[(0, 3), (1, 4)] * 20), "this network " + TO_THE_JACOBIAN),
    "no side": (won(*[(3, 0), (0, 3)] * 20), "It contains 0, so it shows no lean."),
    "few samples": (won((3, 0), (3, 0)), "fewer than 5 samples have"),
    "nobody won": (won((0, 0), (0, 0)), "there is no lean"),
    "networks to backward": (
        won((300, 90), (300, 80), (290, 80), networks=True),
        "on this machine networks like these lean to `backward()`",
    ),
    "networks to the Jacobian": (
        won((90, 300), (80, 310), networks=True),
        "on this machine networks like these lean to the Jacobian",
    ),
    "networks to no side": (
        won((180, 200), (210, 180), (190, 200), networks=True),
        "It contains 0, so it shows no lean.",
    ),
    "networks apart": (won((10, 300), (300, 10), networks=True), "as wide as it can be, so it says nothing"),
    "one network": (won((90, 300), networks=True), "it takes two networks that lean differently"),
    "networks alike": (won((90, 300), (90, 300), networks=True), "it takes two networks that lean differently"),
}


@pytest.mark.parametrize("method", EVERY_METHOD)
def test_the_other_side_is_called_what_it_is(method):
    tally, experiment = won((9, 3), *[(1, 2)] * 30), replace(POST, method=method)
    text, lean = verdict_claim(tally, experiment), lean_claim(tally, experiment)
    side = {"single-call": "the single call", "finite-difference": "the finite difference"}.get(method, "the Jacobian")
    assert f", {side} in " in text and ("the Jacobian" in text) == (side == "the Jacobian")
    assert ("interval" in lean) == (side == "the Jacobian")
    assert lean.startswith("This is not a lean") == (side != "the Jacobian")
    with_one = lean_claim(tally, replace(experiment, outputs=1))
    assert ("interval" in with_one) == (method != "finite-difference")


@pytest.mark.parametrize("name", LEANS)
def test_each_lean_is_said_where_it_is_true(name):
    tally, words = LEANS[name]
    assert words in lean_claim(tally, POST)
    assert all((words in lean_claim(other, POST)) == (its == words) for other, its in LEANS.values())


def test_no_interval_is_beyond_all_or_nothing():
    for tally, _ in LEANS.values():
        for low, high in filter(None, (tally.interval(), tally.interval_of_networks())):
            assert -1 <= low < high <= 1


def test_who_is_exact_is_said_where_somebody_is():
    softmax, post = verdict(SOFTMAX), verdict(POST)
    backward, jacobian = (
        percent(int((np.concatenate(values) == 0).sum()), 1500) for values in zip(*gradients(SOFTMAX), strict=True)
    )
    assert f"`backward()` is exact in {backward}, the Jacobian in {jacobian}." in verdict_claim(softmax, POST)
    assert "exact in" not in verdict_claim(post, POST)
    for text in (
        verdict_claim(softmax, POST),
        verdict_claim(post, POST),
        lean_claim(softmax, POST),
        lean_claim(post, POST),
    ):
        assert "either is" not in text and "coin" not in text


def gradients(experiment: Experiment) -> list[tuple[np.ndarray, np.ndarray]]:
    """Both gradients of every sample, from PyTorch alone."""
    net, x = network.build(experiment), sampling.block(experiment, 0)[: experiment.samples]
    found = []
    for sample in x:
        leaf = sample.clone().requires_grad_()
        net(leaf).sum().backward()
        found.append((leaf.grad.numpy(), torch.autograd.functional.jacobian(net, sample.clone()).sum(0).numpy()))
    return found


@pytest.mark.parametrize(
    ("change", "shared"),
    [
        ({}, True),
        ({"output_activation": "identity"}, False),
        ({"output_activation": "identity", "activation": "tanh"}, True),
        ({"output_activation": "identity", "activation": "tanh", "hidden": ()}, False),
        ({"method": "finite-difference"}, False),
    ],
)
def test_an_error_is_shared_where_slopes_depend_on_rounded_activations(change, shared):
    assert ("in both errors" in shared_error(verdict(POST), replace(POST, **change))) == shared


def test_the_shared_error_is_compared_at_the_median():
    tally = verdict(POST)
    text = shared_error(tally, POST)
    medians = []
    for histogram in (tally.backward_errors, tally.discrepancies):
        every = np.repeat(histogram.keys, histogram.counts)
        medians.append(int(np.sort(every)[(every.size - 1) // 2]))
    if ZERO_BINADE in medians:
        assert "rounding units" not in text
    elif medians[0] == medians[1]:
        assert "about as large as the median discrepancy" in text
    else:
        assert f"about {significant(2.0 ** (medians[0] - medians[1]))} times the median discrepancy" in text


def test_below_the_bound_rounding_alone_can_explain_it_and_nothing_is_proved_of_bugs():
    tally = verdict(POST)
    text = bound_claim(tally, POST)
    assert tally.over_bound == 0 and "no component is above" in text
    assert significant(tally.bound_units.value) in text and "rounding alone can explain every discrepancy" in text
    assert "does not prove that there is no bug" in text
    assert "independent" in text and f"above {significant(tally.probable_units.value)} (dotted" in text


def test_the_bound_is_on_the_distance_of_the_gradients_and_not_on_their_errors():
    """In bfloat16 a rounded pre-activation has another sign than the exact one, and so both gradients another slope."""
    kinked = Experiment(
        inputs=4,
        hidden=(8,),
        output_activation="leaky_relu",
        dtype="bfloat16",
        distribution="normal",
        evaluation="batched",
    )
    tally, bound = verdict(kinked), bound_units(kinked)
    assert 2.0 ** tally.backward_errors.keys.max() > 4 * bound and tally.over_bound == 0 < tally.max_units.value
    assert "drive the two apart is known in advance" in why_right(tally, kinked).why
    assert "errors" not in why_right(tally, kinked).why


def test_above_the_bound_rounding_explains_nothing():
    text = bound_claim(replace(verdict(POST), over_bound=3), POST)
    assert "3 components are above" in text and "does not explain that" in text
    assert "can explain every" not in text and "kink" not in text


def test_a_bound_above_s_itself_excludes_nothing():
    wide = replace(POST, dtype="bfloat16", hidden=(90,), samples=5)
    text = bound_claim(verdict(wide), wide)
    assert "excludes nothing" in text and "can explain every" not in text and "dotted" in text
    assert "excludes nothing" not in bound_claim(verdict(replace(wide, hidden=(40,))), replace(wide, hidden=(40,)))


def test_where_rounding_may_take_everything_there_is_only_the_probable_bound():
    wide = replace(POST, dtype="bfloat16", hidden=(256, 256), samples=5)
    text = bound_claim(verdict(wide), wide)
    assert "There is no bound" in text and "dotted" in text and "dashed" not in text


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"method": "finite-difference"}, "does not cover cancellation"),
        ({"method": "single-call"}, "already the sum of all rows"),
        ({"method": "copies"}, "forward pass of `copies` has other operations"),
        ({"method": "jacfwd"}, "forward pass of `jacfwd` has other operations"),
        ({"method": "functional-forward", "output_activation": "softmax"}, "differentiates softmax"),
        ({"method": "functional-forward", "activation": "silu", "dtype": "float16"}, "underflow in float16"),
        ({"device": "cuda"}, "products on CUDA"),
        ({"device": "mps", "dtype": "float16"}, "products on MPS"),
    ],
)
def test_where_no_bound_is_claimed_it_is_said_why(fields, reason):
    text = bound_claim(VerdictTally(max_units=Extreme(7.0, Place(0, 0, 0))), replace(POST, **fields))
    assert (
        text.startswith("The largest discrepancy seen is 7 rounding units. No bound is claimed here: ")
        and reason in text
    )
    assert "dashed" not in text and "dotted" not in text and "bug" not in text


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("hidden", [(), (3,)])
def test_only_a_network_with_a_kink_is_said_to_have_one(method, activation, hidden):
    """Be there a bound or not, and components above it."""
    for evaluation in ("per-sample", "batched"):
        experiment = replace(POST, method=method, activation=activation, hidden=hidden, evaluation=evaluation)
        bound, probable = Constant(bound_units(experiment)), Constant(probable_units(experiment))
        for over in (0, 2):
            tally = VerdictTally(
                max_units=Extreme(7.0, Place(0, 0, 0)), over_bound=over, bound_units=bound, probable_units=probable
            )
            text = bound_claim(tally, experiment)
            kink = hidden and activation in ("relu", "leaky_relu") and unproved(experiment) == "forward"
            assert ("kink" in text) == bool(kink)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_it_is_said_which_reference_decided(dtype):
    tally = verdict(replace(POST, dtype=dtype))
    assert f"{tally.referenced:,} samples have a reference: {tally.certified:,} by ball" in reference_conditions(tally)
    assert (tally.certified == tally.referenced) == (dtype == "float64")


def test_the_tables_have_every_component():
    tally = verdict(POST)
    made = tables(tally)
    assert made["closer"].set_index("verdict")["components"].to_dict() == {
        LABELS[name]: count for name, count in tally.closer.items()
    }
    assert made["closer"]["share"].sum() == pytest.approx(1)
    histograms = tally.backward_errors, tally.jacobian_errors, tally.discrepancies
    for name, histogram in zip(SERIES, histograms, strict=True):
        part = made["units"][made["units"]["series"] == name]
        assert part["share"].sum() == pytest.approx(1, rel=1e-5)
        assert part["share"].iloc[0] == pytest.approx(histogram[ZERO_BINADE] / histogram.total)
        in_unit = part[part["x"] == -1]["share"].item()
        assert in_unit == pytest.approx(histogram[-1] / histogram.total)
    assert made["bound"]["limit"].tolist() == list(LIMITS)
    limits = [tally.bound_units.value, tally.probable_units.value]
    assert (2 ** made["bound"]["x"]).tolist() == pytest.approx(limits, rel=1e-5)
    assert made["bound"]["name"].tolist() == [
        f"{name}: {significant(value)}" for name, value in zip(LIMITS, limits, strict=True)
    ]


def test_a_bound_beyond_the_axis_is_at_its_end_and_one_that_is_not_there_has_no_row():
    tally = VerdictTally(bound_units=Constant(3000.0), probable_units=Constant(150.0))
    bound = tables(tally)["bound"]
    assert bound["x"].tolist() == [10.0, pytest.approx(np.log2(150))]
    assert bound["name"].tolist() == ["bound: 3,000 →", "probable bound: 150"]
    (name,) = tables(VerdictTally(probable_units=Constant(150.0)))["bound"]["name"]
    assert name == "probable bound: 150"


def test_sizes_beyond_the_axis_are_in_its_end_columns():
    sizes = Histogram.of(np.array([-60, -8, 9, 10, 200]))
    tally = VerdictTally(backward_errors=sizes, max_units=Extreme(1.0, Place(0, 0, 0)))
    part = tables(tally)["units"].query("series == @SERIES[0]").set_index("x")["share"]
    assert part[-8] == pytest.approx(0.4) and part[9] == pytest.approx(0.6) and part[10] == 0
    assert len(tables(VerdictTally())["bound"]) == 0
