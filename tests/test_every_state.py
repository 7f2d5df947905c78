"""Every sentence of the study tabs in states of real runs, drawn at random, from the first sample
to the last.

A text is read sentence by sentence: each matches one of the claims below, whose figures and
condition are then held against the numbers that PyTorch gave, counted here anew. A sentence without
a claim fails, and so does a claim that no state makes.
"""

import random
import re
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from math import inf, isfinite, nan
from pkgutil import walk_packages
from typing import Any

import numpy as np
import pytest
import torch
from torch.testing._comparison import default_tolerances

import lib
from lib.batch import sentences as of_batch
from lib.batch.arrangements import SIZES
from lib.batch.study import Batch
from lib.derivative import sentences as of_derivative
from lib.derivative.study import Derivative
from lib.discrepancy import sentences as of_discrepancy
from lib.discrepancy.component import Component
from lib.discrepancy.study import Discrepancy
from lib.experiment import choices
from lib.experiment.expressions import on_paper
from lib.experiment.functions import FUNCTIONS
from lib.experiment.methods import METHODS
from lib.experiment.query import Experiment
from lib.floats.sentences import Sentence, said
from lib.network.jacobians import backward_and_saved
from lib.pitfall import sentences as of_pitfall
from lib.pitfall.study import PitfallTally
from lib.reference.judge import Judge
from lib.reference.pair import Pair
from lib.run.shared_runs import progress
from lib.run.tally import Histogram
from tests.cases import network_and_samples
from tests.sentences import read, share

NOW = 0.0
SAMPLES = 9
ROWS = {
    of_discrepancy: ("HEADLINE", "REASON", "LEAN", "REFERENCE", "BOUND"),
    of_batch: ("HEADLINE", "REASON"),
    of_derivative: ("HEADLINE", "REASON", "STEPS", "RULE"),
    of_pitfall: ("HEADLINE", "REASON", "ROUNDING", "FIX", "NOTICE"),
}
"""The rows that are shown of a study."""

SIDES = "`backward()`", "the Jacobian"
NOT_JUDGED = "The gradients are not judged."
ELSEWHERE = of_discrepancy.ENDS
"""The sentences that have a test of their own, at the end."""

NUMBER = r"([−+]?[\d.,]+(?:e[+−-]\d+)?%?(?: million| billion| trillion)?(?: × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?)"
FIGURES = {
    "count": r"([\d,]+)",
    "share": r"((?:less than |more than )?\d+%|–)",
    "if": "({})?",
    "any": r"((?:[^.]|\.\d)+?)",
    "tenth": r"([−+]?[\d.]+%)",
    **dict.fromkeys(("above", "near", "at"), NUMBER),
    **dict.fromkeys(("default", "passes"), r"(rtol=\S+ and atol=\d[\d.]*(?:e[+-]\d+)?)"),
}
"""What a figure looks like, by its kind; all others are texts."""


def agrees(state, text, kind, name, more):
    """Whether a figure in a sentence is that of a state."""
    value = getattr(state, name)
    if kind == "share":
        return text == share(value, getattr(state, more))
    if kind == "count":
        return text == f"{value:,}"
    if kind == "if":
        return bool(text) == bool(value)
    if kind == "passes":
        return value(**{pair[:4]: float(pair[5:]) for pair in text.split(" and ")})
    if kind in ("is", "default"):
        return text == str(value)
    if kind == "any":
        return True
    if kind == "at":
        return value(read(text))
    is_share = text.endswith("%")
    number = read(text.rstrip("%")) / 100**is_share
    off = abs(number - value)
    return {
        "above": value * (1 - 1e-9) <= number <= max(value * 1.011, value + 0.0011 * is_share),
        "near": off <= 0.002 * value + 0.0501 * 10 ** np.floor(np.log10(abs(value) or 1)),
        "tenth": off <= 0.00051,
    }[kind]


FIGURE = re.compile(r"\{(\w+):(\w+):?([^}]*)\}")


def pattern_of(claim):
    pattern, end = "", 0
    for figure in FIGURE.finditer(claim):
        kind, _, more = figure.groups()
        pattern += re.escape(claim[end : figure.start()])
        pattern += FIGURES.get(kind, "(.*?)").format(re.escape(more))
        end = figure.end()
    pattern += re.escape(claim[end:] + "." * claim.endswith("…"))
    return re.compile(pattern.replace("…", r"(?:[^.]|\.\S)*?") + "(?: |$)")


