"""A replay as JSON: every exact number is exact."""

import json
from dataclasses import replace
from fractions import Fraction

import torch

from lib.replay.figures import figures
from lib.replay.first_divergence import FirstDivergence
from lib.replay.replay import Replay
from lib.replay.steps import in_steps
from lib.replay.trees import Tree


def done():
    """A sum of four products, of which one is fused, and a number."""
    tree = Tree.of(5, [[0, 1], [2, 3], [5, 6], [7, 4]], (1,), values=1)
    numbers = torch.linspace(-1.1, 1.3, 10).view(5, 2).tolist()
    terms = [(f"h{k}", *pair) for k, pair in enumerate(numbers)]
    terms[4] = ("bias", None, terms[4][1])
    steps = in_steps(tree, terms, torch.float32)
    divergence = FirstDivergence("sum", "h3", 1.5, (1.0, 2.0**-70), steps[1])
    evaluations = {"backward": steps, "jacobian": steps * 2, "backward_diverges_at": 2}
    results = 1.5, 1.25, 1.25
    return Replay(
        4, 3, "float32", "functional", *results, **evaluations, first_divergence=divergence
    )


def test_exact_numbers_are_fractions_in_the_json():
    printed = json.loads(json.dumps(figures(replace(done(), method_result=float("nan")))))
    assert printed["method_result"] is None
    for side in ("backward", "jacobian"):
        exact = [Fraction(step["exact_fraction"]) for step in printed[f"{side}_steps"]]
        assert exact == [step.exact for step in getattr(done(), side)]
    assert Fraction(printed["parting"]["exact_fraction"]) == 1 + Fraction(2) ** -70
    assert printed["parting"]["step"] == printed["backward_steps"][1]
