"""Each mechanism is off where it is said to be, and nothing else is: against Python's own fractions and floats."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch

from lib.experiment.query import Experiment
from lib.floats.line import round_once
from lib.network import network, sampling
from lib.network.comparison import PLAIN, Subject
from lib.network.jacobians import METHODS, backward_gradient
from lib.variations.lean import METHOD
from lib.variations.mechanisms import MECHANISMS, SCALE
from tests.cases import EVERY_DTYPE

LINEAR = Experiment(inputs=3, hidden=(7,), outputs=5, output_activation="identity", samples=6)
CASES = [LINEAR, replace(LINEAR, output_activation="softmax", activation="tanh"), Experiment(outputs=4, samples=6)]
WIDER = [dtype for dtype in EVERY_DTYPE if dtype != "float64"]


def subject(experiment: Experiment, evaluation: str = "per-sample") -> tuple[Subject, torch.Tensor]:
    experiment = replace(experiment, method=METHOD)
    block = sampling.block(experiment, 0)[: experiment.samples]
    return Subject(experiment, network.build(experiment)), block if evaluation == "batched" else block[0].clone()


@pytest.mark.parametrize("evaluation", ["per-sample", "batched"])
@pytest.mark.parametrize("experiment", CASES, ids=lambda e: e.query)
@pytest.mark.parametrize(
    ("name", "dtype"),
    [(name, dtype) for name in MECHANISMS for dtype in (WIDER if MECHANISMS[name].needs_wider else EVERY_DTYPE)],
)
def test_every_side_is_the_gradient_up_to_rounding(name, experiment, dtype, evaluation):
    of, x = subject(replace(experiment, dtype=dtype), evaluation)
    exact = backward_gradient(network.build(of.experiment).double(), x.double())
    for side in MECHANISMS[name].sides(of, x):
        assert side.shape == x.shape
        torch.testing.assert_close(side.double(), exact, rtol=0, atol=64 * torch.finfo(x.dtype).eps)


def test_nothing_is_switched_off_in_the_plain_comparison():
    of, x = subject(CASES[2])
    backward, jacobian = MECHANISMS[PLAIN].sides(of, x)
    assert backward.equal(backward_gradient(of.net, x)) and jacobian.equal(METHODS[METHOD](of.net, x).sum(-2))


@pytest.mark.parametrize("name", MECHANISMS)
def test_what_is_not_switched_off_stays_as_pytorch_has_it(name):
    of, x = subject(Experiment(outputs=20), "batched")
    plain, sides = MECHANISMS[PLAIN].sides(of, x), MECHANISMS[name].sides(of, x)
    same = [bool((one.double() == other.double()).all()) for one, other in zip(plain, sides, strict=True)]
    off = {PLAIN: [1, 1], "cascade": [1, 0], "partial-sums": [0, 1], "rows": [1, 0], "one-pass": [0, 1]}
    assert same == off.get(name, [1, 1])


@pytest.mark.parametrize("dtype", EVERY_DTYPE)
def test_rows_one_after_the_other_are_added_so(dtype):
    """Of 16-bit rows the running sum is kept in float32 and rounded at the end."""
    of, x = subject(Experiment(outputs=33, dtype=dtype))
    _, summed = MECHANISMS["cascade"].sides(of, x)
    kind = np.float64 if dtype == "float64" else np.float32
    for component, rows in enumerate(METHODS[METHOD](of.net, x).double().numpy().T):
        running = kind(0)
        for row in rows:
            running = kind(running + kind(row))
        assert summed[component] == torch.tensor(float(running), dtype=torch.float64).to(x.dtype)


@pytest.mark.parametrize("dtype", WIDER)
def test_dot_products_and_rows_are_rounded_where_fractions_are(dtype):
    """A network with one hidden layer of ReLU and identity at its end: slopes of 0 and 1, so all is rational."""
    of, x = subject(replace(LINEAR, dtype=dtype))
    first, last = ([[Fraction(w) for w in row] for row in of.net[i].weight.tolist()] for i in (0, 2))
    active = (of.net[0](x) > 0).tolist()

    def to_float(exact: Fraction) -> float:
        return round_once(torch.tensor([float(exact)], dtype=torch.float64), x.dtype).item()

    hidden = [Fraction(to_float(sum(column))) * on for column, on in zip(zip(*last, strict=True), active, strict=True)]
    dots = [to_float(sum(w * h for w, h in zip(column, hidden, strict=True))) for column in zip(*first, strict=True)]
    wide = [sum(column) * on for column, on in zip(zip(*last, strict=True), active, strict=True)]
    once = [to_float(sum(w * h for w, h in zip(column, wide, strict=True))) for column in zip(*first, strict=True)]
    assert MECHANISMS["partial-sums"].sides(of, x)[0].tolist() == dots
    assert MECHANISMS["rows"].sides(of, x)[1].tolist() == once


def test_one_pass_for_each_output_is_one_backward_for_each():
    of, x = subject(Experiment(outputs=9))
    leaf = x.clone().requires_grad_()
    for k in range(9):
        of.net(leaf)[k].backward()
    assert MECHANISMS["one-pass"].sides(of, x)[0].equal(leaf.grad)


def test_scaling_keeps_the_bits_that_subnormals_lose():
    """Rows of float16 far below its normal range; bfloat16 has the range of float32."""
    small = Experiment(hidden=(10,) * 5, outputs=16, activation="sigmoid", samples=64)
    for dtype, loses in (("float16", True), ("bfloat16", False), ("float32", False)):
        of, x = subject(replace(small, dtype=dtype), "batched")
        plain, scaled = (MECHANISMS[name].sides(of, x) for name in (PLAIN, "subnormals"))
        changed = [bool((one.double() != other).any()) for one, other in zip(plain, scaled, strict=True)]
        assert changed == [loses, loses]
    assert SCALE == 2.0 ** round(np.log2(SCALE))
