"""The fingerprints on matrices that torch computed, with the fault and without it."""

import re
import warnings

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from torch.autograd import grad
from torch.autograd.functional import jacobian

from lib.experiment.query import Experiment
from lib.network import jacobians, network, sampling
from lib.paste.fingerprint import FINGERPRINTS, findings
from lib.paste.matrix import parse
from tests.cases import EVERY_METHOD, EXPERIMENTS

RIGHT_METHODS = [method for method in EVERY_METHOD if method not in ("summed-output", "single-call")]
SEVERAL_OUTPUTS = [experiment for experiment in EXPERIMENTS if experiment.outputs > 1]
SMOOTH = ["elu", "gelu", "silu", "softplus", "tanh", "sigmoid"]

X = torch.tensor([[0.5, -1.0, 2.0], [1.5, 0.25, -0.5], [-2.0, 0.75, 1.0], [0.1, 0.2, 0.3]], dtype=torch.float64)
x = X[0].clone().requires_grad_()


def f(x):
    """From 3 inputs to 2 outputs; works on batches as well."""
    return torch.stack([(x**3).sum(-1), (2 * x.cos()).prod(-1)], -1)


def names(matrix, outputs=2, inputs=3):
    """The names of the findings, and that each is one sentence on one line and Python that compiles."""
    matrix = matrix.detach().double().numpy() if isinstance(matrix, torch.Tensor) else np.asarray(matrix, float)
    found = findings(matrix, outputs, inputs)
    for finding in found:
        assert finding.sentence.isprintable() and finding.sentence.endswith(".") and ". " not in finding.sentence
        assert finding.sentence[0].isupper() and len(finding.sentence) < 330
        compile(finding.fix, finding.name, "exec")
    return [finding.name for finding in found]


def sentence(name, matrix, outputs=2, inputs=3):
    matrix = np.asarray(torch.as_tensor(matrix).detach(), float)
    return next(finding.sentence for finding in findings(matrix, outputs, inputs) if finding.name == name)


def fix(name):
    return next(fingerprint.fix for fingerprint in FINGERPRINTS if fingerprint.name == name)


def faultless(matrix):
    """What is to be found in a right Jacobian, of facts that can be counted: rows of zeros are none of its faults."""
    zero = [not any(row) for row in matrix.tolist()]
    return ["zeros"] if all(zero) else ["zero rows"] if any(zero) else ["none"]


def single_call(f, x, dim):
    y = f(x)
    return torch.stack(grad(list(y), [x] * len(y)), dim)


def id_of(experiment):
    return experiment.query or "post"


@pytest.mark.parametrize("experiment", SEVERAL_OUTPUTS, ids=id_of)
@pytest.mark.parametrize("method", RIGHT_METHODS)
def test_a_right_jacobian_raises_no_alarm(method, experiment):
    net, block = network.build(experiment), sampling.block(experiment, 0)[:4]
    for sample in block:
        matrix = jacobians.METHODS[method](net, sample).double()
        assert names(matrix, experiment.outputs, experiment.inputs) == faultless(matrix)
    assert "none" in names(matrix, experiment.outputs, experiment.inputs)
    batch = jacobians.METHODS[method](net, block)
    assert names(batch, experiment.outputs, experiment.inputs) == ["none"]
    assert names(batch.movedim(0, 1), experiment.outputs, experiment.inputs) == ["none"]


@settings(max_examples=200)
@given(st.data())
def test_right_jacobians_of_random_networks_raise_no_alarm_even_as_printed(data):
    width = st.integers(2, 9)
    experiment = Experiment(
        inputs=data.draw(width),
        hidden=tuple(data.draw(st.lists(width, min_size=1, max_size=2))),
        outputs=data.draw(width),
        activation=data.draw(st.sampled_from(SMOOTH)),
        output_activation=data.draw(st.sampled_from([*SMOOTH, "identity", "softmax"])),
        seed=data.draw(st.integers(0, 2**31 - 1)),
    )
    matrix = jacobian(network.build(experiment), sampling.block(experiment, 0)[0])
    assert names(matrix, experiment.outputs, experiment.inputs) == ["none"]
    assert names(parse(repr(matrix)), experiment.outputs, experiment.inputs) == ["none"]


@given(hnp.arrays(np.float64, (4, 3), elements=st.floats(0.5, 2), unique=True))
def test_a_matrix_of_different_numbers_raises_no_alarm(matrix):
    assert names(matrix, 4, 3) == ["none"]
    assert names(matrix[None].repeat(2, 0), 4, 3) == ["none"]


