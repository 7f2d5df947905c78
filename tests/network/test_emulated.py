"""Emulated products against plain Python: every factor, product and partial sum is a fraction that is rounded."""

import re
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from math import floor

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode, is_in_torch_dispatch_mode

from lib.experiment.choices import EVALUATIONS
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.network.comparison import BACKWARD, BY_METHOD, Subject, Way
from lib.network.emulated import _ONE_AT_A_TIME, _PRODUCTS, EMULATIONS, both_emulated, emulated, in_one_accumulator
from lib.network.jacobians import METHODS
from tests.cases import EVERY_METHOD, REVERSE_MODE, SHAPES
from tests.oracles import rounded

TF32, ACCUMULATOR = EMULATIONS["tf32"], EMULATIONS["bfloat16-accumulator"]


def in_tf32(value):
    """Of numbers at least 1 in size: eleven significant bits, ties away from zero."""
    step = Fraction(2) ** max(floor(abs(value)).bit_length() - 11, 0)
    assert value % 1 == 0
    return (-1 if value < 0 else 1) * floor(abs(value) / step + Fraction(1, 2)) * step


def tf32_dot(left, right, added=None):
    return sum((in_tf32(a) * in_tf32(b) for a, b in zip(left, right, strict=True)), added or Fraction())


def accumulated_dot(left, right, added=None):
    """Term by term: the product of two bfloat16 fits float32, their sum is rounded to it and then to bfloat16."""
    partial_sum = Fraction()
    terms = [a * b for a, b in zip(left, right, strict=True)] + ([] if added is None else [added])
    for term in terms:
        partial_sum = Fraction(rounded(Fraction(rounded(partial_sum + term, "float32")), "bfloat16"))
    return partial_sum


def fractions(tensor):
    if tensor.dim() == 1:
        return [Fraction(value) for value in tensor.tolist()]
    return [fractions(row) for row in tensor]


def transposed(rows):
    return [list(column) for column in zip(*rows, strict=True)]


def by_hand(net, x, dot):
    """The outputs, and the gradient for any cotangent, of a network of ReLUs whose last layer has no activation."""
    layers = [(fractions(layer.weight), fractions(layer.bias)) for layer in network.linear_layers(net)]
    value, slopes = fractions(x), []
    for weight, bias in layers:
        value = [dot(value, row, added) for row, added in zip(weight, bias, strict=True)]
        slopes.append([1] * len(value) if len(slopes) == len(layers) - 1 else [int(z > 0) for z in value])
        value = [s * z for s, z in zip(slopes[-1], value, strict=True)]

    def back(cotangent):
        for (weight, _), of_layer in zip(reversed(layers), reversed(slopes), strict=True):
            masked = [s * c for s, c in zip(of_layer, cotangent, strict=True)]
            cotangent = [dot(masked, column) for column in transposed(weight)]
        return cotangent

    return value, back


def whole_numbers(outputs, seed):
    """A network in float32 whose weights have up to 13 bits, and samples likewise. Rounded to TF32, they are multiples
    of 4, so in a pass back every sum of products is exact in float32, whatever its order."""
    experiment = Experiment(inputs=3, hidden=(4,), outputs=outputs, output_activation="identity")
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape):
        sign = 2 * torch.randint(2, shape, generator=generator) - 1
        return (sign * torch.randint(4096, 5121, shape, generator=generator)).float()

    net = network.build(experiment)
    for layer in network.linear_layers(net):
        layer.weight.copy_(draw(*layer.weight.shape))
        layer.bias.copy_(16 * draw(len(layer.bias)))
    return experiment, net, draw(6, 3)


@pytest.mark.parametrize("evaluation", EVALUATIONS)
@pytest.mark.parametrize("method", REVERSE_MODE)
def test_tf32_rounds_the_factors_of_every_product_forward_and_backward(method, evaluation):
    experiment, net, block = whole_numbers(2, seed=1)
    subject = Subject(experiment, net)
    way = emulated(Way("J", lambda subject, x: METHODS[method](subject.net, x)), TF32)
    back = emulated(BACKWARD, TF32)
    if evaluation == "batched":
        jacobians, gradients = way(subject, block), back(subject, block)
    else:
        jacobians, gradients = (torch.stack([one(subject, x.clone()) for x in block]) for one in (way, back))
    for x, jacobian, gradient in zip(block, jacobians, gradients, strict=True):
        _, exact = by_hand(net, x, tf32_dot)
        assert fractions(gradient) == exact([Fraction(1), Fraction(1)])
        assert fractions(jacobian) == [exact([Fraction(k == i) for k in range(2)]) for i in range(2)]
    assert not torch.equal(gradients, BACKWARD(subject, block))


@pytest.fixture(scope="module")
def bfloat16_network():
    experiment = Experiment(inputs=5, hidden=(7, 6), outputs=3, output_activation="identity", dtype="bfloat16", seed=4)
    return experiment, network.build(experiment), sampling.block(experiment, 0)[:4]


