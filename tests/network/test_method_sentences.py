"""What is said of a method follows from what it gives: each text is true of the method's numbers, and is complete."""

import re
from dataclasses import fields, replace

import pytest
import torch

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.network import jacobians, network, sampling
from lib.network.method_sentences import WORDS, words
from lib.network.words import Words
from tests.cases import EVERY_METHOD

NETWORKS = {
    "tanh": {"activation": "tanh"},
    "between kinks": {"activation": "relu", "output_activation": "leaky_relu"},
    "linear": {"activation": "identity", "output_activation": "identity"},
    "softmax": {"activation": "tanh", "output_activation": "softmax"},
}
"""Networks in which different things hold on paper."""


def texts(found: Words) -> list[str]:
    parts = [getattr(found, part.name) for part in fields(Words)]
    return [text for part in parts for text in ([part] if isinstance(part, str) else part.values())]


def test_every_method_has_words_and_no_words_are_idle():
    assert {method.gives for method in METHODS.values()} == WORDS.keys()


@pytest.mark.parametrize("outputs", [1, 2, 64])
@pytest.mark.parametrize("method", EVERY_METHOD)
@pytest.mark.parametrize("kind", NETWORKS)
def test_texts_are_filled_and_sentences_end(method, outputs, kind):
    found = words(Experiment(method=method, outputs=outputs, **NETWORKS[kind]))
    assert not any(re.search(r"[{}]|  |\bNone\b", text) for text in texts(found))
    for text in (found.on_paper, found.reading, *found.why.values(), *found.do.values(), found.ladder or "."):
        assert text.endswith(".")
    for text in (found.comment, found.question, found.equal, found.apart, found.side, found.nonfinite):
        assert not text.endswith(".") and "?" not in text
    assert found.do.keys() <= found.why.keys() <= {"apart", "right", "there", "remedies"}


@pytest.mark.parametrize("outputs", [1, 2, 5])
@pytest.mark.parametrize("method", EVERY_METHOD)
@pytest.mark.parametrize("kind", NETWORKS)
def test_what_is_said_to_hold_on_paper_holds_up_to_rounding(method, outputs, kind):
    """tanh tells what is exact from what only approximates."""
    experiment = Experiment(method=method, outputs=outputs, dtype="float64", **NETWORKS[kind])
    net, x = network.build(experiment), sampling.block(experiment, 0)[0].clone()
    backward, summed = jacobians.backward_gradient(net, x), jacobians.summed_jacobian(method, net, x)
    paper = words(experiment).on_paper
    if method == "finite-difference" and kind != "tanh":
        assert "are equal to the gradient" in paper
        torch.testing.assert_close(summed, backward, rtol=0, atol=1e-10)
        assert ("unless the step crosses a kink" in paper) == (kind == "between kinks")
    elif "approximate" in paper:
        assert 1e-13 < (backward - summed).abs().max() < 1e-8
    elif "both are 0" in paper:
        assert kind == "softmax" and max(backward.abs().max(), summed.abs().max()) < 1e-15
    elif "times the gradient" in paper:
        times = int(re.search(r"(\d+) times the gradient", paper)[1])
        assert times > 1 and torch.allclose(summed, times * backward, rtol=1e-13, atol=0)
    else:
        assert "are equal" in paper
        torch.testing.assert_close(summed, backward, rtol=0, atol=1e-15)


@pytest.mark.parametrize("evaluation", ["per-sample", "batched"])
@pytest.mark.parametrize("activation", ["relu", "gelu", "silu", "softplus"])
def test_where_both_are_said_to_do_the_same_operations_the_values_are_equal(activation, evaluation):
    for method in ("summed-output", "single-call"):
        experiment = Experiment(
            method=method, outputs=1, activation=activation, output_activation=activation, evaluation=evaluation
        )
        for found in (experiment, replace(experiment, outputs=3)):
            if not words(found).equal:
                continue
            net, block = network.build(found), sampling.block(found, 0)[:40]
            for x in block if evaluation == "per-sample" else [block]:
                summed = jacobians.summed_jacobian(method, net, x.clone())
                assert torch.equal(summed, jacobians.backward_gradient(net, x.clone()))