def check(states, claims, unmade=()):
    patterns = {claim: pattern_of(claim) for claim in claims}
    made = set()
    for state in states:
        rest = state.text
        while rest:
            matches = {claim: of.match(rest) for claim, of in patterns.items()}
            matches = {claim: match for claim, match in matches.items() if match}
            about = f"{rest}\n{state.experiment.query}"
            assert matches, f"no claim: {about}"
            claim = min(matches, key=lambda claim: matches[claim].end())
            for text, figure in zip(matches[claim].groups(), FIGURE.findall(claim), strict=True):
                assert agrees(state, text, *figure), f"{figure} is false: {about}"
            is_true = claims[claim]
            assert is_true is None or is_true(state), f"false: {about}"
            made.add(claim)
            rest = rest[matches[claim].end() :]
    assert [claim for claim in claims if claim not in made and claim not in unmade] == []


def count_apart(first, second):
    """How many components differ: NaN equals NaN here."""
    both_nan = first.isnan() & second.isnan()
    return int((~((first == second) | both_nan)).sum())


def are_close(first, second, **tolerance):
    """Where `assert_close` passes in both orders of its arguments, by default with its defaults."""
    if not tolerance:
        tolerance = dict(zip(("rtol", "atol"), default_tolerances(first.dtype), strict=True))
    close = torch.isclose(first, second, **tolerance)
    return close & torch.isclose(second, first, **tolerance)


@dataclass(frozen=True)
class Vector:
    """What two ways gave for one sample, and what is known of each component: who is closer, the
    exact value, S and the size of a rounding unit."""

    first: torch.Tensor
    second: torch.Tensor
    closer: np.ndarray
    exact: np.ndarray
    path_sums: np.ndarray
    unit: np.ndarray
    bound: float | None

    @cached_property
    def finite(self):
        return self.first.isfinite() & self.second.isfinite()

    @cached_property
    def differences(self):
        apart = (self.first.double() - self.second.double()).abs()
        return apart.where(self.finite, 0).numpy()

    @cached_property
    def relative(self):
        sizes = torch.stack([self.first, self.second]).double().abs()
        return self.differences / (sizes.where(self.finite, 0).max().item() or 1)

    @cached_property
    def close(self):
        return are_close(self.first, self.second)

    def passes(self, **tolerance):
        close = are_close(self.first, self.second, **tolerance) if tolerance else self.close
        return bool((close | ~self.finite).all())

    @cached_property
    def far(self):
        """The finite components that fail the check, or differ by 1% of the largest."""
        far = ~self.close.numpy() | (self.relative >= 0.01)
        return np.flatnonzero(far & self.finite.numpy()).tolist()

    def left(self, k):
        """The share of the sizes of its terms that is left in a component."""
        size = abs(self.first[k].item() if np.isnan(self.exact[k]) else self.exact[k])
        return size / self.path_sums[k] if self.path_sums[k] > 0 else 1.0


def vectors_of(gradients):
    judged = gradients.judged
    arrays = judged.verdicts, judged.exact, judged.absolute_sums, judged.unit
    columns = zip(gradients.first, gradients.second, *arrays, strict=True)
    return [Vector(*of, judged.bound_units) for of in columns]


class Checked:
    """What the verdict on a tolerance speaks of."""

    experiment: Experiment

    def __post_init__(self):
        dtype = getattr(torch, self.experiment.dtype)
        self.dtype, self.torch_dtype = self.experiment.dtype, dtype
        self.eps = torch.finfo(dtype).eps
        self.defaults = "rtol={:g} and atol={:g}".format(*default_tolerances(dtype))


