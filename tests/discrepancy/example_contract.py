"""The contract of what is said of one component: where its two values end on the float line.

All values are counted in floats above 1 in float32, so that which float is nearest to the exact value is a question of
whole numbers and fractions.
"""

from dataclasses import dataclass, fields
from fractions import Fraction
from math import inf, isfinite, nan

from lib.discrepancy.example import Example
from lib.discrepancy.example_sentences import example_claim
from lib.experiment.query import Experiment
from tests.contract import Row, Said, Sayer, State, Subject, called, has
from tests.states import experiments

UNKNOWN = "A pre-activation lies on the kink of its activation, where the gradient does not exist."


@dataclass(frozen=True)
class Ends:
    """Both values and the exact one, in floats from 1."""

    backward: float
    jacobian: float
    exact: Fraction | None

    @property
    def finite(self) -> bool:
        return isfinite(self.backward) and isfinite(self.jacobian)

    @property
    def apart(self) -> float:
        return abs(self.backward - self.jacobian)

    @property
    def off(self) -> list[Fraction]:
        """How far the two values are from the exact one."""
        return [abs(Fraction(value) - self.exact) for value in (self.backward, self.jacobian)]

    @property
    def nearest(self) -> list[bool]:
        """Whether no float is nearer to the exact value than each of the two is."""
        return [off <= Fraction(1, 2) for off in self.off]

    @property
    def on_float(self) -> bool:
        return self.exact.denominator == 1

    def example(self) -> Example:
        given = dict.fromkeys(field.name for field in fields(Example))
        given["unknown"] = UNKNOWN
        given["backward"], given["jacobian"] = (
            1 + value * 2.0**-23 if isfinite(value) else value for value in (self.backward, self.jacobian)
        )
        if self.finite:
            given["ulps"] = int(self.backward - self.jacobian)
        if self.exact is not None and self.finite:
            names = [name for name, near in zip(("backward", "jacobian"), self.nearest, strict=True) if near]
            given["hit"] = "none" if not names else names[0] if len(names) == 1 else "both"
            one, other = self.off
            given["closer"] = "tie" if one == other else "backward" if one < other else "jacobian"
            given["exact"] = 1 + self.exact / 2**23
            given["nearest"] = 1 + Fraction(round(self.exact), 2**23)
        return Example(**given)


QUARTER, HALF = Fraction(1, 4), Fraction(1, 2)
ENDS = {
    "same and exact": Ends(3, 3, Fraction(3)),
    "same and nearest": Ends(3, 3, 3 + QUARTER),
    "same, but between others": Ends(3, 3, 5 + QUARTER),
    "same, but another is exact": Ends(3, 3, Fraction(5)),
    "same, of no exact value": Ends(3, 3, None),
    "neighbours, backward nearest": Ends(3, 4, 3 + QUARTER),
    "neighbours, the other nearest": Ends(3, 4, 4 - QUARTER),
    "neighbours, backward exact": Ends(4, 3, Fraction(4)),
    "neighbours, the other exact": Ends(4, 3, Fraction(3)),
    "neighbours, both as near": Ends(3, 4, 3 + HALF),
    "neighbours, neither nearest": Ends(3, 4, 6 + QUARTER),
    "neighbours, the exact is another": Ends(4, 3, Fraction(6)),
    "neighbours, of no exact value": Ends(4, 3, None),
    "seven apart": Ends(3, 10, 10 - QUARTER),
    "far apart": Ends(3, 5003, 3 + QUARTER),
    "very far apart": Ends(3, 3_000_003, 3 + QUARTER),
    "on both sides, as far": Ends(3, 5, Fraction(4)),
    "on both sides, as far, none a float": Ends(3, 6, 4 + HALF),
    "backward exact, seven off": Ends(3, 10, Fraction(3)),
    "the other exact, seven off": Ends(10, 3, Fraction(3)),
    "backward nearest, seven off": Ends(3, 10, 3 + QUARTER),
    "the exact is between, backward closer": Ends(3, 9, Fraction(5)),
    "the exact is between, the other closer": Ends(3, 9, Fraction(8)),
    "on both sides, the other closer": Ends(0, 5, 4 - QUARTER),
    "on both sides, backward closer": Ends(1, 9, 4 - QUARTER),
    "one is infinite": Ends(inf, 3, Fraction(3)),
    "both are no numbers": Ends(nan, nan, Fraction(3)),
}


