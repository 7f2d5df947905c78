"""Every x is in the bin whose ends enclose it, and lies between the ends of its bin on the axis."""

from math import inf

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from lib.derivative.axis import Axis, axis_of
from lib.experiment.choices import X_FROM
from lib.experiment.query import Experiment
from lib.network.sampling import points

EXPERIMENTS = [
    Experiment(function=function, x_from=x_from)
    for function in ("reciprocal", "tanh")
    for x_from in X_FROM
]
AXES = list(map(axis_of, EXPERIMENTS))
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(st.sampled_from(AXES), st.lists(NUMBERS, min_size=1))
@example(Axis("linear", -4, 4, 32), [1, -1, 0.25, 0.2499, -0.0, 3.75, -3.75, -4, 64, -1.7e308])
@example(Axis("log", -5, 2, 28), [1, -1, 2**-4.75, 2**-5, 2**-6, 0, 5e-324, 2**1.75, 4, 1e308])
def test_an_x_is_between_the_ends_of_its_bin(axis, values):
    """The first and the last bin also hold what is beyond the axis."""
    lowest = 0.0 if axis.scale == "log" else -inf
    inner = [axis.low + (axis.high - axis.low) * k / axis.bins for k in range(1, axis.bins)]
    ends = [lowest, *(2.0**end if axis.scale == "log" else end for end in inner), inf]
    for x, bin_ in zip(values, axis.bin_of(np.array(values)).tolist(), strict=True):
        size = abs(x) if axis.scale == "log" else x
        assert ends[bin_] <= size < ends[bin_ + 1]
        place = min(max(axis.place(x), axis.low), axis.high)
        assert axis.at(bin_) - 1e-9 <= place <= axis.at(bin_ + 1) + 1e-9


def test_a_bin_is_named_by_its_ends():
    names = [Axis("log", -2, 1, 3).text(bin_) for bin_ in range(3)]
    assert names == ["|x| from 0 to 0.5", "|x| from 0.5 to 1", "|x| from 1 to ∞"]
    assert Axis("linear", -4, 4, 2).text(0) == "x from −∞ to 0"


def test_nearly_all_x_lie_in_few_bins():
    for experiment in EXPERIMENTS:
        axis = axis_of(experiment)
        places = np.array([axis.place(x) for x in points(experiment, 0).tolist()])
        is_flat = experiment.function == "tanh" and experiment.x_from == "log-uniform"
        within = np.mean((places >= axis.low) & (places <= axis.high))
        assert 20 <= axis.bins <= 48 and (within >= 0.96 or is_flat)