@dataclass
class Pairs(Checked):
    """The state of a run that compares vectors, and the text that the tab shows of it.

    `batch` has the outputs and the gradients of a study of batches.
    """

    experiment: Experiment
    vectors: list[Vector]
    text: str
    batch: tuple[list[Vector], list[Vector]] = ([], [])
    size: int = 0

    def __post_init__(self):
        super().__post_init__()
        self.outputs, self.total = self.experiment.outputs, self.experiment.samples
        self.checks = len(self.vectors)
        self.gradients = self.batch[1] or self.vectors
        self.apart = [sum(count_apart(v.first, v.second) for v in of) for of in self.batch]
        """How many outputs and how many components of the gradient differ."""
        self.of_outputs = NOT_JUDGED in self.text
        self.first, self.second = ("alone", "the batch") if self.size else SIDES
        of_batch = "vector of outputs" if self.of_outputs else "vector"
        self.name = of_batch if self.size else "sample"
        self.finite = sum(int(vector.finite.sum()) for vector in self.vectors)
        self.different = sum(int((vector.differences > 0).sum()) for vector in self.vectors)
        self.infinite = self.finite < sum(len(vector.first) for vector in self.vectors)
        self.largest = max((v.differences.max() for v in self.vectors), default=0.0)
        self.relative = max((v.relative.max() for v in self.vectors), default=0.0)
        units = [vector.differences / vector.unit for vector in self.vectors]
        self.units = max((of.max() for of in units), default=0.0)
        bounds = [inf if vector.bound is None else vector.bound for vector in self.vectors]
        self.over = sum(int((of > most).sum()) for of, most in zip(units, bounds, strict=True))
        self.of_rounding = self.different and not self.over
        self.is_bounded = None not in [vector.bound for vector in self.vectors]
        self.referenced = sum(not np.isnan(vector.exact[0]) for vector in self.vectors)
        self.bound = max(bounds, default=inf)
        """The bound, infinite if there is none below S itself for all."""
        if self.bound * self.eps >= 2:
            self.bound = inf
        self.failing = sum(not vector.passes() for vector in self.vectors)
        self.left = max((v.left(k) for v in self.vectors for k in v.far), default=1.0)
        """The largest share that is left in a component far off."""
        closer = np.concatenate([[], *(vector.closer for vector in self.vectors)])
        shares = [int((closer == side).sum()) for side in range(4)]
        self.by_first, self.by_second, self.ties, self.undecided = shares
        self.judged = sum(shares)

    def passes(self, **tolerance):
        return all(vector.passes(**tolerance) for vector in self.vectors)

    @property
    def where(self):
        if self.of_outputs:
            return ", for the outputs that are finite on both sides"
        return ", wherever both sides are finite" * self.infinite

    @property
    def zero(self):
        """Whether every gradient is 0 in exact arithmetic."""
        return all(np.abs(vector.exact).max() < 1e-9 for vector in self.gradients)

    @property
    def rows_are_summed(self):
        """Whether the Jacobian is the gradient times the number of outputs."""

        def is_summed(v):
            gradient = torch.from_numpy(v.exact) if self.size else v.first.double()
            summed = self.outputs * gradient[v.finite]
            return torch.allclose(v.second[v.finite].double(), summed, rtol=0.05, atol=1e-3)

        return all(map(is_summed, self.gradients))

    @property
    def lean(self):
        return (self.by_first - self.by_second) / (self.by_first + self.by_second)

    @property
    def interval(self):
        """The ends as they are shown: an end within half a tenth of 0 is 0."""
        return [*map(read, re.search(r"goes from (\S+)% to (\S+)%", self.text).groups())]

    @property
    def shares(self):
        sizes = [sum(len(vector.first) for vector in of) for of in self.batch]
        outputs, gradients = map(share, self.apart, sizes)
        return f"{outputs} of outputs and {gradients} of gradient components"


TESTED = {
    "In a test, …passes …for {is:dtype}, {default:defaults}{is:where}.": lambda s: not s.failing,
    "In a test, …fails …for {is:dtype}, {default:defaults}, in {count:failing} of {count:checks} …"
    "both. It passes with {passes:passes}{is:where}.": None,
    "Cannot be said yet: …": lambda s: not s.checks,
}
"""What a sentence may say, and whether that is true of a state, if its figures do not tell.

A figure is written as its kind and the attribute of the state that it has to be: `count`, `share`
of another attribute, a number hardly `above` it or `near` it, a tolerance that `passes`, a text
that it `is`, or one that is there only `if` it is true. An ellipsis stands for words, up to the end
of the sentence at most.
"""

SOME_PAIRS = {
    "No sign of one: terms cancel. Where …of their {is:name}, cancellation leaves nothing …": (
        lambda s: s.left == 0
    ),
    "Cannot be said: no useful bound …": lambda s: s.bound == inf,
    "In float64 rounding …": lambda s: s.dtype != "float64",
    "None has …": lambda s: not s.judged,
    "Undecided: {share:undecided:judged}.": lambda s: s.undecided,
}
"""What few or no states are in."""

