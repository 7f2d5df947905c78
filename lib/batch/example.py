"""One component of a sample as an example: alone and in a batch, the exact value, and the sum where the two diverge."""

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, isnan

from torch import Tensor, nn

from lib.batch.evaluated import EVALUATED, QUANTITIES
from lib.batch.origins import Cause, Origin, cause, result
from lib.batch.shared_sum import SharedSum, shared_sum
from lib.batch.stages import Stages, stages
from lib.batch.study import block, block_size
from lib.experiment.query import Experiment
from lib.floats.exact_floats import FORMATS
from lib.network import network
from lib.network.comparison import Subject
from lib.network.machine import matmul_flags
from lib.reference.arb_gradient import ArbNetwork, Undecided
from lib.reference.exact_terms import ExactTerms

_NOT_FOLLOWED = "The steps of {} are not followed here; those of backward() are."


@dataclass(frozen=True)
class Place:
    """A component of a sample in batches of a size: an output or a component of the gradient, counted from 0."""

    size: int
    sample: int
    quantity: str
    component: int


@dataclass(frozen=True)
class Example:
    """What the page shows of a component; "floats" are steps on the float line of the dtype.

    `alone` and `batch` are its two values, which may be infinite or NaN, and `ulps` is their distance in floats, None
    if either is not finite. `row` is the sample's place in its batch. `exact` is the exact value, to within 2**-80 of
    its size, or None. `closer` is "alone", "batch", "tie" or, where that is not known, None.

    `origin` is an operation on the way to the component whose operands are equal, None for the gradient of a method,
    and `step` says what differs there: "sum", "activation", or "" if nothing does. `effect` is that of a `Cause`:
    "all", "part", or "" if this operation alone does not change the component. `sum` is that sum or the one before the
    activation; if it is not shown there is none, and `reason` is a sentence that says why.
    """

    place: Place
    row: int
    dtype: str
    alone: float
    batch: float
    ulps: int | None
    exact: Fraction | None
    closer: str | None
    origin: Origin | None
    step: str
    effect: str
    sum: SharedSum | None
    reason: str

    @property
    def shown(self) -> SharedSum | None:
        """The sum whose two results are shown, None if it is those of the component: after an activation that differs,
        or where the terms do."""
        return self.sum if self.sum and self.step != "activation" and self.sum.of_same_terms else None


def is_compared(experiment: Experiment, place: Place) -> bool:
    """Whether the experiment has such a component, in a sample that is not left over at the end of its block."""
    widths = dict(zip(QUANTITIES, (experiment.outputs, experiment.inputs), strict=True))
    index = place.sample % block_size(experiment)
    return (
        0 <= place.sample < experiment.samples
        and 0 <= place.component < widths.get(place.quantity, 0)
        and index < block_size(experiment) // place.size * place.size
    )


def example(experiment: Experiment, place: Place) -> Example:
    """Return all about a component. Raise `ValueError` if it is not compared in batches of this size."""
    if not is_compared(experiment, place):
        raise ValueError(f"{place} is no component that is compared.")
    number, index = divmod(place.sample, block_size(experiment))
    net, samples = network.build(experiment, number), block(experiment, number)
    row = index % place.size
    x, batch = samples[index].clone(), samples[index - row :][: place.size].clone()
    with matmul_flags(experiment):
        values = [_value(experiment, net, those, place, at) for those, at in ((x, None), (batch, row))]
        sides = stages(net, x), stages(net, batch, row)
        found = _cause(experiment, net, x, sides, place)
    exact = _exact(experiment, net.cpu(), x, place)
    origin, effect = found or (None, "")
    shown = (
        shared_sum(experiment, net, sides, origin, place.size, row)
        if origin
        else _NOT_FOLLOWED.format(experiment.method)
    )
    finite = all(map(isfinite, values))
    floats = FORMATS[experiment.dtype]
    return Example(
        place=place,
        row=row,
        dtype=experiment.dtype,
        alone=values[0],
        batch=values[1],
        ulps=abs(floats.nearest(Fraction(values[0])) - floats.nearest(Fraction(values[1]))) if finite else None,
        exact=exact,
        closer=_closer(values, exact) if finite else None,
        origin=origin,
        step=_step(net, sides, origin) if origin else "",
        effect=effect,
        sum=None if isinstance(shown, str) else shown,
        reason=shown if isinstance(shown, str) else "",
    )


def _value(experiment: Experiment, net: nn.Sequential, x: Tensor, place: Place, row: int | None) -> float:
    both = EVALUATED[experiment.gradient](Subject(experiment, net), x)
    column = place.component + experiment.outputs * (place.quantity == "gradient")
    return (both if row is None else both[row])[column].item()


def _exact(experiment: Experiment, net: nn.Sequential, x: Tensor, place: Place) -> Fraction | None:
    balls = ArbNetwork(net, experiment)
    try:
        if place.quantity == "gradient":
            return balls.terms(x.tolist(), place.component).component
        return ExactTerms.of([[balls.outputs(x.tolist())[place.component]]]).component
    except Undecided:
        return None


def _closer(values: list[float], exact: Fraction | None) -> str | None:
    if values[0] == values[1]:
        return "tie"
    if exact is None:
        return None
    off = [abs(Fraction(value) - exact) for value in values]
    return "tie" if off[0] == off[1] else "alone" if off[0] < off[1] else "batch"


def _cause(
    experiment: Experiment, net: nn.Sequential, x: Tensor, sides: tuple[Stages, Stages], place: Place
) -> Cause | None:
    if place.quantity == "gradient" and experiment.gradient == "method":
        return None
    return cause(net, x, sides, place.quantity, place.component)


def _step(net: nn.Sequential, sides: tuple[Stages, Stages], origin: Origin) -> str:
    """Say what differs at the origin: "sum", "activation", or "" if nothing does."""
    one, other = (result(side, origin) for side in sides)
    if one == other or isnan(one) and isnan(other):
        return ""
    return "sum" if isinstance(net[origin.at], nn.Linear) else "activation"
