"""The finite differences by step against mpmath: the third derivative, every error, and the two slopes of the V."""

from dataclasses import replace
from fractions import Fraction
from math import inf, isclose, log2

import mpmath
import numpy as np
import pytest
import torch

from lib.experiment.choices import ACTIVATIONS, DTYPES
from lib.experiment.query import Experiment
from lib.network import jacobians, network, sampling
from lib.reference.activation import leaky_slope
from lib.run.stream import Stream
from lib.run.tally import ByName
from lib.variations import difference_tables as differences_tables
from lib.variations import differences
from lib.variations.difference_sentences import differences_claim, differences_reading
from lib.variations.difference_tables import best, digits, readable, table_name, tables
from lib.variations.differences import (
    DifferencesTally,
    FiniteDifferences,
    StepTally,
    cells,
    dtypes,
    point_name,
    steps,
    subject,
    third_derivatives,
)
from tests.oracles import exact_gradient

SMOOTH = Experiment(activation="tanh", samples=8)
ONE_LAYER = Experiment(hidden=(), output_activation="sigmoid", samples=4)


def finish(experiment: Experiment) -> DifferencesTally:
    return Stream(FiniteDifferences(subject(experiment))).finish()


@pytest.fixture(scope="module")
def smooth() -> DifferencesTally:
    return finish(SMOOTH)


def test_the_third_derivative_of_one_layer_is_the_closed_form():
    """Of sigmoid(w·x + b) along x_i it is w_i³·σ‴, with σ‴ = σ(1 − σ)(1 − 6σ + 6σ²), added up over the outputs."""
    net, x = network.build(replace(ONE_LAYER, dtype="float64")), sampling.block(ONE_LAYER, 0)[0].double()
    weight, bias = net[0].weight.numpy(), net[0].bias.numpy()
    s = 1 / (1 + np.exp(-(weight @ x.numpy() + bias)))
    expected = (weight**3 * (s * (1 - s) * (1 - 6 * s + 6 * s * s))[:, None]).sum(0)
    np.testing.assert_allclose(third_derivatives(net, x).numpy(), expected, rtol=1e-13)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_third_derivative_is_the_leading_truncation_of_every_activation(activation):
    """The exact difference quotient in 200 digits, less the gradient: f‴·h²/6, and h² more of it is left out."""
    experiment = Experiment(activation=activation, output_activation="sigmoid", dtype="float64", hidden=(4,), inputs=3)
    net, x = network.build(experiment), sampling.block(experiment, 0)[1]
    names, below = [activation, "sigmoid"], leaky_slope("float64")
    found = third_derivatives(net, x).tolist()
    with mpmath.workdps(60):
        h = mpmath.mpf(2) ** -20
        slopes = exact_gradient(net, names, x.tolist(), below)
        for i, third in enumerate(found):

            def gradient_at(t: mpmath.mpf, i: int = i) -> mpmath.mpf:
                point = [mpmath.mpf(value) for value in x.tolist()]
                point[i] += t
                return exact_gradient(net, names, point, below)[i]

            second = (gradient_at(h) - 2 * slopes[i] + gradient_at(-h)) / h**2
            assert isclose(float(second), third, rel_tol=1e-6, abs_tol=1e-10)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_error_is_that_of_the_difference_quotient_against_the_exact_gradient(dtype):
    experiment = replace(ONE_LAYER, dtype=dtype, samples=1, step=-3)
    tally = finish(experiment)
    net, x = network.build(experiment), sampling.block(experiment, 0)[0].clone()
    exact = exact_gradient(net, ["sigmoid"], x.tolist(), 0.0)
    largest = max(map(abs, exact))
    for step in (-3, -6, None):
        given = jacobians.finite_difference(net, x, step).sum(0).tolist()
        error = max(abs(value - slope) for value, slope in zip(given, exact, strict=True)) / largest
        assert isclose(tally.at(dtype, step).error, float(error), rel_tol=0.012)


def test_the_truncation_is_that_of_the_quotient_without_any_rounding():
    """(σ(z + hw) − σ(z − hw))/2h − wσ′(z) in 60 digits, summed over the outputs: h⁴ more is left out."""
    experiment = replace(ONE_LAYER, samples=1, step=-8)
    point = finish(experiment).at("float64", -8)
    net, x = (
        network.build(replace(experiment, dtype="float64")),
        sampling.block(replace(experiment, dtype="float64"), 0),
    )
    with mpmath.workdps(60):
        h = mpmath.mpf(2) ** -8
        z = [
            mpmath.mpf(b) + mpmath.fdot(row, x[0].tolist())
            for row, b in zip(net[0].weight.tolist(), net[0].bias.tolist(), strict=True)
        ]
        off, slopes = [], []
        for column in net[0].weight.T.tolist():
            quotients = [
                (mpmath.sigmoid(a + h * w) - mpmath.sigmoid(a - h * w)) / (2 * h)
                for a, w in zip(z, column, strict=True)
            ]
            slopes.append(mpmath.fsum(w * mpmath.sech(a / 2) ** 2 / 4 for a, w in zip(z, column, strict=True)))
            off.append(abs(mpmath.fsum(quotients) - slopes[-1]))
        expected = float(max(off) / max(map(abs, slopes)))
    assert isclose(point.truncation, expected, rel_tol=0.012)