PAIRS = {
    **TESTED,
    **SOME_PAIRS,
    "Cannot be said: no component is …": lambda s: not s.finite,
    "No sign of one{is:where}: the values are equal in {count:finite} …": lambda s: not s.different,
    "No sign of one: terms cancel. Where …of their {is:name}, cancellation leaves at most "
    "{above:left} …": None,
    "No sign of one: rounding. In {count:checks} …at most {above:relative} of …of their "
    "{is:name}.": lambda s: s.of_rounding,
    "No sign of one.": None,
    "The exact gradient is 0, …add up to 1.": lambda s: s.zero,
    "All that is shown …at most {above:largest}.": None,
    "They differ by at most {above:units} rounding units.": None,
    "They differ by at most {above:units} rounding units; …rounding is {near:bound}.": (
        lambda s: s.units <= s.bound
    ),
    "Look into it: in {count:over} …up to {near:units} …": None,
    "It is a bug, or code …": None,
    "Exactly 0 is right.": lambda s: s.zero,
    "Both gave the same values in {count:judged} …": lambda s: not s.different,
    "Of {count:judged} …, {is:first} is closer in {share:by_first:judged}, {is:second} in "
    "{share:by_second:judged}.": None,
    "The others tie.": lambda s: s.ties,
    "If you need these digits, compute …": None,
    "Look for the cause …": None,
    "Nothing to do: no difference was seen{is:where}.": lambda s: not s.different,
}
OTHER_METHODS = {
    "Each row of a single call is the sum of all {count:outputs} rows, …{count:outputs} times …": (
        lambda s: s.rows_are_summed
    ),
    "Finite differences approximate …digits cancel.": None,
}
"""What is said of a method that does not give the gradient."""

FIRST_TAB = {
    **PAIRS,
    **OTHER_METHODS,
    "Rounding, no sign of a bug:": lambda s: s.of_rounding,
    "Two ways to one gradient:": None,
    "Not the same function:": lambda s: s.rows_are_summed,
    "do they agree, and …?": None,
    "nothing is measured yet.": lambda s: not s.checks,
    "no component is finite on both sides.": lambda s: not s.finite,
    "none of the {if:infinite:finite }components differs.": lambda s: not s.different,
    "{share:different:finite} of {if:infinite:finite }components differ, by at most "
    "{above:relative} of their sample's largest {if:infinite:finite }component.": None,
    "{share:different:finite} of {if:infinite:finite }components differ.": None,
    "They are not the same …": None,
    "A difference is expected.": None,
    "Ask for one row …": lambda s: s.outputs > 1,
    "Use autograd.": None,
    "`torch.autograd.gradcheck` …": None,
    "In {count:checks} …at most {above:relative} of …of their {is:name}.": None,
    "What differs is noise.": lambda s: s.zero and s.different,
    "Each operation can round: in {is:dtype}, …": None,
    "Whatever was rounded on the way, the {if:infinite:finite }components are equal.": (
        lambda s: not s.different
    ),
    "`backward()` adds, then …": lambda s: s.outputs > 1 and "forward" not in s.experiment.method,
    "`backward()`, up to …": None,
    "The `jacobian` of `net(x).sum()` …": None,
    "Of the components in …is {tenth:lean}. The 95% interval …over {count:referenced} …"
    "goes from {any:text} to {any:text}.": None,
    "It contains 0: …": lambda s: s.interval[0] <= 0 <= s.interval[1],
    "Samples with a reference: {count:referenced}. Ball arithmetic …judged {any:text} of …": (
        lambda s: s.dtype != "float64" or f"judged {s.referenced} of them" in s.text
    ),
    "The bound counts …": None,
    "A difference above it …": lambda s: s.is_bounded,
    "A difference below it …": None,
    "{count:checks} of {count:total} {any:text}": None,
    "· starting": lambda s: not s.checks,
    "· at\xa0work": lambda s: 0 < s.checks < s.total,
    "· paused": lambda s: s.checks < s.total,
}
BATCHES = {
    "Alone, or in a batch of {count:size}: do … the same values?": lambda s: not s.checks,
    "Rounding, no sign of a bug.": lambda s: s.of_rounding and not (s.infinite or s.of_outputs),
    "In a batch of {count:size}: {is:shares} change.": None,
    "All outputs or all gradients …": (
        lambda s: not all(any(vector.finite.any() for vector in of) for of in s.batch)
    ),
    "PyTorch may use another kernel …": None,
    "The exact gradient is 0, …noise.": lambda s: s.zero and s.apart[1],
    NOT_JUDGED: None,
}