def ends(sayer: Sayer) -> Said:
    for experiment in {e.method + str(e.outputs): e for e in experiments()}.values():
        for state in ENDS.values():
            yield State(experiment, state, {}), sayer(state.example(), experiment)
    zeros = {"backward": 0.0, "jacobian": -0.0, "ulps": 0, "exact": Fraction(), "nearest": Fraction(), "hit": "both"}
    given = dict.fromkeys(field.name for field in fields(Example)) | zeros
    yield State(Experiment(), "zeros", {}), sayer(Example(**given), Experiment())


def known(s: State) -> bool:
    return s.f != "zeros" and s.f.finite and s.f.exact is not None


def same(s: State) -> bool:
    return s.f != "zeros" and s.f.finite and s.f.apart == 0


def neighbours(s: State) -> bool:
    return s.f != "zeros" and s.f.finite and s.f.apart == 1


def far(s: State) -> bool:
    return s.f != "zeros" and s.f.finite and abs(s.number("x") - s.f.apart) <= 0.005 * s.f.apart and s.f.apart > 1


def only(place: int):
    """Whether the value at this place has the float nearest to the exact value, and the other has not."""
    return lambda s: known(s) and s.f.nearest[place] and not s.f.nearest[1 - place]


def missed(s: State) -> bool:
    return known(s) and s.f.apart > 0 and not any(s.f.nearest)


START = {"They end on **neighbouring floats**": neighbours, "They end **{x} floats apart**": far}

ENDED = [
    Row(
        "At least one value is infinite or NaN, so they have no distance.", has(lambda f: f != "zeros" and not f.finite)
    ),
    Row("They end on **+0 and −0**, which are equal.", lambda s: s.f == "zeros"),
    Row("Both end on **the same float**.", lambda s: same(s) and not known(s)),
    Row("Both end on **the same float**, and it is exact.", lambda s: same(s) and known(s) and s.f.off == [0, 0]),
    Row(
        "Both end on **the same float**, and none is nearer to the exact value.",
        lambda s: same(s) and known(s) and all(s.f.nearest) and not s.f.on_float,
    ),
    Row(
        "Both end on **the same float**, but the exact value is another.",
        lambda s: same(s) and known(s) and s.f.on_float and s.f.off[0] > 0,
    ),
    Row(
        "Both end on **the same float**, but another is nearer to the exact value.",
        lambda s: same(s) and known(s) and not s.f.on_float and not any(s.f.nearest),
    ),
    Row(UNKNOWN, lambda s: s.f != "zeros" and s.f.exact is None),
    Row(
        "They end on **neighbouring floats**, and the exact value lies midway between them.",
        lambda s: neighbours(s) and known(s) and all(s.f.nearest),
    ),
    *(
        Row(f"{start}.", lambda s, ended=ended: ended(s) and not (known(s) and all(s.f.nearest)))
        for start, ended in START.items()
    ),
]
for off, at in (("one float off", neighbours), ("{x} floats off", lambda s: far(s))):
    for right, exact in (("exact", True), ("the float nearest to the exact value", False)):
        ENDED += [
            Row(
                f"`backward()` is {right}, {{side}} is {off}.",
                lambda s, at=at, exact=exact: only(0)(s) and called(s) and at(s) and s.f.on_float == exact,
            ),
            Row(
                f"`backward()` is {off}, {{side}} is {right}.",
                lambda s, at=at, exact=exact: only(1)(s) and called(s) and at(s) and s.f.on_float == exact,
            ),
        ]
for on_float, where in (
    (True, "The exact value is itself a float: both miss it"),
    (False, "The exact value lies between two floats: neither result is the nearest"),
):
    ENDED += [
        Row(
            f"{where}, and both are equally far off.",
            lambda s, on_float=on_float: missed(s) and s.f.on_float == on_float and s.f.off[0] == s.f.off[1],
        ),
        Row(
            f"{where}, but `backward()` is closer.",
            lambda s, on_float=on_float: missed(s) and s.f.on_float == on_float and s.f.off[0] < s.f.off[1],
        ),
        Row(
            f"{where}, but {{side}} is closer.",
            lambda s, on_float=on_float: (
                missed(s) and called(s) and s.f.on_float == on_float and s.f.off[0] > s.f.off[1]
            ),
        ),
    ]

SUBJECTS = [Subject(example_claim, ENDED, ends)]