def test_the_rounding_is_half_an_ulp_of_one_of_each_output_over_the_step():
    """In fractions: u·Σ|y|/h of a linear layer, whose truncation is 0."""
    experiment = replace(ONE_LAYER, output_activation="identity", samples=1, step=-8)
    tally = finish(experiment)
    net, x = network.build(experiment), sampling.block(experiment, 0)[0].tolist()
    rows = zip(net[0].weight.tolist(), net[0].bias.tolist(), strict=True)
    size = sum(
        abs(sum(Fraction(w) * Fraction(v) for w, v in zip(row, x, strict=True)) + Fraction(b)) for row, b in rows
    )
    largest = max(abs(sum(map(Fraction, column))) for column in net[0].weight.T.tolist())
    point = tally.at("float32", -8)
    assert isclose(point.rounding, Fraction(2) ** -24 * size / Fraction(2) ** -8 / largest, rel_tol=0.012)
    assert point.truncation == 0


def slope(tally: DifferencesTally, dtype: str, first: int, last: int) -> float:
    powers = range(first, last + 1)
    return np.polyfit(powers, [log2(tally.at(dtype, step).error) for step in powers], 1)[0]


def test_the_v_falls_with_slope_minus_one_and_rises_with_slope_two(smooth):
    assert abs(slope(smooth, "float64", -46, -20) + 1) < 0.05
    assert abs(slope(smooth, "float64", -11, -3) - 2) < 0.02
    assert abs(slope(smooth, "float32", -19, -8) + 1) < 0.15
    found = best(smooth, SMOOTH, "float64")
    assert -16 <= found.step <= -12 and found.error < 1e-10


def test_the_lines_are_where_the_errors_are(smooth):
    for step in range(-11, -3):
        point = smooth.at("float64", step)
        assert isclose(point.error, point.truncation, rel_tol=0.03) and point.rounding < point.error
    for dtype, powers in (("float64", range(-46, -18)), ("float32", range(-19, -8)), ("float16", range(-7, -3))):
        ratios = [smooth.at(dtype, step).error / smooth.at(dtype, step).rounding for step in powers]
        assert 0.2 < np.median(ratios) < 1.2 and max(ratios) < 2
        assert all(smooth.at(dtype, step).truncation < smooth.at(dtype, step).error for step in powers)


def test_the_tally_does_not_depend_on_the_slicing():
    few = subject(replace(SMOOTH, samples=2, step=-8))
    sliced = Stream(FiniteDifferences(few))
    while not sliced.complete:
        sliced.advance(0.0)
    assert sliced.tally == finish(few)
    assert sliced.tally.samples == FiniteDifferences.total(few) == len(cells(few))


@pytest.mark.parametrize("device", ["cpu", "mps"])
def test_every_step_is_tried_in_every_dtype_of_the_device(device):
    experiment = Experiment(device=device, step=-41)
    assert ("float64" in dtypes(experiment)) == (device == "cpu")
    for dtype in dtypes(experiment):
        found = steps(experiment, dtype)
        assert found[-1] is None and len(set(found)) == len(found) and -41 in found
        eps = torch.finfo(getattr(torch, dtype)).eps
        assert (
            2.0 ** found[-3 if dtype == "x" else found.index(-1)]
            and 2.0 ** sorted(found[:-1])[0] < eps < 2.0 ** found[-2]
        )


def test_a_large_network_has_fewer_samples():
    assert len(cells(Experiment(inputs=64, hidden=(256,) * 6, outputs=9))) == 4 * len(
        [step for dtype in DTYPES for step in steps(Experiment(), dtype)]
    )


def test_what_the_curve_does_not_depend_on_does_not_start_it_anew():
    same = [replace(SMOOTH, method="finite-difference"), replace(SMOOTH, evaluation="batched", networks="each-block")]
    assert {subject(experiment) for experiment in same} == {subject(SMOOTH)}
    assert subject(replace(SMOOTH, step=-5)) != subject(SMOOTH) != subject(replace(SMOOTH, dtype="float64"))


def test_a_step_that_x_swallows_is_lost_and_said_to_be():
    experiment = replace(SMOOTH, samples=3, step=-60)
    tally = finish(experiment)
    point = tally.at("float32", -60)
    assert point.nonfinite == point.samples == 3 and point.error is None
    assert "no finite median error" in differences_claim(tally, experiment)
    used = tables(tally, experiment)[table_name("float32", "used")]
    assert used["error"].tolist() == ["infinite or NaN"] and used["x"].tolist() == [-60]
    assert readable(tally, experiment).loc[1, "error with it"] == "–"