def experiments(count, seed, **fixed):
    """Experiments with a network of every shape, dtype, activation and method, small enough to
    be run at once."""
    draw = random.Random(seed)
    for number in range(count):
        fields = {
            "inputs": draw.choice([1, 2, 5, 7]),
            "hidden": draw.choice([(), (3,), (10,), (33,), (6, 4), (64, 64)]),
            "outputs": draw.choice([1, 1, 2, 3, 8]),
            "activation": draw.choice(list(choices.ACTIVATIONS)),
            "output_activation": draw.choice([*choices.OUTPUT_ACTIVATIONS, "identity", "softmax"]),
            "dtype": list(choices.DTYPES)[number % 4],
            "method": list(METHODS)[number % len(METHODS)],
            "evaluation": draw.choice(list(choices.EVALUATIONS)),
            "distribution": draw.choice(list(choices.DISTRIBUTIONS)),
            "seed": draw.randrange(1000),
            "samples": draw.choice([1, 2, SAMPLES]),
        }
        yield Experiment(**fields | fixed)


def pieces(study, experiment):
    """What a study measures, slice by slice, as short as they come."""
    number = 0
    while number < experiment.samples:
        yield (measured := study.measure(number, NOW))
        number += len(measured)


def shown(rows, facts):
    """What is shown of a study, without its answers."""
    return " ".join(filter(None, (said(getattr(rows, name), facts) for name in ROWS[rows])))


def of_the_first_tab(experiment, tally, vectors):
    facts = of_discrepancy.facts(tally, experiment)
    claim = [said(getattr(of_discrepancy, name), facts) for name in ("HEADLINE", "REASON")]
    answers = [facts.verdict.bug, facts.verdict.right, facts.verdict.remedy]
    assert all(claim) and facts.verdict.bug, experiment.query
    assert all(answers) or not tally.finite, experiment.query
    assert len(re.findall(r"\S*\w\S*", " ".join(claim))) <= 40, experiment.query
    counts = [progress(len(vectors), experiment.samples, "samples", 0, p, False) for p in (0, 1)]
    text = " ".join(filter(None, [shown(of_discrepancy, facts), *answers, *counts]))
    return Pairs(experiment, vectors, text)


KNOWN = [
    f"method=finite-difference&step=-60&samples={SAMPLES}",
    "hidden=1&inputs=5&outputs=2&method=finite-difference&step=-25&seed=1&samples=2",
    "hidden=16,16&dtype=bfloat16&method=jacrev&samples=40",
]


def states_of_discrepancy():
    for experiment in [*map(Experiment.parse, KNOWN), *experiments(80, 1)]:
        study, tally, vectors = Discrepancy(experiment), Discrepancy.empty, []
        yield of_the_first_tab(experiment, tally, vectors)
        for measured in pieces(study, experiment):
            tally, vectors = tally + study.tally(measured), vectors + vectors_of(measured)
            yield of_the_first_tab(experiment, tally, vectors)
    for experiment in experiments(8, 3, evaluation="batched", samples=SAMPLES, method="copies"):
        yield from doctored(experiment)
        yield from doctored(replace(experiment, method="functional"))


def doctored(experiment):
    """States that no network of this size reaches: results that are infinite, NaN or far off."""
    net, x = network_and_samples(experiment, SAMPLES)
    backward, saved = backward_and_saved(net, x)
    judge = Judge(experiment).turned_to(net, x)
    unit = torch.from_numpy(judge.judge(0, Pair(0, 0, 0, x, backward, backward), saved).judged.unit)
    whole = (torch.arange(backward.numel()) % 3 > 0).view_as(backward)
    near = backward * (1 + 2 * torch.finfo(backward.dtype).eps)
    off = (backward.double() + 1e5 * unit).to(backward.dtype)
    for second in (
        backward.where(whole, nan),
        torch.full_like(backward, inf),
        off,
        off.where(whole, near),
        near.where(whole, nan),
    ):
        gradients = judge.judge(0, Pair(0, 0, 0, x, backward, second.contiguous()), saved)
        yield of_the_first_tab(experiment, Discrepancy.tally(gradients), vectors_of(gradients))


