"""The contract of what is said of the lean against the number of outputs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, product

from lib.discrepancy.verdict import VerdictTally
from lib.experiment.choices import EVALUATIONS
from lib.experiment.devices import DEVICES
from lib.experiment.query import Experiment
from lib.network.comparison import PLAIN
from lib.reference.verdicts import VERDICTS
from lib.run.tally import ByName
from lib.variations.lean import Lean, LeanTally, point_name
from lib.variations.lean_sentences import causes, lean_conditions, outputs_claim
from lib.variations.mechanisms import MECHANISMS
from tests.contract import Row, Said, Sayer, State, Subject, always, each
from tests.states import CLASSES, counted


@dataclass(frozen=True)
class Won:
    """Components that backward and the Jacobian won on each network, and of all networks together the others."""

    networks: tuple[tuple[int, int], ...]
    tie: int = 100
    undecided: int = 0

    @property
    def decided(self) -> int:
        return sum(b + j for b, j in self.networks)

    @property
    def lean(self) -> float:
        return sum(b - j for b, j in self.networks) / self.decided

    @property
    def all_ties(self) -> bool:
        return self.decided == self.undecided == 0

    @property
    def ends(self) -> tuple[Fraction, Fraction] | None:
        """The leans of the networks, from the lowest to the highest; None where these do not differ."""
        leans = sorted(Fraction(b - j, b + j) for b, j in self.networks if b + j)
        return (leans[0], leans[-1]) if leans and leans[0] < leans[-1] else None

    @property
    def side(self) -> str | None:
        """Networks that agree to a few per cent of what they lean are certain of it; those on both sides are not."""
        if self.ends is None:
            return None
        low, high = self.ends
        if low <= 0 <= high:
            return "neither side for certain"
        assert min(abs(low), abs(high)) > 4 * (high - low)
        return "`backward()`" if low > 0 else "the Jacobian"

    def moves(self, plain: "Won") -> bool:
        """Whether it is far from the plain comparison, by the same measure."""
        if self.all_ties or self.ends is None:
            return self.all_ties
        (low, high), (plain_low, plain_high) = self.ends, plain.ends
        gap = max(low - plain_high, plain_low - high)
        assert gap <= 0 or gap > 3 * max(high - low, plain_high - plain_low)
        return gap > 0

    def tally(self) -> VerdictTally:
        backward, jacobian = (dict(enumerate(side)) for side in zip(*self.networks, strict=True))
        counts = sum(backward.values()), sum(jacobian.values()), self.tie, self.undecided
        return VerdictTally(
            verdicts=counted(dict(zip(range(len(VERDICTS)), counts, strict=True))),
            networks=len(self.networks),
            backward_wins=counted(backward),
            jacobian_wins=counted(jacobian),
        )


WON = {
    "to backward": Won(((700, 300), (710, 290), (690, 310))),
    "to the Jacobian": Won(((300, 700), (310, 690), (290, 710))),
    "to none": Won(((500, 510), (490, 470), (500, 500))),
    "ties": Won(((0, 0),) * 3),
    "ties, and some undecided": Won(((0, 0),) * 3, undecided=5),
    "alike": Won(((0, 50),) * 3),
}


@dataclass(frozen=True)
class Leans:
    """What the last points of the dtypes have, in turn, as they are and with each mechanism switched off."""

    plain: tuple[str, ...]
    off: tuple[str, ...]
    complete: bool = True

    def won(self, dtypes: tuple[str, ...]) -> dict[tuple[str, str], Won]:
        """By dtype and mechanism; what needs a wider dtype than float64 is not there."""
        found = {}
        for place, dtype in enumerate(dtypes):
            found[dtype, PLAIN] = WON[self.plain[place % len(self.plain)]]
            for turn, name in enumerate(name for name in MECHANISMS if name != PLAIN):
                if dtype != "float64" or name not in ("partial-sums", "rows"):
                    found[dtype, name] = WON[self.off[(place + turn) % len(self.off)]]
        return found


LEANS = {
    "nothing yet": Leans(("to none",), ("to none",), complete=False),
    "every side": Leans(("to the Jacobian", "to backward", "to none", "ties"), tuple(WON)),
    "undecided": Leans(("ties, and some undecided",), ("to none",)),
    "alike": Leans(("alike", "ties"), ("to backward",)),
    "all to backward": Leans(("to backward",), ("to backward", "alike", "ties, and some undecided")),
    "ties without": Leans(("to none",), ("ties",)),
}


def networks_of_points() -> Iterator[Experiment]:
    """All that the study depends on."""
    large = {"inputs": 64, "hidden": (256,) * 6}
    for device, evaluation, network in product(DEVICES, EVALUATIONS, (*CLASSES.values(), large)):
        yield Experiment(device=device, dtype="float32", evaluation=evaluation, **network)


def most_outputs(e: Experiment) -> int:
    """The largest power of two up to 64 with which parameters × outputs is at most six million."""

    def parameters(outputs: int) -> int:
        return sum((a + 1) * b for a, b in pairwise((e.inputs, *e.hidden, outputs)))

    return max(n for n in (2, 4, 8, 16, 32, 64) if parameters(n) * n <= 6_000_000)


def leans(sayer: Sayer) -> Said:
    tallies = {won: won.tally() for won in WON.values()}
    for experiment, found in product(networks_of_points(), LEANS.values()):
        won, outputs = found.won(DEVICES[experiment.device].dtypes), most_outputs(experiment)
        parts = {point_name(dtype, outputs, name): tallies[one] for (dtype, name), one in won.items()}
        tally = LeanTally(ByName(parts), Lean.total(experiment) - (not found.complete))
        yield State(experiment, won if found.complete else None, {}), sayer(tally, experiment)


def by_dtype(sayer: Sayer) -> Said:
    """Line by line, each with its dtype as that of the experiment."""
    for state, text in leans(sayer):
        dtypes = DEVICES[state.e.device].dtypes if state.f else ()
        for dtype, line in zip(dtypes, text.splitlines(), strict=True):
            yield State(replace(state.e, dtype=dtype), state.f, {}), line.removeprefix("- ")


def last(s: State) -> bool:
    return s.f is not None and s.number("n") == most_outputs(s.e)


def by_side(s: State) -> dict[str | None, list[str]]:
    found: dict[str | None, list[str]] = {}
    for (dtype, name), won in s.f.items():
        if name == PLAIN:
            found.setdefault(won.side, []).append(dtype)
    return found


def those(text: str) -> list[str]:
    return re.split(", | and ", text)


def named_sides(s: State) -> bool:
    told = dict(re.fullmatch("to (.+) in (.+)", part).groups() for part in s.m["any"].split("; "))
    return {side: those(dtypes) for side, dtypes in told.items()} == {k: v for k, v in by_side(s).items() if k}


def all_sides(s: State) -> bool:
    return None not in by_side(s)


def without_interval(s: State) -> bool:
    return those(s.m["any2"]) == by_side(s).get(None)


LEANING = "With {n} outputs the verdict leans {any}"

NO_INTERVAL = "the lean has no interval in {any2}."

BY_OUTPUTS = [
    Row("Who is closer with more and more outputs, in every dtype: one network after another.", lambda s: s.f is None),
    Row(f"{LEANING}, and {NO_INTERVAL}", lambda s: last(s) and named_sides(s) and without_interval(s)),
    Row(f"{LEANING}.", lambda s: last(s) and all_sides(s) and named_sides(s)),
    Row(f"With {{n}} outputs {NO_INTERVAL}", lambda s: last(s) and without_interval(s) and len(by_side(s)) == 1),
]


def signed(share: float) -> str:
    """To a tenth of a per cent; none of these leans is so small that it would be zero."""
    return f"{'−' if share < 0 else '+'}{abs(100 * share):.1f}%"


def plain(s: State) -> Won:
    return s.f[s.e.dtype, PLAIN]


def moving(s: State) -> list[str]:
    return [
        f"{MECHANISMS[name].label} ({'all ties' if one.all_ties else f'to {signed(one.lean)}'})"
        for (dtype, name), one in s.f.items()
        if dtype == s.e.dtype and one.moves(plain(s))
    ]


def within(s: State) -> bool:
    """Whether the lean is that of the dtype, and its interval is on the side that it should be and holds the lean."""
    low, high = (float(s.m[name][:-1].replace("−", "-")) for name in "qr")
    side = "`backward()`" if low > 0 else "the Jacobian" if high < 0 else "neither side for certain"
    return s.m["p"] == signed(plain(s).lean) and low <= 100 * plain(s).lean <= high and side == plain(s).side


CAUSES = [
    Row(
        "**{word}**: the lean has no interval, so nothing can be said of its causes.",
        lambda s: s.m["word"] == s.e.dtype and plain(s).side is None,
    ),
    Row(
        "**{word}**: the lean is {p} ({q} to {r}).",
        lambda s: s.m["word"] == s.e.dtype and plain(s).side is not None and within(s),
    ),
    Row(
        "Switched off, these move it: {any}.",
        lambda s: plain(s).side is not None and s.m["any"] == ", ".join(moving(s)) != "",
    ),
    Row("Nothing here moves it for certain.", lambda s: plain(s).side is not None and not moving(s)),
]


def on_each(s: State) -> bool:
    """Whether all samples are on so many networks, at the points of all dtypes."""
    points = len(DEVICES[s.e.device].dtypes) * (most_outputs(s.e).bit_length() - 1)
    return s.number("n") * 64 * points == Lean.total(s.e) and s.m["word"] == s.e.evaluation


LEAN_CONDITIONS = [
    Row("64 networks at each point, {n} samples on each, {word}, against `functional.jacobian`.", on_each),
    Row(
        "The lean is the share of the decided components in which `backward()` is closer, minus the share in which "
        "the Jacobian is.",
        always,
    ),
    Row("Intervals are 95% and count networks.", always),
    Row("Another machine may have other kernels, and another lean.", always),
]

SUBJECTS = [
    Subject(outputs_claim, BY_OUTPUTS, leans),
    Subject(causes, CAUSES, by_dtype),
    Subject(lean_conditions, LEAN_CONDITIONS, each(chosen=networks_of_points)),
]
