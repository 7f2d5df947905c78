"""All about one component of one sample: both values, the exact one, how they drift apart, and through which units.

The values are those of the experiment itself, by its method, in its evaluation and on its device. Not every method is
replayed, and none but on the CPU, so the steps are those of the experiment's own values only where `drift` has any.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import copysign, isfinite

from lib.discrepancy.drift import Drift, drift_of
from lib.experiment.query import Experiment
from lib.floats.exact_floats import FORMATS
from lib.floats.quantities import distance
from lib.network.comparison import BY_METHOD, PLAIN, SAVED
from lib.reference.arb_gradient import ArbNetwork, ExactTerms, Undecided
from lib.reference.compared import Comparisons, Variant
from lib.reference.flows import Layer, flows_of
from lib.replay.operations import MOST_ROWS
from lib.replay.replay import Replay, refuse_missing, replay, unit_names

KINK = "A pre-activation lies on the kink of its activation, where the gradient does not exist."


@dataclass(frozen=True)
class Component:
    """Everything that the page shows of one component; "floats" are steps on the float line of the dtype.

    `backward` and `jacobian` are the values of the experiment, which may be infinite or NaN, and `ulps` the signed
    distance, backward − jacobian, in floats, None if either is not finite. `exact` is the exact value, to within 2**-80
    of its size, or None; `unknown` then says why, in a sentence.

    `ulp` is the distance of two floats around the exact value or, if that is 0 or not known, at the larger value; the
    drift and `errors`, value − exact of both sides, are in units of it; an error is None if it is unknown. `nearest` is
    the float nearest to the exact value, None if that is not known, and `hit` says which of the sides give one as near
    as it: "both", "backward", "jacobian" or "none". `closer` is "backward", "jacobian" or "tie". Both are None if that
    is not known.

    `first_divergence` is the layer, 0 for the inputs, and the number of the unit in whose gradient the evaluations of
    the replay first diverge, None if they do not or if their results are equal. `names` are the units' names by layer.
    `replay` has only as many steps of each as its tables show: thousands of them would take megabytes.
    """

    sample: int
    component: int
    dtype: str
    backward: float
    jacobian: float
    ulps: int | None
    exact: Fraction | None
    unknown: str
    ulp: Fraction
    errors: tuple[float | None, float | None]
    nearest: Fraction | None
    hit: str | None
    closer: str | None
    replay: Replay
    drift: Drift
    layers: list[Layer]
    first_divergence: tuple[int, int] | None
    names: list[list[str]]

    @property
    def finite(self) -> bool:
        return self.ulps is not None

    @property
    def apart(self) -> str:
        """The distance of the two values, if both are finite."""
        return distance(abs(self.ulps or 0))

    @property
    def signs_differ(self) -> bool:
        return copysign(1, self.backward) != copysign(1, self.jacobian)


def component_of(experiment: Experiment, sample: int, component: int) -> Component:
    """Return all about a component of a sample, both counted from 0; a batched block is computed whole.

    Raise `ValueError` if the experiment has no such sample or component.
    """
    refuse_missing(experiment, sample, component)
    study = Comparisons(Variant(experiment, {PLAIN: BY_METHOD}, judged=True))
    compared = study.measure(sample, 0.0)
    gradients, saved, net = compared.under(PLAIN), compared.given[SAVED][0], study.net
    backward, jacobian = (values[0, component].item() for values in gradients.values)
    finite, steps = bool(gradients.finite[0, component]), int(gradients.ulps[0, component])

    replayed = replay(experiment, sample, component)
    names = unit_names(experiment)
    diverges_at = _first_divergence(replayed, names) if backward != jacobian else None
    layers = flows_of(experiment, net, saved, component, [diverges_at] if diverges_at else [])

    terms = _exact_terms(experiment, study, gradients.x[0].tolist(), component)
    exact = terms.component if terms else None
    within = terms.radius if terms else Fraction()
    nearest = None if exact is None else FORMATS[experiment.dtype].rounded(exact)
    ulp = _ulp(
        experiment.dtype, exact, [value for value in (backward, jacobian) if isfinite(value)]
    )
    reason = _not_followed(replayed, exact)
    return Component(
        sample=sample,
        component=component,
        dtype=experiment.dtype,
        backward=backward,
        jacobian=jacobian,
        ulps=(steps if backward > jacobian else -steps) if finite else None,
        exact=exact,
        unknown=KINK if exact is None else "",
        ulp=ulp,
        errors=(_error(backward, exact, ulp), _error(jacobian, exact, ulp)),
        nearest=nearest,
        hit=None if exact is None or nearest is None else _hit(exact, nearest, backward, jacobian),
        closer=_closer(exact, within, backward, jacobian),
        replay=replace(
            replayed, backward=replayed.backward[:MOST_ROWS], jacobian=replayed.jacobian[:MOST_ROWS]
        ),
        drift=Drift(reason=reason) if reason or terms is None else drift_of(replayed, terms, ulp),
        layers=layers,
        first_divergence=diverges_at,
        names=names,
    )


def _exact_terms(
    experiment: Experiment, study: Comparisons, x: list[float], component: int
) -> ExactTerms | None:
    try:
        return ArbNetwork(study.net, experiment).terms(x, component)
    except Undecided:
        return None


def _first_divergence(replay: Replay, names: list[list[str]]) -> tuple[int, int] | None:
    if replay.first_divergence is None:
        return None
    unit = replay.first_divergence.unit
    return next(
        (layer, of_units.index(unit)) for layer, of_units in enumerate(names) if unit in of_units
    )


def _not_followed(replay: Replay, exact: Fraction | None) -> str:
    """Say why the operations that lead to the values are not followed, or return ""."""
    if not replay.verified:
        return replay.reason
    if replay.method != replay.replayed:
        return f"{replay.method} is not replayed here."
    return KINK if exact is None else ""


def _ulp(dtype: str, exact: Fraction | None, values: list[float]) -> Fraction:
    floats = FORMATS[dtype]
    size = abs(exact or max((Fraction(value) for value in values), key=abs, default=Fraction()))
    return floats.spacing(min(floats.floor(size), floats.infinity - 1))


def _error(value: float, exact: Fraction | None, ulp: Fraction) -> float | None:
    return None if exact is None or not isfinite(value) else float((Fraction(value) - exact) / ulp)


def _closer(
    exact: Fraction | None, within: Fraction, backward: float, jacobian: float
) -> str | None:
    """Return which value is closer to the exact one, which is off by at most `within`."""
    if not (isfinite(backward) and isfinite(jacobian)):
        return None
    if backward == jacobian:
        return "tie"
    if exact is None or abs(Fraction(backward) + Fraction(jacobian) - 2 * exact) < 2 * within:
        return None
    further = abs(Fraction(backward) - exact) - abs(Fraction(jacobian) - exact)
    return "backward" if further < 0 else "jacobian" if further > 0 else "tie"


def _hit(exact: Fraction, nearest: Fraction, backward: float, jacobian: float) -> str:
    values = {"backward": backward, "jacobian": jacobian}
    off = abs(nearest - exact)
    hits = [
        name
        for name, value in values.items()
        if isfinite(value) and abs(Fraction(value) - exact) <= off
    ]
    return "both" if len(hits) == 2 else hits[0] if hits else "none"