def test_the_first_tab_is_true_in_every_state():
    check(states_of_discrepancy(), FIRST_TAB, SOME_PAIRS)


BY_METHOD = "gradient=method&networks=each-block"
WIDE = "inputs=7&hidden=64,64&outputs=8"
NOISY = Experiment.parse(f"{WIDE}&output_activation=softmax&samples=8")
CANCELLING = Experiment.parse(
    "inputs=10&hidden=64,64&outputs=8&activation=identity&output_activation=identity&seed=5"
    "&samples=8"
)
BATCHED = [
    replace(NOISY, samples=SAMPLES),
    CANCELLING,
    Experiment.parse(f"{BY_METHOD}&method=jacrev&dtype=bfloat16&samples=60&seed=10"),
    Experiment.parse(f"{BY_METHOD}&method=single-call&samples={SAMPLES}"),
    Experiment.parse(f"{BY_METHOD}&method=finite-difference&samples={SAMPLES}"),
]
"""Gradients that are noise; terms that cancel; a batch of 1 that differs; methods
that do not give the gradient."""


def states_of_batches():
    for experiment in [*BATCHED, *experiments(3, 2)]:
        # Judged as another, the gradient of the noisy one cancels.
        study = Batch(NOISY if experiment is CANCELLING else experiment)
        (measured,) = pieces(study, study.experiment)
        tally = study.tally(measured)
        yield of_a_batch(experiment, Batch.empty, SIZES[0])
        for size in SIZES:
            pairs, given = [], {condition for of, condition in measured.batched if of == size}
            if given:
                pairs = [measured.of(quantity, size) for quantity in ("output", "gradient")]
            yield of_a_batch(experiment, tally, size, *map(vectors_of, pairs))


def of_a_batch(experiment, tally, size, outputs=(), gradients=()):
    facts = of_batch.facts(tally, experiment, size)
    answers = [facts.verdict.remedy, facts.verdict.bug, facts.verdict.right]
    text = " ".join(filter(None, [shown(of_batch, facts), *answers]))
    judged = outputs if NOT_JUDGED in text else [*outputs, *gradients]
    return Pairs(experiment, judged, text, (outputs, gradients), size)


def test_batches_are_told_truly_in_every_state():
    unmade = [*PAIRS, "All outputs or all gradients …"]
    check(states_of_batches(), PAIRS | OTHER_METHODS | BATCHES, unmade)


@dataclass
class Derivatives(Checked):
    """The figures of a run, which `derivative/test_study` counts, the values of autograd and of a
    formula where the derivative is known, and what the tab says of them."""

    experiment: Experiment
    figures: dict[str, Any]
    sides: list[torch.Tensor]
    formula: str
    text: str

    def __post_init__(self):
        super().__post_init__()
        self.by_hand = on_paper(self.formula)
        self.label = FUNCTIONS[self.experiment.differentiated].label
        self.samples, self.beyond = self.figures["samples"], self.figures["overflow"]
        self.checks = len(self.sides[0])
        self.where = " where the derivative is known" * (self.checks < self.samples)
        autograd = self.figures["autograd"]
        self.both = autograd, self.figures["formulas"].get(self.formula, autograd)
        self.autograd_right, self.hand_right = self.of_both("correctly_rounded")
        self.mistaken = np.add(self.of_both("nonfinite"), self.of_both("zero"))
        self.autograd_mistaken, self.hand_mistaken = self.mistaken
        self.largest = max(self.of_both("max_ulps"))
        self.few = self.largest <= 32
        self.apart = count_apart(*self.sides)
        finite = self.sides[0].isfinite() & self.sides[1].isfinite()
        self.failing = int((~are_close(*self.sides) & finite).sum())

    def of_both(self, name):
        return [of[name] or 0 for of in self.both]

    def passes(self, **tolerance):
        return bool(are_close(*self.sides, **tolerance).all())

    def worst_at(self, x):
        x = torch.tensor(x, dtype=torch.float64).to(self.torch_dtype).item()
        return x in [of["max_ulps_at"]["x"] for of in self.both if of["max_ulps"] == self.largest]

    @property
    def disproved(self):
        """Whether the values by hand are those at the x where the two are said to differ."""
        text = re.search("At x = (.+) the derivative is (.+), but .+ gives (.+?)\\. ", self.text)
        x, right, by_hand = (Fraction(number.replace("−", "-")) for number in text.groups())
        off = abs(right - 2 * x), abs(by_hand - WRONG[self.experiment.df](x))
        return max(off) < Fraction("1e-9")


