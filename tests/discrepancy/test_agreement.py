"""The agreement study against plain calls compared bit by bit."""

from itertools import product

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.discrepancy.agreement import BACKWARD, NAMES, WAYS, Agreement, AgreementTally, claim, table
from lib.discrepancy.variants import Measured
from lib.experiment.query import Experiment
from lib.network import network, sampling
from lib.reference.compared import Compared
from lib.run.stream import Stream
from tests.oracles import PLAIN, backward
from tests.sentences import share


def test_every_pair_is_that_of_plain_calls():
    """But for finite differences, which have no plain call."""
    experiment = Experiment(samples=20, outputs=9, dtype="bfloat16")
    net = network.build(experiment)
    points = sampling.block(experiment, 0)[:20]
    plain = {BACKWARD: [backward(net, point) for point in points]}
    for method, jacobian in PLAIN.items():
        plain[method] = [jacobian(net, point.clone()).sum(0) for point in points]
    tally = Stream(Agreement(experiment)).finish()
    figures = tally.figures()
    assert figures["components"] == 100 and sum(map(sum, figures["nonfinite"])) == 0
    for first, second in product(plain, repeat=2):
        equal = torch.stack(plain[first]) == torch.stack(plain[second])
        counted = figures["equal"][NAMES.index(first)][NAMES.index(second)]
        assert counted == int(equal.sum()), (first, second)
    rows = table(tally).set_index("method")["equal"]
    equal = dict(zip(NAMES, figures["equal"][0], strict=True))
    assert rows.to_dict() == {name: share(equal[name], 100) for name in NAMES[1:]}


VALUES = st.sampled_from([0.0, -0.0, 1.0, 2.0, float("inf"), float("-inf"), float("nan")])
SAMPLES = st.lists(st.tuples(*[VALUES] * len(NAMES)), min_size=1, max_size=3)


@settings(max_examples=25)
@given(SAMPLES)
def test_classes_are_of_the_names_that_nothing_tells_apart(samples):
    """Samples of one component each, given as a value for every name."""
    (variant,) = Agreement.variants(Experiment())
    sides = torch.tensor(samples, dtype=torch.float32).T[:, :, None]
    given_ = dict(zip(WAYS.values(), sides, strict=True))
    x = torch.zeros(len(samples), 1)
    tally = AgreementTally.of(Measured((Compared(0, 0, 0, x, variant, given_),)))
    classes: dict[tuple, list[str]] = {}  # as keys, 0.0 and −0.0 are equal, and NaN has a name
    for name, values in zip(NAMES, zip(*samples, strict=True), strict=True):
        key = tuple("NaN" if value != value else value for value in values)
        classes.setdefault(key, []).append(name)
    assert tally.classes() == [tuple(members) for members in classes.values()]
    first, *others = tally.classes()[0]
    assert claim(tally).startswith("Of " if others else "None of")
    assert all(f"`{name}`" in claim(tally) for name in others)
