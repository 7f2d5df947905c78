"""All about one component of one sample: both values, the exact one, and how they drift apart.

The values are those of the experiment itself, by its method, in its evaluation and on its device.
Only some methods are replayed, and only on the CPU; elsewhere `drift` has no operations.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite

from torch import Tensor

from lib.discrepancy.running_sums import Drift, drift_of
from lib.experiment.query import Experiment
from lib.floats.exact_floats import FORMATS, shortest
from lib.network.comparison import BY_METHOD, PLAIN, SAVED
from lib.reference.arb_gradient import ArbNetwork, ExactTerms, OnKink
from lib.reference.balls import UNJUDGED, VERDICTS
from lib.reference.compared import ComparisonStudy
from lib.reference.flows import DrawnLayer, flows_of
from lib.replay.replay import Replay, refuse_missing, replay, unit_names

MOST_NUMBERS = 5
"""How many numbers of x are shown."""

KINK = "A pre-activation lies on the kink of its activation, so the exact value is not known."


@dataclass(frozen=True)
class Component:
    """Everything that the page shows of one component.

    Attributes:
        sample: its number, from 0.
        number: of the component in the sample, from 0.
        x: the sample as a Python list, cut to its first numbers.
        dtype: the name of the dtype.
        backward, jacobian: the values of the experiment, which may be infinite or NaN.
        ulps: backward − jacobian in steps on the float line, None if either is not finite.
        exact: the exact value, to within 2**-80 of its size, None on a kink.
        closer: the verdict on the two values: "backward", "jacobian", "tie" or "undecided"; "" if
            there is none.
        condition: the condition number, infinite where terms cancel to 0; 0 if there is none.
        ulp: the spacing of floats at the exact value or, if that is 0 or not known, at the larger
            of the two values. It is the unit of the drift and of `errors`.
        replay: the replay without its steps. `drift` has the steps that are drawn.
        drift: how far the running sums are from the exact ones.
        layers: the units that are drawn, and the flows between them.
        first_divergence: the layer, 0 for the inputs, and the number of the unit in whose gradient
            the two evaluations of the replay first diverge. None if they do not, or if the two
            values are equal.
        names: the names of the units, by layer.
    """

    sample: int
    x: str
    number: int
    dtype: str
    backward: float
    jacobian: float
    ulps: int | None
    exact: Fraction | None
    closer: str
    condition: float
    ulp: Fraction
    replay: Replay
    drift: Drift
    layers: list[DrawnLayer]
    first_divergence: tuple[int, int] | None
    names: list[list[str]]

    @property
    def values(self) -> tuple[float, float]:
        return self.backward, self.jacobian

    @property
    def finite(self) -> bool:
        return self.ulps is not None

    @property
    def errors(self) -> tuple[float | None, float | None]:
        """Value − exact of both sides in units of `ulp`, None where it is not known."""
        backward, jacobian = (self._error(value) for value in self.values)
        return backward, jacobian

    def _error(self, value: float) -> float | None:
        if self.exact is None or not isfinite(value):
            return None
        return float((Fraction(value) - self.exact) / self.ulp)


def component_of(experiment: Experiment, sample: int, component: int) -> Component:
    """Return all about a component of a sample, both counted from 0.

    Raises:
        ValueError: if the experiment has no such sample or component.
    """
    refuse_missing(experiment, sample, component)
    study = ComparisonStudy(experiment, {PLAIN: BY_METHOD}, judged=True)
    compared = study.measure(sample, 0.0)
    gradients = compared.under(PLAIN)
    values = [side[0, component].item() for side in gradients.values]
    verdict = gradients.judged.verdicts[0, component]
    # `gradients.signed_ulps` is cut at 2**63 − 1.
    steps = int(gradients.ulps[0, component])
    if values[0] < values[1]:
        steps = -steps

    replayed = replay(experiment, sample, component)
    names = unit_names(experiment)
    divergence = None if values[0] == values[1] else _first_divergence(replayed, names)
    terms = _exact_terms(experiment, study, gradients.x[0].tolist(), component)
    exact = terms.component if terms else None
    ulp = _ulp(experiment.dtype, exact, values)
    reason = _not_followed(replayed, terms)
    saved = compared.results[SAVED][0]
    return Component(
        sample=sample,
        x=_x_text(gradients.x[0]),
        number=component,
        dtype=experiment.dtype,
        backward=values[0],
        jacobian=values[1],
        ulps=steps if gradients.finite[0, component] else None,
        exact=exact,
        closer="" if verdict == UNJUDGED else VERDICTS[verdict],
        condition=float(gradients.condition[0, component]),
        ulp=ulp,
        replay=replace(replayed, backward=(), jacobian=()),
        drift=Drift(reason=reason)
        if reason or terms is None
        else drift_of(replayed, terms, ulp, divergence),
        layers=flows_of(
            experiment,
            study.net,
            gradients.x[0],
            saved,
            component,
            [divergence] if divergence else [],
        ),
        first_divergence=divergence,
        names=names,
    )


def _x_text(x: Tensor) -> str:
    """Return x of shape (inputs,) as a Python list, cut to its first numbers."""
    numbers = [shortest(number, x.dtype) for number in x[:MOST_NUMBERS].tolist()]
    cut = ["…"] if len(x) > MOST_NUMBERS else []
    return f"[{', '.join(numbers + cut)}]"


def _exact_terms(
    experiment: Experiment, study: ComparisonStudy, x: list[float], component: int
) -> ExactTerms | None:
    try:
        return ArbNetwork(study.net, experiment).terms(x, component)
    except OnKink:
        return None


def _first_divergence(replay: Replay, names: list[list[str]]) -> tuple[int, int] | None:
    if replay.first_divergence is None:
        return None
    unit = replay.first_divergence.unit
    return next((layer, units.index(unit)) for layer, units in enumerate(names) if unit in units)


def _not_followed(replay: Replay, terms: ExactTerms | None) -> str:
    """Say why the operations that lead to the values are not followed, or return ""."""
    if not replay.verified:
        return replay.reason
    if replay.method != replay.jacobian_method:
        return f"{replay.method} is not replayed here."
    return KINK if terms is None else ""


def _ulp(dtype: str, exact: Fraction | None, values: Sequence[float]) -> Fraction:
    floats = FORMATS[dtype]
    sizes = [abs(Fraction(value)) for value in values if isfinite(value)]
    size = abs(exact or max(sizes, default=Fraction()))
    return floats.spacing(min(floats.floor(size), floats.infinity - 1))