WRONG = {"3*x": lambda x: 3 * x, "2*x+1e-30": lambda x: 2 * x + Fraction("1e-30")}
"""What is not the derivative of x²."""

DERIVATIVE = {
    **TESTED,
    "Is autograd's derivative of {is:label} right?": lambda s: not s.samples,
    "The derivative of {is:label} is not known at any …({count:samples}).": lambda s: not s.checks,
    "{is:by_hand} is not the derivative of x².": None,
    "Autograd and {is:by_hand} agree at every random x{is:where} ({count:checks}).": (
        lambda s: s.checks and not s.apart
    ),
    "Rounding, no sign of a bug: autograd and {is:by_hand} differ at {share:apart:checks} "
    "of the random x{is:where}.": lambda s: s.apart and s.few and not any(s.mistaken),
    "Autograd and {is:by_hand} differ at {share:apart:checks} of the random x{is:where}.": (
        lambda s: s.apart and (not s.few or any(s.mistaken))
    ),
    "Autograd gives the nearest {is:dtype} for {share:autograd_right:checks} of the random "
    "x{is:where}; {is:by_hand} gives it for {share:hand_right:checks}.": None,
    "At x = {any:text} the derivative is {any:text}, but ` {is:formula} ` gives {any:text}.": (
        lambda s: s.disproved
    ),
    "Infinity counts as the nearest at {count:beyond} x, …largest {is:dtype}.": None,
    "They are different functions.": None,
    "They are not the same function.": None,
    "Ball arithmetic proves it.": None,
    "At the random x{is:where}, they do not.": lambda s: not s.apart,
    "At the random x nothing …": lambda s: not s.checks,
    "Cannot be said: no finite derivative …": lambda s: s.beyond == s.checks,
    "They take different steps, …": None,
    "A step can round, …": None,
    "PyTorch computes {any:text}.": None,
    "Here y is the value of {is:label}.": None,
    "PyTorch applies the chain rule, …": lambda s: s.experiment.f,
    "At some random x, a value is 0, infinite, NaN or finite by mistake: autograd at "
    "{count:autograd_mistaken} of {count:checks} random x, {is:by_hand} at "
    "{count:hand_mistaken}.": None,
    "A tolerance can hide …": None,
    "Rounding fits.": lambda s: s.few,
    "More than the last digit is off.": lambda s: not s.few,
    "The largest error of the finite values at {count:checks} random x is {near:largest} ulps, "
    "at x = {at:worst_at}.": None,
    "Every finite value at {count:checks} …is the nearest {is:dtype}.": lambda s: (
        s.autograd_right == s.hand_right == s.checks
    ),
    "Another formula or higher precision may give more digits.": None,
}