@pytest.mark.parametrize("evaluation", EVALUATIONS)
@pytest.mark.parametrize("method", REVERSE_MODE)
def test_the_accumulator_rounds_every_partial_sum_forward_and_backward(bfloat16_network, method, evaluation):
    """Its order is given, so a sample has the same bits alone, in a batch and by every method."""
    experiment, net, block = bfloat16_network
    subject = Subject(experiment, net)
    ways = [
        emulated(Way("y", lambda subject, x: subject.net(x)), ACCUMULATOR),
        emulated(BACKWARD, ACCUMULATOR),
        emulated(Way("J", lambda subject, x: METHODS[method](subject.net, x)), ACCUMULATOR),
    ]
    if evaluation == "batched":
        found = [way(subject, block) for way in ways]
    else:
        found = [torch.stack([way(subject, x.clone()) for x in block]) for way in ways]
    for x, y, gradient, jacobian in zip(block, *found, strict=True):
        value, back = by_hand(net, x, accumulated_dot)
        assert fractions(y) == value
        assert fractions(gradient) == back([Fraction(1)] * 3)
        assert fractions(jacobian) == [back([Fraction(k == i) for k in range(3)]) for i in range(3)]
    assert not torch.equal(found[1], BACKWARD(subject, block))


@pytest.mark.parametrize(
    ("left", "right", "total"),
    [
        # 261/256 lies halfway between two bfloat16. With 2**-30 it is above, but as a float32 it is halfway again.
        ([2.0**-30, 9.0], [1.0, 29 / 256], 260 / 256),
        ([2.0**-126, -(2.0**-133), 2.0**-133], [1.0, 1.0, 0.5], 2.0**-126),  # half a subnormal is a tie
        ([3e38, 3e38, -3e38], [1.0, 1.0, 1.0], float("inf")),
        ([1.0, float("nan"), 1.0], [1.0, 1.0, 1.0], float("nan")),
    ],
)
def test_the_accumulator_rounds_to_float32_first_and_overflows(left, right, total):
    left, right = torch.tensor([left], dtype=torch.bfloat16), torch.tensor(right, dtype=torch.bfloat16)[:, None]
    found = in_one_accumulator(left, right).item()
    assert found == total or found != found and total != total
    if abs(total) < float("inf"):
        assert found == accumulated_dot(fractions(left)[0], fractions(right[:, 0]))


class Seen(TorchDispatchMode):
    """The names of all operations that reach the kernels."""

    def __init__(self):
        super().__init__()
        self.names = set()

    def __torch_dispatch__(self, operation, types, given=(), named=None):
        self.names.add(str(operation))
        return operation(*given, **named or {})


@pytest.mark.parametrize("evaluation", EVALUATIONS)
@pytest.mark.parametrize("method", EVERY_METHOD)
def test_every_matrix_product_is_one_of_the_operations_that_are_replaced(method, evaluation):
    for shape in SHAPES:
        subject, block = Subject(shape, network.build(shape)), sampling.block(shape, 0)[:3]
        with Seen() as seen:
            BACKWARD(subject, block if evaluation == "batched" else block[0].clone())
            subject.jacobian(block if evaluation == "batched" else block[0].clone(), method)
        products = {name for name in seen.names if re.search("mm|mv|dot|ger|outer|matmul|linear|einsum|conv", name)}
        assert products <= {str(operation) for operation in _PRODUCTS} and products


@pytest.mark.parametrize("emulation", EMULATIONS.values(), ids=list(EMULATIONS))
@pytest.mark.parametrize("method", EVERY_METHOD)
def test_every_method_is_close_to_what_it_is_without_the_emulation(method, emulation):
    experiment = Experiment(outputs=3, dtype=emulation.dtype, method=method, step=-4, seed=2)
    subject, block = Subject(experiment, network.build(experiment)), sampling.block(experiment, 0)[:8]
    for one, plain in zip(
        both_emulated(BY_METHOD, emulation).sides(subject, block), BY_METHOD.sides(subject, block), strict=True
    ):
        scale = plain.abs().max() * (16 if method == "finite-difference" else 1)  # it divides an error by 2**-4
        assert 0 < (one - plain).abs().max() < 8 * emulation.eps * scale


def test_an_emulation_ends_with_its_computation_and_is_its_threads_own():
    experiment = Experiment(outputs=3)
    subject, x = Subject(experiment, network.build(experiment)), sampling.block(experiment, 0)[0].clone()
    plain = BACKWARD(subject, x)

    def within(subject, x):
        """What another thread computes while this one emulates, on a network of its own."""
        with ThreadPoolExecutor(1) as other:
            own = Subject(experiment, network.build(experiment))
            return other.submit(BACKWARD, own, x.clone()).result()

    assert emulated(Way("another thread", within), TF32)(subject, x).equal(plain)
    assert not emulated(BACKWARD, TF32)(subject, x).equal(plain)
    assert BACKWARD(subject, x).equal(plain)


def test_one_thread_at_a_time_emulates_so_that_no_flag_of_the_process_stays_set():
    taken = []
    emulated(Way("taken", lambda subject, x: taken.append(_ONE_AT_A_TIME.locked())), TF32)(None, None)
    assert taken == [True] and not _ONE_AT_A_TIME.locked()
    assert not is_in_torch_dispatch_mode()
