"""The fastest method in words, and how sure that is."""

import pytest

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.pitfall.cost_sentences import cost_claim, cost_spread, vmap_claim
from lib.pitfall.costs import Cost


def cost(method: str, outputs: int, seconds: float, spread: float = 0.01) -> Cost:
    return Cost(method, outputs, seconds * (1 - spread), seconds, seconds * (1 + spread), 1)


def timed(outputs: int, fast: dict[str, float]) -> list[Cost]:
    """Every method at so many outputs: those named take so many seconds, the others one."""
    return [cost(method, outputs, fast.get(method, 1.0)) for method in METHODS]


def test_the_fastest_is_named_and_from_how_many_outputs_on():
    costs = [*timed(1, {"rows": 1e-4}), *timed(2, {"copies": 2e-4}), *timed(4, {"copies": 3e-4})]
    costs += [*timed(8, {"rows": 4e-4}), *timed(16, {"rows": 5e-4})]
    tails = {
        1: "With 1 output, `rows` is fastest: 100 µs a Jacobian. From 8 to 16 outputs it is `rows` again.",
        2: "With 2 outputs, `copies` is fastest: 200 µs a Jacobian. From 8 to 16 outputs it is `rows`.",
        8: "With 8 outputs, `rows` is fastest: 400 µs a Jacobian. It stays fastest up to 16 outputs.",
        16: "With 16 outputs, `rows` is fastest: 500 µs a Jacobian.",
    }
    assert {outputs: cost_claim(costs, Experiment(outputs=outputs)) for outputs in tails} == tails
    some = [*timed(1, {"rows": 1e-4}), *timed(2, {"copies": 2e-4})]
    assert cost_claim(some, Experiment(outputs=1)).endswith(" With 2 outputs it is `copies`.")


def test_nobody_is_the_fastest_before_all_were_timed():
    (rows, *others) = timed(64, {"rows": 1e-4})
    assert cost_claim([rows], Experiment(outputs=64)) == "Not every method has been timed with 64 outputs so far."


def test_a_method_whose_timings_overlap_may_be_as_fast():
    others = [one for one in timed(2, {}) if one.method not in ("rows", "jacrev")]
    costs = [cost("rows", 2, 1e-4, 0.1), cost("jacrev", 2, 1.1e-4, 0.1), *others]
    assert "; `jacrev` may be as fast: the timings overlap." in cost_claim(costs, Experiment())


def test_nobody_is_the_fastest_before_there_are_timings():
    assert cost_claim([], Experiment()) == "The first timings are on their way."


@pytest.mark.parametrize(
    ("loop", "batch", "words"),
    [
        ((1.0, 2.0, 4.0), (3.0, 3.0, 3.0), "from 4 outputs on, not always with fewer"),
        ((1.0, 2.0, 4.0), (0.5, 3.0, 3.0), "from 4 outputs on, not always with fewer"),
        ((1.0, 2.0, 4.0), (0.5, 0.5, 0.5), "at every number of outputs tried"),
        ((1.0, 2.0, 4.0), (0.5, 0.5, 5.0), "slower than one by one (`rows`), even at the most outputs tried"),
    ],
)
def test_it_is_said_where_vmap_loses(loop, batch, words):
    costs = [cost("rows", n, seconds) for n, seconds in zip((1, 2, 4), loop, strict=True)]
    costs += [cost("batched-grad", n, seconds) for n, seconds in zip((1, 2, 4), batch, strict=True)]
    assert words in vmap_claim(costs)


def test_nothing_is_said_of_vmap_before_it_was_timed():
    assert vmap_claim([cost("rows", 1, 1.0)]) == "The first timings of `batched-grad` are on their way."


def test_the_spread_of_the_timings_is_said():
    assert "spans 20% of their median" in cost_spread([cost("rows", n, 1e-4, 0.1) for n in (1, 2, 4)])