@pytest.mark.parametrize("experiment", SEVERAL_OUTPUTS, ids=id_of)
def test_a_single_call_is_known_by_its_equal_rows(experiment):
    net, block = network.build(experiment), sampling.block(experiment, 0)[:4]
    shape = experiment.outputs, experiment.inputs
    for matrix in (jacobians.single_call(net, block[0]), jacobians.single_call(net, block)):
        # The columns of a softmax's Jacobian sum to 0, but for rounding: some samples, or all, may have only zeros.
        nonzero = matrix.reshape(-1, experiment.outputs * experiment.inputs).any(1)
        expected = ["sum"] * bool(nonzero.any()) + ["zeros"] * (not nonzero.all())
        assert names(matrix, *shape) == expected
        assert nonzero.all() or experiment.output_activation == "softmax"


def test_a_single_call_stacked_as_columns_is_known_by_them():
    stacked = single_call(f, x, -1)
    assert names(stacked) == ["sum", "transposed"]
    assert sentence("sum", stacked).startswith("After transposing, all 2 rows are equal: ")
    assert names(stacked, 3, 2) == ["sum"]  # the chosen network does not tell that it is transposed
    assert sentence("sum", stacked, 3, 2).startswith("All 2 columns are equal: ")


def test_the_posts_wrong_matrix_is_known_and_its_right_one_passes():
    assert names([[10, 18]] * 4, 4, 2) == ["sum"]
    assert names([[10, 18]] * 3, 2, 5) == ["sum", "shape"]
    assert names([[2, 0], [0, 2], [8, 0], [0, 16]], 4, 2) == ["none"]
    assert sentence("sum", [[10, 18]] * 4, 4, 2).startswith("All 4 rows are equal: that is what a single torch.auto")


def test_equal_rows_of_a_batch_are_counted():
    mixture = jacobian(f, X[0]).repeat(4, 1, 1)
    mixture[1] = mixture[3] = single_call(f, x, 0)
    assert names(mixture) == ["sum"]
    assert sentence("sum", mixture).startswith(
        "In 2 of 4 samples, first in sample 1 (counted from 0): all 2 rows are equal: "
    )
    blocks = torch.zeros(4, 2, 4, 3)
    for sample in range(4):
        blocks[sample, :, sample] = mixture[sample]
    assert names(blocks) == ["sum", "batch"]
    assert sentence("sum", blocks) == sentence("sum", mixture)


def test_the_fixes_of_the_pitfall_give_the_right_jacobian():
    right = jacobian(f, x)
    ways = fix("sum").split("# or")
    assert len(ways) == 3
    for way in ways:
        space = {"torch": torch, "f": f, "x": x}
        exec(re.sub("^ .*\n", "", way), space)
        torch.testing.assert_close(space["J"], right, rtol=0, atol=0)


def test_equal_rows_that_are_zero_or_not_finite_are_no_sum():
    assert names(np.zeros((2, 3))) == ["zeros"]
    assert names([[5, 5, 5]] * 2) == ["sum"]
    assert names([[np.inf, 1, 2]] * 2) == ["infinite rows"]
    assert names([[np.nan, 1, 2]] * 2) == ["nan rows"]


def test_a_gradient_is_one_row_and_whether_it_is_a_sum_cannot_be_seen():
    net = network.build(Experiment(outputs=1))
    matrix = jacobian(net, torch.rand(5))
    assert names(matrix, 1, 5) == ["one row"]
    assert names(matrix, 2, 5) == ["one row", "shape"]
    assert names([[3, 3, 3]], 1, 3) == ["one row"]
    (unknown,) = findings(np.array([[10.0, 18.0]]))
    assert "looks like the sum of all rows" in unknown.sentence and "jacobian(f, x)" in unknown.fix
    assert not findings(np.array([[10.0, 18.0]]), 1)[0].fix
    assert names([[0, 0, 0]], 1, 3) == ["zeros", "one row"]


@pytest.mark.parametrize(
    "g",
    [
        lambda x: f(x).detach().requires_grad_(),
        lambda x: torch.tensor(f(x).tolist(), requires_grad=True),
        lambda x: torch.from_numpy(f(x.detach()).numpy()).requires_grad_(),
        lambda x: torch.tensor([f(x)[0].item(), f(x)[1].item()], requires_grad=True),
        lambda x: torch.ones(2, requires_grad=True) ** 2,
    ],
    ids=["detach", "torch.tensor", "numpy", "item", "argument ignored"],
)
def test_a_graph_that_is_cut_gives_zeros_and_the_fix_an_error(g):
    with warnings.catch_warnings(action="ignore"):  # that torch.tensor is given a tensor is the fault that is tested
        assert names(jacobian(g, x)) == ["zeros"]
    with pytest.raises(RuntimeError, match="strict mode"), warnings.catch_warnings(action="ignore"):
        exec(fix("zeros"), {"torch": torch, "f": g, "x": x})