def test_half_of_the_samples_decide_and_the_lost_ones_are_the_farthest_off():
    def of(*errors: float) -> StepTally:
        return sum((StepTally.of((error, 0.0, 1.0)) for error in errors), StepTally())

    assert of(1.0, 4.0, 2.0).error == 2 and of(1.0, 2.0).error == 1 and of(1.0, inf, 2.0).error == 2
    assert of(1.0, inf).error == 1 and of(1.0, inf, inf).error is None and StepTally().error is None
    assert of(0.0, 0.0, 1.0).error == 0 and of(1.0).truncation == 0
    assert isclose(of(3e-7).error, 3e-7, rel_tol=0.011)
    assert StepTally.of(None) == StepTally(1)


def test_a_linear_network_has_no_truncation_and_softmax_no_relative_error():
    linear = Experiment(activation="identity", output_activation="identity", samples=4)
    tally = finish(linear)
    assert all(tally.at("float64", step).truncation == 0 for step in range(-20, 4))
    guides = tables(tally, linear)[table_name("float64", "guides")]
    assert set(guides["name"]) == {"∝ u/h"}
    assert best(tally, linear, "float64").step >= -2
    softmax = Experiment(output_activation="softmax", samples=2)
    assert differences_claim(finish(softmax), softmax).startswith("The exact gradient is 0")


def test_the_claim_has_the_figures_of_the_tally(smooth):
    found = best(smooth, SMOOTH, "float32")
    text = differences_claim(smooth, SMOOTH)
    assert f"is {found.error:.1e} of" in text and f"leaves {digits(found.error)} digits" in text
    used = smooth.at("float32", None).error
    assert text.endswith(f"leaves {digits(used)}: its error is {used:.1e}.")
    at_best = subject(replace(SMOOTH, step=found.step))
    assert differences_claim(smooth, at_best).endswith("That is the step used.")
    assert differences_claim(FiniteDifferences.empty, SMOOTH).startswith("The error of every step")


def test_the_reading_speaks_of_kinks_where_there_are_some(smooth):
    assert "Medians of 8 samples" in differences_reading(smooth, SMOOTH)
    kinked = [
        "kink" in differences_reading(smooth, replace(SMOOTH, activation=activation)) for activation in ACTIVATIONS
    ]
    assert [name for name, said in zip(ACTIVATIONS, kinked, strict=True) if said] == ["relu", "leaky_relu"]
    assert "kink" not in differences_reading(smooth, replace(SMOOTH, activation="relu", hidden=()))


def test_digits_are_those_that_are_right():
    assert [digits(error) for error in (1e-3, 2e-11, 0.5, 1.0, 30.0, 0.0)] == [
        "3.0",
        "10.7",
        "0.3",
        "0.0",
        "0.0",
        "all",
    ]


def test_the_tables_hold_the_curve_the_lines_and_the_step_used(smooth):
    experiment = replace(SMOOTH, step=-9)
    data = tables(smooth, experiment)
    assert data.keys() == {table_name(d, kind) for d in DTYPES for kind in ("curve", "used", "guides", "names")}
    curve = data[table_name("float64", "curve")]
    assert curve["x"].is_monotonic_increasing and curve["x"].tolist()[-1] == 4
    for row in curve.itertuples():
        assert isclose(10.0**row.y, smooth.at("float64", int(row.x)).error, rel_tol=1e-5)
    used = data[table_name("float64", "used")]
    assert used["x"].tolist() == [-9] and used["y"].tolist() == curve["y"][curve["x"] == -9].tolist()
    default = tables(smooth, SMOOTH)[table_name("float64", "used")]
    assert isclose(default["x"][0], log2(torch.finfo(torch.float64).eps) / 3, rel_tol=1e-6)
    guides = data[table_name("float64", "guides")].groupby("name")
    ends = {name: line[["x", "y"]].diff().iloc[-1].tolist() for name, line in guides}
    slopes = {name: y / x / np.log10(2) for name, (x, y) in ends.items()}
    assert isclose(slopes["∝ h²"], 2, rel_tol=0.01) and isclose(slopes["∝ u/h"], -1, rel_tol=0.01)
    names = data[table_name("float64", "names")]
    assert set(names["name"]) == set(slopes) and (names["y"] >= differences_tables.LOWEST_ERROR).all()


def test_the_table_to_read_has_the_best_and_the_used_step(smooth):
    table = readable(smooth, SMOOTH).set_index("dtype")
    for dtype in DTYPES:
        found = best(smooth, SMOOTH, dtype)
        assert (
            table.loc[dtype, "smallest error"] == f"{found.error:.1e}" and table.loc[dtype, "step used"] == "eps^(1/3)"
        )
    assert set(readable(FiniteDifferences.empty, SMOOTH)["smallest error"]) == {"–"}


def test_a_kink_at_the_sample_leaves_it_out(monkeypatch):
    def at_a_kink(*_: object) -> None:
        raise differences.Undecided

    monkeypatch.setattr(differences.ArbNetwork, "gradient", at_a_kink)
    tally = finish(replace(SMOOTH, samples=1))
    point = tally.known[point_name("float32", -4)]
    assert point == StepTally(1) and isinstance(tally.by_name, ByName)
