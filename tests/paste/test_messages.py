"""Each known message is written here by the library itself, and nothing but a whole line is one."""

import warnings
from unittest import TestCase

import numpy as np
import pytest
import torch
from torch.autograd import grad, gradcheck

from lib.paste.answer import answer
from lib.paste.messages import ROWS

CLOSE = torch.testing.assert_close
NUMPY = np.testing
W = torch.randn(6, generator=torch.Generator().manual_seed(7))
A = np.array([1.0, 2.0, 3.0])
B = np.array([1.0, 2.0, 3.5])
FLOAT32 = A.astype("f4")
LONG = np.random.default_rng(1).normal(size=(40, 40))


def leaf(*values, dtype=torch.float64):
    return torch.tensor(values, dtype=dtype, requires_grad=True)


class Half(torch.autograd.Function):
    """x², with half of its gradient."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, cotangent):
        return cotangent * ctx.saved_tensors[0]


class Short(Half):
    """x², with a gradient that lacks a component."""

    @staticmethod
    def backward(ctx, cotangent):
        return cotangent[1:]


class Two(Half):
    """x², with two gradients for one input."""

    @staticmethod
    def backward(ctx, cotangent):
        return cotangent, cotangent


class Random(Half):
    """x², with a gradient that is a few floats off at random."""

    @staticmethod
    def backward(ctx, cotangent):
        return 2 * ctx.saved_tensors[0] * cotangent * (1 + 1e-12 * torch.rand_like(cotangent))


def of_a_sum():
    assert sum([0.1] * 10) == 1.0


def of_a_list():
    assert [0.1 + 0.2, 0.5] == [0.3, 0.5]


def near(x, y):
    assert x == pytest.approx(y)


def all_close(x, y):
    assert torch.allclose(x, y)


def backward_twice():
    y = (leaf(1.0) ** 2).sum()
    y.backward()
    y.backward()


def overwritten():
    a = leaf(1.0) * 1
    b = a**2
    a.add_(1)
    b.sum().backward()


def alone(*writes):
    """Messages beside which no values are compared."""
    return dict.fromkeys(writes, ("message", 0))


WRITTEN = {
    "assert_close": {
        lambda: CLOSE(0.1234, 0.3702): ("factor", 3),
        lambda: CLOSE(W[0], torch.nextafter(W[0], W[1]), rtol=0, atol=0): ("rounding", 3),
        **alone(lambda: CLOSE(W, W + 0.5), lambda: CLOSE(1 + 1j, 1 - 1j)),
    },
    "not_finite": alone(
        lambda: CLOSE(W, W * float("nan")), lambda: NUMPY.assert_allclose(A, A / [1, 0, 1])
    ),
    "shapes": alone(lambda: CLOSE(W, W[:5]), lambda: NUMPY.assert_allclose(A, B[:2])),
    "attribute": alone(
        lambda: CLOSE(W, W.double()), lambda: NUMPY.assert_allclose(A, B.astype("f4"), strict=True)
    ),
    "numpy": {
        lambda: NUMPY.assert_allclose(A, 3 * A): ("factor", 2),
        lambda: NUMPY.assert_array_almost_equal(A, B): ("open", 2),
        **alone(
            lambda: NUMPY.assert_array_equal(FLOAT32, np.nextafter(FLOAT32, 9)),
            lambda: NUMPY.assert_allclose(LONG, LONG + 1),
        ),
    },
    "pytest": {
        of_a_sum: ("rounding", 2),
        of_a_list: ("rounding", 2),
        lambda: near(0.3, 0.9): ("factor", 2),
        lambda: TestCase().assertAlmostEqual(0.1, 0.2): ("factor", 2),
    },
    "where_false": {
        lambda: all_close(W[:4], 3 * W[:4]): ("factor", 2),
        lambda: all_close(W[:4].reshape(2, 2), W[:4].reshape(2, 2).mT): ("transposed", 2),
    },
    "approx": alone(lambda: near([0.1, 0.2], [0.1, 0.3])),
    "gradcheck": {
        lambda: gradcheck(Half.apply, leaf(0.3, 1.7)): ("factor", 2),
        lambda: gradcheck(torch.sin, leaf(0.3, 1.7, dtype=torch.float32)): ("open", 2),
        lambda: gradcheck(Half.apply, leaf(0.3 + 1j, dtype=torch.complex128)): ("open", 2),
        **alone(lambda: gradcheck(Half.apply, leaf(0.3, 1.7), fast_mode=True)),
    },
    "no_grad": alone(
        lambda: torch.ones(1).sum().backward(),
        lambda: grad((leaf(1.0) ** 2).sum(), torch.ones(1)),
        lambda: gradcheck(lambda x: x.detach() * 2, leaf(0.3)),
        lambda: (leaf(1.0) * torch.inference_mode()(torch.ones)(1)).sum().backward(),
    ),
    "unused": alone(lambda: grad((leaf(1.0) ** 2).sum(), [leaf(2.0)])),
    "scalar": alone(
        lambda: (leaf(1.0, 2.0) ** 2).backward(),
        lambda: leaf(1j, dtype=torch.complex64).sum().backward(),
        lambda: torch.func.grad(lambda x: x * 2)(leaf(1.0, 2.0)),
    ),
    "grad_outputs": alone(
        lambda: (leaf(1.0, 2.0) ** 2).backward(torch.ones(3)),
        lambda: grad([leaf(1.0) * 2, leaf(1.0) * 3], leaf(1.0), [torch.ones(1)]),
        lambda: grad(leaf(1.0) * 2, leaf(1.0), torch.ones(3, 3), is_grads_batched=True),
    ),
    "custom": alone(
        lambda: Short.apply(leaf(0.3, 1.7)).sum().backward(),
        lambda: Two.apply(leaf(0.3)).sum().backward(),
    ),
    "reentrant": alone(lambda: gradcheck(Random.apply, leaf(0.3, 1.7))),
    "freed": alone(backward_twice),
    "in_place": alone(
        overwritten,
        lambda: leaf(1.0).add_(1),
        lambda: leaf(1.0)[0].add_(1),
        lambda: (leaf(1.0) * 1).unbind()[0].add_(1),
    ),
    "transform": alone(
        lambda: torch.func.grad(lambda x: ((x * 2).sum().backward(), x.sum())[1])(leaf(1.0)),
        lambda: torch.func.grad(lambda x: x.requires_grad_().sum())(leaf(1.0)),
        lambda: torch.func.vmap(lambda x: x.item())(leaf(1.0, 2.0)),
        lambda: torch.func.vmap(torch.rand_like)(leaf(1.0, 2.0)),
        lambda: torch.func.grad(Half.apply)(leaf(1.0)[0]),
    ),
}
CASES = [(name, *row) for name, rows in WRITTEN.items() for row in rows.items()]


def written(write):
    """Return what a library prints of an error, with the name of the error."""
    with pytest.raises(Exception) as caught, warnings.catch_warnings(action="ignore"):
        write()
    return f"{caught.type.__name__}: {caught.value}"


@pytest.mark.parametrize("name, write, judged", CASES)
def test_a_message_is_known_among_other_lines(name, write, judged):
    """But not within a line."""
    text = written(write)
    traceback = f'Traceback (most recent call last):\n  File "a.py", line 3, in f\n{text}\n'
    in_pytest = "\n".join(f"E   {line}" for line in text.split("\n"))
    for paste in (text, traceback, in_pytest):
        read = answer(paste, "float32")
        assert name in [message.name for message in read.messages], paste
        assert "{" not in read.sentence and read.sentence.endswith(".")
        assert paste == traceback or (read.cause.name, read.compared) == judged, read.sentence
    line = max(text.split("\n"), key=len)
    for around in ("no {}", "# {}", "{} is what I expected", 'raise Error("{}")'):
        assert not answer(around.format(line), "float32").messages


def test_every_row_is_written():
    assert [*ROWS] == [*WRITTEN]


def test_several_checks_are_not_compared():
    """But each is known."""
    once = written([*WRITTEN["numpy"]][0])
    read = answer(f"{once}\n{once}", "float32")
    assert (read.cause.name, read.compared) == ("message", 0)
    assert read.sentence.count("numpy.testing: not equal.") == 1
    lost = written([*WRITTEN["not_finite"]][0])
    assert answer(f"{once}\n{lost}", "float32").verdict.name == "NOT_ROUNDING"
