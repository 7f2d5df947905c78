"""One component of one sample as an example: both values, the exact one, how they drift apart, and through which units.

The values are those of the experiment itself, by its method, in its evaluation and on its device. Not every method is
replayed, and none but on the CPU, so the steps are those of the experiment's own values only where `drift` has any.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import inf, isfinite

from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.floats.exact_floats import FORMATS
from lib.network import sampling
from lib.network.comparison import BY_METHOD, PLAIN, SAVED
from lib.network.machine import matmul_flags
from lib.network.sampled_study import RANDOM
from lib.reference.arb_gradient import ArbNetwork, Undecided
from lib.reference.compared import Comparisons, Variant
from lib.reference.flows import Flows, flows_of
from lib.replay.drift import Drift, drift_of
from lib.replay.replay import Replay, as_evaluated, method_replayed, refuse_missing, trace, unit_names
from lib.replay.tables import MOST_ROWS


@dataclass(frozen=True)
class Example:
    """Everything that the page shows of one component; "floats" are steps on the float line of the dtype.

    `backward` and `jacobian` are the values of the experiment, which may be infinite or NaN, and `ulps` the signed
    distance, backward − jacobian, in floats, None if either is not finite. `exact` is the exact value, to within 2**-80
    of its size, or None; `unknown` then says why, in a sentence.

    `ulp` is the distance of two floats around the exact value or, if that is 0 or not known, at the larger value; the
    drift and the errors are in units of it. `backward_error` and `jacobian_error` are value − exact, None if unknown.
    `nearest` is the float nearest to the exact value, None if that is not known, and `hit` says which of the sides give
    one as near as it: "both", "backward", "jacobian" or "none". `closer` is "backward", "jacobian" or "tie". Both are
    None if that is not known.

    `path_sum` is S, `condition` the condition number, None if there is none, infinite where the exact value is 0;
    `units` is the discrepancy in rounding units, and `bound_units` and `probable_units` are the bounds on it, None if
    none is proved. `first_divergence` is the layer, 0 for the inputs, and the number of the unit in whose gradient the
    evaluations of the replay first diverge, None if they do not. `replay` has only as many steps of each as its tables
    show: thousands of them would take megabytes.
    """

    sample: int
    component: int
    dtype: str
    method: str
    evaluation: str
    x: float
    backward: float
    jacobian: float
    ulps: int | None
    exact: Fraction | None
    unknown: str
    ulp: Fraction
    backward_error: float | None
    jacobian_error: float | None
    nearest: Fraction | None
    hit: str | None
    closer: str | None
    path_sum: float
    condition: float | None
    units: float
    bound_units: float | None
    probable_units: float | None
    replay: Replay
    drift: Drift
    flows: Flows
    first_divergence: tuple[int, int] | None

    @property
    def finite(self) -> bool:
        return isfinite(self.backward) and isfinite(self.jacobian)


def example(experiment: Experiment, sample: int, component: int) -> Example:
    """Return all about a component of a sample, both counted from 0; a batched block is computed whole.

    Raise `ValueError` if the experiment has no such sample or component.
    """
    refuse_missing(experiment, sample, component)
    study = Comparisons(Variant(experiment, {PLAIN: BY_METHOD}, judged=True, source=RANDOM))
    compared = study.judge(study.measure(sample, 0.0))
    gradients, saved = compared.under(PLAIN), compared.given[SAVED][0]
    x, judged, net = gradients.x[0], gradients.judged, study.net
    backward, jacobian = (values[0, component].item() for values in gradients.values)
    finite, distance = bool(gradients.finite[0, component]), int(gradients.ulps[0, component])

    on_device = x.to(experiment.device).clone()
    block, index = divmod(sample, study.block_size)
    samples, place = as_evaluated(experiment, sampling.block(experiment, block), index)
    with matmul_flags(experiment):
        replay = trace(experiment, net, samples, sample, component, method_replayed(experiment), place)
    names = unit_names(experiment)
    diverges_at = _first_divergence(replay, names)
    flows = flows_of(experiment, net, on_device, saved, component, names, [diverges_at] if diverges_at else [])

    terms, unknown = None, ""
    try:
        terms = ArbNetwork(net, experiment).terms(x.tolist(), component)
    except Undecided:
        unknown = "A pre-activation lies on the kink of its activation, where the gradient does not exist."
    exact = None if terms is None else terms.component
    within = Fraction() if terms is None else Fraction(terms.radius, 1 << terms.bits)
    ulp = _ulp(experiment.dtype, exact, [value for value in (backward, jacobian) if isfinite(value)])

    reason = _not_followed(replay, exact, unknown)
    errors = [_error(value, exact, ulp) for value in (backward, jacobian)]
    nearest = None if exact is None else FORMATS[experiment.dtype].rounded(exact)
    condition = _condition(flows.path_sum, exact) if exact else judged.condition[0, component].item()
    return Example(
        sample=sample,
        component=component,
        dtype=experiment.dtype,
        method=experiment.method,
        evaluation=experiment.evaluation,
        x=x[component].item(),
        backward=backward,
        jacobian=jacobian,
        ulps=(distance if backward > jacobian else -distance) if finite else None,
        exact=exact,
        unknown=unknown,
        ulp=ulp,
        backward_error=errors[0],
        jacobian_error=errors[1],
        nearest=nearest,
        hit=_hit(exact, nearest, backward, jacobian),
        closer=_closer(exact, within, backward, jacobian),
        path_sum=flows.path_sum,
        condition=condition or None,
        units=judged.units[0, component].item(),
        bound_units=judged.bound_units,
        probable_units=judged.probable_units,
        replay=replay.first_steps(MOST_ROWS),
        drift=Drift(reason=reason) if reason else drift_of(replay, terms, ulp),
        flows=flows,
        first_divergence=diverges_at,
    )


def _first_divergence(replay: Replay, names: list[list[str]]) -> tuple[int, int] | None:
    if replay.first_divergence is None:
        return None
    unit = replay.first_divergence.unit
    return next((layer, of_units.index(unit)) for layer, of_units in enumerate(names) if unit in of_units)


def _not_followed(replay: Replay, exact: Fraction | None, unknown: str) -> str:
    """Say why the operations that lead to the values are not followed, or return ""."""
    if not replay.verified:
        return replay.reason
    if replay.method != replay.replayed:
        return f"{replay.method} is not replayed here; what is replayed is {METHODS[replay.replayed].label}."
    return unknown if exact is None else ""


def _ulp(dtype: str, exact: Fraction | None, values: list[float]) -> Fraction:
    floats = FORMATS[dtype]
    size = abs(exact or max((Fraction(value) for value in values), key=abs, default=Fraction()))
    return floats.spacing(min(floats.floor(size), floats.infinity - 1))


def _condition(path_sum: float, exact: Fraction) -> float:
    try:
        return float(Fraction(path_sum) / abs(exact))
    except OverflowError:  # S is infinite, or the quotient beyond the largest float
        return inf


def _error(value: float, exact: Fraction | None, ulp: Fraction) -> float | None:
    return None if exact is None or not isfinite(value) else float((Fraction(value) - exact) / ulp)


def _closer(exact: Fraction | None, within: Fraction, backward: float, jacobian: float) -> str | None:
    """Return which value is closer to the exact one, which is off by at most `within`."""
    if not (isfinite(backward) and isfinite(jacobian)):
        return None
    if backward == jacobian:
        return "tie"
    if exact is None or abs(Fraction(backward) + Fraction(jacobian) - 2 * exact) < 2 * within:
        return None
    further = abs(Fraction(backward) - exact) - abs(Fraction(jacobian) - exact)
    return "backward" if further < 0 else "jacobian" if further > 0 else "tie"


def _hit(exact: Fraction | None, nearest: Fraction | None, backward: float, jacobian: float) -> str | None:
    if exact is None:
        return None
    off = abs(nearest - exact)
    hits = [
        name
        for name, value in (("backward", backward), ("jacobian", jacobian))
        if isfinite(value) and abs(Fraction(value) - exact) <= off
    ]
    return "both" if len(hits) == 2 else hits[0] if hits else "none"
