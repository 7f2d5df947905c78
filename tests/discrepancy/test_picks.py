"""Which component is shown, against a plain loop over PyTorch's own calls."""

import struct
from dataclasses import replace

import pytest
import torch

from lib.discrepancy import picks
from lib.discrepancy.picks import first_component, next_component, sample_and_component
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.run.tally import Place
from tests.cases import EVERY_DTYPE
from tests.oracles import PLAIN


def steps_apart(a: torch.Tensor, b: torch.Tensor) -> int:
    """Signed steps on the float line, by the bits of float32 or float64; 16-bit floats are every 2**16th float32."""
    code, bits = ("<d", 64) if a.dtype == torch.float64 else ("<f", 32)

    def place(value: torch.Tensor) -> int:
        (raw,) = struct.unpack("<q" if bits == 64 else "<i", struct.pack(code, value.item()))
        return raw if raw >= 0 else -(raw & (2 ** (bits - 1) - 1))

    return (place(a) - place(b)) // {torch.bfloat16: 2**16}.get(a.dtype, 1)


def by_loop(experiment: Experiment, count: int) -> list[tuple[tuple[int, int], int]]:
    """Every component of the first samples with its signed distance, in order."""
    net, found = network.build(experiment), []
    xs = sampling.block(experiment, 0)[: min(count, experiment.samples)]
    if experiment.evaluation == "batched":
        whole = sampling.block(experiment, 0).requires_grad_()
        net(whole).backward(torch.ones(len(whole), experiment.outputs, dtype=whole.dtype))
        rows = torch.autograd.functional.jacobian(lambda x: net(x).sum(0), whole.detach()).movedim(0, -2).sum(-2)
    for sample, x in enumerate(xs):
        if experiment.evaluation == "batched":
            backward, jacobian = whole.grad[sample], rows[sample]
        else:
            leaf = x.clone().requires_grad_()
            net(leaf).backward(torch.ones(experiment.outputs, dtype=x.dtype))
            backward, jacobian = leaf.grad, PLAIN[experiment.method](net, x.clone()).sum(0)
        for component in range(experiment.inputs):
            found.append(((sample, component), steps_apart(backward[component], jacobian[component])))
    return found


CASES = [
    *(Experiment(dtype=dtype) for dtype in EVERY_DTYPE if dtype != "float16"),
    Experiment(method="jacrev", seed=4),
    Experiment(outputs=1),
    Experiment(output_activation="softmax", samples=40),
    Experiment(evaluation="batched", samples=10**6),
    Experiment(inputs=9, hidden=(20, 20), outputs=6, activation="tanh"),
]


@pytest.mark.parametrize("experiment", CASES, ids=lambda e: e.query or "post")
def test_the_first_component_is_the_first_one_float_apart_or_the_nearest(experiment):
    known = by_loop(experiment, 64)
    ones = [place for place, ulps in known if abs(ulps) == 1]
    others = sorted({abs(ulps) for _, ulps in known} - {0})
    nearest = next(place for place, ulps in known if abs(ulps) == (others[0] if others else 0))
    assert first_component(experiment) == (ones[0] if ones else nearest)


def test_without_a_finite_component_the_first_is_shown():
    overflowing = Experiment(inputs=64, hidden=(256,), outputs=1, dtype="float16", distribution="normal", samples=1)
    sample, component = first_component(replace(overflowing, method="finite-difference", step=-60))
    assert (sample, component) == (0, 0)


@pytest.mark.parametrize("experiment", CASES[:3] + CASES[-3:], ids=lambda e: e.query or "post")
def test_the_next_walks_through_a_bin_in_order_and_starts_again(experiment):
    experiment = replace(experiment, samples=10)
    known = [(place, max(-8, min(8, ulps))) for place, ulps in by_loop(experiment, 10)]
    for wanted in {ulps for _, ulps in known}:
        alike = [place for place, ulps in known if ulps == wanted]
        for here, following in zip(alike, [*alike[1:], alike[0]], strict=True):
            assert next_component(experiment, *here) == following


def test_the_search_is_bounded_and_starts_again_at_the_first_sample(monkeypatch):
    experiment = Experiment(samples=60)
    known = [(place, max(-8, min(8, ulps))) for place, ulps in by_loop(experiment, 60)]
    monkeypatch.setattr(picks, "_MOST_SEARCHED", {"per-sample": 5})
    for place, wanted in known[150::10]:
        ahead = [at for at, ulps in known if ulps == wanted and place < at and at[0] < place[0] + 5]
        start = [at for at, ulps in known if ulps == wanted and at[0] < 5]
        assert next_component(experiment, *place) == [*ahead[:1], *start[:1], place][0]


@pytest.mark.parametrize(("sample", "component"), [(-1, 0), (2000, 0), (0, 5)])
def test_a_component_that_does_not_exist_is_refused(sample, component):
    with pytest.raises(ValueError, match="is not allowed"):
        next_component(Experiment(), sample, component)


def test_a_place_of_a_tally_is_a_sample_and_a_component():
    assert sample_and_component(Experiment(), Place(0, 17, 3)) == (17, 3)
    batched = Experiment(evaluation="batched", samples=10**6)
    assert sample_and_component(batched, Place(2, 17, 3)) == (2 * sampling.block_size(batched) + 17, 3)