def states_of_derivatives():
    draw = random.Random(10)
    own = [{"f": "x**2", "df": df} for df in ("2*x", *WRONG)]
    own += [{"f": "x-x*x/x"}, {"f": "sqrt(-1-x*x)"}, {"function": "square", "df": "2*exp(log(x))"}]
    own += [{"function": "sqrt", "df": "(0.5/sqrt(x)+1e30)-1e30"}, {"f": "7e4*x"}]
    own += [{"function": "log", "df": "1/abs(x)"}, {"f": "x**2", "df": "x*0.3+x*1.7"}]
    for number in range(100):
        name = draw.choice(list(FUNCTIONS))
        fields = {"function": name} if number % 5 else own[number // 5 % len(own)]
        experiment = Experiment(
            dtype=list(choices.DTYPES)[number % 4],
            x_from=draw.choice(list(choices.X_FROM)),
            seed=draw.randrange(99),
            samples=draw.choice([1, 2, 12]),
            **fields,
        )
        experiment = Experiment(samples=1, seed=number) if number < 8 else experiment
        experiment = replace(experiment, samples=12) if experiment.f == "x-x*x/x" else experiment
        function = FUNCTIONS[experiment.differentiated]
        formula = experiment.df or draw.choice(function.formulas)
        study = Derivative(experiment)
        (measured,) = pieces(study, experiment)
        sides = [
            torch.from_numpy(measured.computed[name]).to(getattr(torch, experiment.dtype))
            for name in ("autograd", formula)
        ]
        for tally, known in (
            (Derivative.empty, []),
            (study.tally(measured), measured.reference.exists),
        ):
            facts = of_derivative.facts(tally, formula, experiment)
            text = f"{shown(of_derivative, facts)} {facts.verdict.matter}"
            values = [side[known] for side in sides]
            yield Derivatives(experiment, tally.figures(), values, formula, text)


def test_derivatives_are_told_truly_in_every_state():
    check(states_of_derivatives(), DERIVATIVE)


def of_the_pitfall(experiment, **fields):
    return shown(of_pitfall, of_pitfall.facts(PitfallTally(**fields), experiment))


def test_what_is_said_of_the_pitfall():
    """With eight errors that are known; `pitfall/test_study` counts those that are off."""
    known = Histogram.of(np.arange(8))
    tally = {"samples": 4, "alike": 4, "against_rows": known}
    judged = tally | {"right_errors": known, "right_off": 2}
    one, two = Experiment(outputs=1), Experiment()
    told = of_the_pitfall(one, **judged)
    assert told == (
        "With one output, one call is right: there is nothing to add up. With one row, there is "
        "nothing to notice."
    )
    assert "what does it return? `grad" in of_the_pitfall(two)
    assert "All rows are equal" not in of_the_pitfall(two)
    told = of_the_pitfall(two, **tally)
    assert "returns their sum in every row." in told and "no exact value is known" in told
    assert "All rows are equal in 100% of 4 samples." in told and "One call per row." in told
    told = of_the_pitfall(two, **tally | {"alike": 3})
    assert told.startswith("One grad call for all rows gives unlike rows in 1 of 4 samples. `grad")
    method = METHODS[two.method].label
    told = of_the_pitfall(two, **judged, single_off=5)
    assert "No: from one call, 62% of 8 entries are off by more than half" in told
    assert f"With `{method}`: 25%." in told
    told = of_the_pitfall(two, **judged, single_off=4)
    assert "It cannot be told here: from one call, 50% of 8 entries" in told
    assert f"and with `{method}` 25%." in told and "No: " not in told


@pytest.mark.parametrize(
    "first, second, exact, closer, text",
    [
        (inf, 1, 1, "", "A value is infinite or NaN, so the two have no distance."),
        (1, 2, None, "", of_discrepancy.KINK),
        (0.0, -0.0, None, "", f"{of_discrepancy.KINK} The two values are equal."),
        (3, 3, 10, "tie", "The two values are equal."),
        (-3, 4, 0.25, "backward", "`backward()` computed the value closer to the exact one."),
        (1, 2, 1.75, "jacobian", "The Jacobian computed the value closer to the exact one."),
        (2, 1, 1.5, "tie", "Both values are equally far from the exact value."),
    ],
)
def test_what_is_said_of_a_component(first, second, exact, closer, text):
    """The values are whole numbers, which stand for places on the float line."""
    component = Component(**dict.fromkeys(field.name for field in fields(Component)))
    ulps = int(first - second) if isfinite(first) else None
    exact = None if exact is None else Fraction(exact)
    known = {"backward": first, "jacobian": second, "ulps": ulps, "exact": exact}
    assert said(of_discrepancy.ENDS, replace(component, **known, closer=closer)) == text


def test_no_sentence_is_left_out():
    """Every row at the top level of a module of `lib`, where rows are in tuples."""
    sentences = set()
    for module in walk_packages(lib.__path__, "lib."):
        if not module.name.endswith("__main__"):
            tables = vars(import_module(module.name)).values()
            rows = [row for table in tables if isinstance(table, tuple | list) for row in table]
            sentences |= {row for row in rows if isinstance(row, Sentence)}
    shown = [getattr(module, name) for module, names in ROWS.items() for name in names]
    assert sentences == {row for rows in (*shown, ELSEWHERE) for row in rows}