def test_copies_made_after_the_forward_pass_give_zeros():
    copies = [x.clone(), x.clone()]
    assert names(torch.stack(grad(list(f(x)), copies, materialize_grads=True, allow_unused=True))) == ["zeros"]


@pytest.mark.parametrize(
    "g", [lambda x: (torch.ones(2, 3, dtype=x.dtype) @ x - 9).relu(), lambda x: (1e3 + x[:2]).sigmoid()]
)
def test_units_that_are_off_or_flat_give_zeros_without_a_fault(g):
    assert names(jacobian(g, x)) == ["zeros"]


def test_rows_of_zeros_are_named():
    matrix = jacobian(lambda x: torch.stack([x[0].relu(), x[1].relu(), torch.ones(()), x[2] ** 2]), x)
    assert names(matrix, 4, 3) == ["zero rows"]
    assert sentence("zero rows", matrix, 4, 3).startswith("There are only zeros in rows 1 and 2 (counted from 0): ")
    assert sentence("zero rows", matrix[[2, 3]]).startswith("There are only zeros in row 0 (counted from 0): ")
    assert sentence("zero rows", matrix.T, 4, 3).startswith(
        "After transposing, there are only zeros in rows 1 and 2 (counted from 0): "
    )
    matrix = np.eye(40, 3)
    assert "in rows 3, 4, 5, 6, 7, 8, 9, 10 and 29 more (counted from 0): " in sentence("zero rows", matrix, 40, 3)


NAN = {
    "0/0": (lambda x: x / x, 0.0),
    "inf − inf": (lambda x: 1 / x - 1 / x**2, 0.0),
    "0 · inf": (lambda x: (x**2).sqrt(), 0.0),
    "square root": (lambda x: x.sqrt(), -1.0),
    "torch.where": (lambda x: torch.where(x > 0, x.sqrt(), 0 * x), 0.0),
}


@pytest.mark.parametrize("cause", NAN)
def test_the_causes_of_nan_are_causes(cause):
    g, at = NAN[cause]
    at = torch.tensor([1.0, at, 2.0], dtype=torch.float64)
    matrix = jacobian(g, at)
    assert names(matrix, 3, 3) == ["nan rows"]
    said = sentence("nan rows", matrix, 3, 3)
    assert said.startswith("There is NaN in all 3 rows: ") and cause in said
    with pytest.raises(RuntimeError, match="nan values"), warnings.catch_warnings(action="ignore"):
        exec(fix("nan rows"), {"torch": torch, "f": g, "x": at})


def test_rows_with_nan_are_named():
    matrix = np.array([[1, 2, 3], [4, np.nan, 5]])
    assert sentence("nan rows", matrix).startswith("There is NaN in row 1 (counted from 0): ")
    assert names(matrix) == ["nan rows"]
    assert sentence("nan rows", matrix[1:], 1, 3).startswith("There is NaN in row 0 (counted from 0): ")


@pytest.mark.parametrize("g", [lambda x: 1 / x, torch.sqrt, torch.log])
def test_the_causes_of_infinities_are_causes(g):
    matrix = jacobian(g, torch.tensor([0.0, 1.0, 0.0]))
    assert "There are infinities in rows 0 and 2 (counted from 0): " in sentence("infinite rows", matrix, 3, 3)
    assert names(jacobian(lambda x: 300 * (300 * x), torch.ones(2, dtype=torch.float16)), 2, 2)[0] == "infinite rows"


def test_the_jacobian_of_a_batch_is_known_and_its_fix_gives_every_sample():
    matrix = jacobian(f, X)
    assert matrix.shape == (4, 2, 4, 3)
    assert names(matrix) == ["batch"]
    right = torch.stack([jacobian(f, sample) for sample in X])
    for way in fix("batch").split("# or"):
        space = {"torch": torch, "f": f, "X": X, "J": matrix}
        exec(re.sub("^[ ,].*\n", "", way), space)
        per_sample = space["J"].movedim(1, 0) if "(outputs, batch, inputs)" in way else space["J"]
        torch.testing.assert_close(per_sample, right)
    assert names(right) == ["none"]
    assert names(matrix[:1, :, :1]) == ["none"]  # of one sample, or of a matrix with one row: the same numbers


