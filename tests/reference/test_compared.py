"""Comparisons over consecutive samples."""

import torch

from lib.experiment.query import Experiment
from lib.network.comparison import BACKWARD, Comparison, Subject, Way, by
from lib.reference.compared import Comparisons, Variant


def test_comparisons_share_the_ways_that_they_have_in_common():
    calls = []

    def counted(subject: Subject, x: torch.Tensor) -> torch.Tensor:
        calls.append(x.shape)
        return BACKWARD(subject, x)

    shared = Way("counted", counted)
    comparisons = {
        method: Comparison(method, shared, by(method)) for method in ("rows", "jacrev", "copies")
    }
    for evaluation, expected in (("batched", [(8192, 5)]), ("per-sample", [(5,)] * 7)):
        calls.clear()
        variant = Variant(Experiment(samples=7, evaluation=evaluation), comparisons)
        Comparisons(variant).measure(0, float("inf"))
        assert calls == expected