def test_a_nan_in_one_sample_does_not_mix_a_batch():
    matrix = jacobian(lambda X: f(X.sqrt()), X.abs() * torch.tensor([[1.0], [0.0], [1.0], [1.0]]))
    assert matrix[0, :, 1].isnan().any()
    assert names(matrix) == ["nan rows", "batch"]
    assert sentence("nan rows", matrix).startswith(
        "In 1 of 4 samples, first in sample 1 (counted from 0): there is NaN in "
    )


def test_batch_normalisation_mixes_the_samples():
    norm = torch.nn.BatchNorm1d(3, dtype=torch.float64)
    assert names(jacobian(lambda X: f(norm(X)), X)) == ["batch mixed"]
    norm.eval()
    assert names(jacobian(lambda X: f(norm(X)), X)) == ["batch"]


def test_a_function_that_takes_or_gives_a_matrix_has_a_jacobian_of_three_dimensions():
    takes = jacobian(lambda X: torch.stack([X.prod(), X[0].sum()]), X)
    assert takes.shape == (2, *X.shape)
    assert names(takes, 2, X.numel()) == ["none"] and names(takes, None, X.numel()) == ["none"]
    assert names(takes * torch.tensor([[[1.0]], [[0.0]]]), 2, X.numel()) == ["zero rows"]
    gives = jacobian(lambda x: torch.outer(x, x).exp(), x)
    assert names(gives, 9, 3) == ["none"]
    assert names(gives, 2, 7) == ["shape", "none"]


def test_a_transposed_matrix_is_known_by_the_shape_of_the_chosen_network():
    right = jacobian(f, x)
    assert names(right.T) == ["transposed"]
    said = "it is 3 × 2, and the Jacobian of a function of 2 outputs and 3 inputs has a row per output"
    assert said in sentence("transposed", right.T)
    assert names(jacobian(f, X).transpose(1, 3)) == ["batch", "transposed"]
    assert names(right.T, 3, 2) == ["none"]
    space = {"J": right.T}
    exec(fix("transposed"), space)
    assert names(space["J"]) == ["none"]
    assert names(right[:, :2].T, 2, 2) == ["none"]  # a square matrix does not tell


def test_another_shape_is_noted_and_everything_else_is_looked_for():
    right = jacobian(f, x)
    assert names(right, 7, 5) == ["shape", "none"]
    said = sentence("shape", right, 7, 5)
    assert (
        said.startswith("The matrix is 2 × 3: neither it nor its transpose has ") and "7 outputs and 5 inputs" in said
    )
    assert names(right[[0, 0]], 7, 5) == ["sum", "shape"]


def test_the_shape_is_judged_only_where_somebody_said_it():
    right = jacobian(f, x)
    of_samples = torch.stack([jacobian(f, sample) for sample in X])
    for matrix in (right, right.T, of_samples, of_samples.movedim(0, 1)):
        assert names(matrix, None, None) == ["none"]
    (finding,) = findings(right.T.numpy())
    assert "shape" not in finding.sentence and "shape" in findings(right.numpy(), 2)[0].sentence
    assert names(right, 2, None) == names(right, None, 3) == ["none"]
    assert names(right.T, 2, None) == names(right.T, None, 3) == ["transposed"]
    assert names(right, None, 7) == ["shape", "none"]
    assert sentence("shape", right, None, 1).endswith(" of a function of 1 input.")


def test_a_function_of_matrices_is_read_as_one_matrix():
    matrix = jacobian(lambda X: X[:2] @ X.T, X)  # outputs 2 × 4, inputs 4 × 3
    assert matrix.shape == (2, 4, 4, 3)
    assert names(matrix, 8, 12) == ["none"]
    assert names(torch.ones_like(matrix).cumsum(-1), 8, 12) == ["sum"]


def test_four_dimensions_are_a_batch_only_if_nothing_said_speaks_against_it():
    matrix = jacobian(lambda X: X**2, torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
    assert names(matrix, 4, 4) == names(matrix, None, 4) == names(matrix, 4, None) == ["none"]
    assert names(matrix, 2, 2) == names(matrix, None, None) == ["batch"]
    assert sentence("batch", matrix, None, None).startswith("If this is the Jacobian of a whole batch of 2, ")
    assert names(matrix, 3, 3) == ["batch", "shape"]


def test_beside_another_shape_nothing_is_said_of_a_transposed_one():
    right = jacobian(f, x)
    assert sentence("none", right, 7, 5).startswith("Apart from its shape, no known fault shows: ")
    assert "transposed" not in sentence("none", right, 7, 5)
    assert "no transposed shape, " in sentence("none", right, 2, 3)
