"""The contract of what is said of two spellings of one function, in states made by hand."""

from dataclasses import replace

from lib.derivative.different import Witness
from lib.derivative.spelling_sentences import spelling_claim, spelling_conditions, spelling_where
from lib.derivative.two_spellings import Accuracy, Comparison, Part
from tests.contract import Row, State, Subject, alone, always, read

NEAR, FAR = Accuracy(90, 0, 0.25, 0.5, 1.5), Accuracy(53, 0, 4.11, 648.0, 0.0009)
NO_ERROR = Accuracy(0, 100, None, None, None)
NOTHING = Accuracy(0, 0, None, None, None)


def comparison(exist: int, equal: int, f: Accuracy, g: Accuracy, overflow: int = 0, undecided: int = 0) -> Comparison:
    part = Part("x from 0 to 1", exist, equal, f, g)
    return Comparison(100, overflow, undecided, replace(part, range="all x"), (part,) if exist else (), None)


SAME = {
    "no value": comparison(0, 0, NOTHING, NOTHING),
    "equal": comparison(100, 100, NEAR, NEAR),
    "one better": comparison(100, 52, FAR, NEAR),
    "a little better": comparison(100, 52, NEAR, replace(NEAR, mean=0.259)),
    "one lost": comparison(100, 0, NEAR, NO_ERROR),
    "some without a value": comparison(94, 52, FAR, NEAR),
    "none decided": comparison(0, 0, NOTHING, NOTHING, undecided=100),
    "some undecided": comparison(91, 52, FAR, NEAR, undecided=4),
    "some overflow": comparison(100, 52, replace(NEAR, lost=3), FAR, overflow=5),
}
PARTS = [
    Part("x from 0 to 1", 100, 52, NEAR, replace(NEAR, mean=0.75)),
    Part("x from 1 to 2", 90, 5, replace(NEAR, mean=5.5), replace(NEAR, mean=7.0)),
    Part("x from 2 to 4", 90, 5, FAR, replace(FAR, mean=3.11)),
    Part("x from 4 to 8", 9, 0, NO_ERROR, FAR),
    Part("x from 8 to 16", 9, 0, FAR, NO_ERROR),
]
SAME["several ranges"] = replace(SAME["one better"], ranges=tuple(PARTS))
SAME["no errors to compare"] = replace(SAME["one better"], ranges=tuple(PARTS[3:]))
TWO = {"two functions": replace(SAME["one better"], different=Witness(-0.0625, "0.5", "-0.25"))}


def witness(s: State) -> bool:
    found = s.f.different
    shown = tuple(s.number(name) for name in "xyz")
    return found is not None and shown == (found.x, float(found.one), float(found.other))


def one(s: State) -> bool:
    return s.f.different is None


def nothing(s: State) -> bool:
    return s.f.whole.exist == 0 and s.number("n") == s.f.samples


CLAIMS = [
    Row("f and g are two functions: at x = {x}, f is {y} and g is {z}.", witness),
    Row("Rounding does not explain that.", lambda s: not one(s)),
    Row("f has no value at any of {n} x.", lambda s: one(s) and nothing(s) and not s.f.undecided),
    Row("The value of f is decided at none of {n} x.", lambda s: one(s) and nothing(s) and s.f.undecided > 0),
    Row(
        "f and g end on the same float at all {n} x, correctly rounded for {p}.",
        lambda s: (
            one(s)
            and s.f.whole.equal == s.f.whole.exist == s.number("n") > 0
            and s.share("p", s.f.whole.f.correct, s.f.whole.exist)
        ),
    ),
    Row(
        "f is correctly rounded for {p} of {n} x, g for {q}; they end on the same float for {r}.",
        lambda s: (
            one(s)
            and s.f.whole.equal < s.f.whole.exist == s.number("n")
            and s.share("p", s.f.whole.f.correct, s.f.whole.exist)
            and s.share("q", s.f.whole.g.correct, s.f.whole.exist)
            and s.share("r", s.f.whole.equal, s.f.whole.exist)
        ),
    ),
]


def most_apart(s: State) -> bool:
    means = {part.range: (part.f.mean, part.g.mean) for part in s.f.ranges if None not in (part.f.mean, part.g.mean)}
    most = max(abs(f - g) for f, g in means.values())
    f, g = means[s.m["any"]]
    told = abs(read(s.m["x"]) - f) < 0.006 and abs(read(s.m["y"]) - g) < 0.006
    return told and abs(f - g) == most >= 0.01


WHERE = [
    Row("Their mean errors differ most for {any}: f is {x} floats off there, g is {y} floats off.", most_apart),
    *(
        Row(
            f"Computed, {name} is infinite or NaN at {{n}} x where f rounds to a finite float.",
            lambda s, name=name: getattr(s.f.whole, name).lost == s.number("n") > 0,
        )
        for name in "fg"
    ),
]

CONDITIONS = [
    Row("{n} x in float32 on the CPU, from the first on.", lambda s: s.number("n") == s.f.samples),
    Row("Both are held against the exact value of f (Arb).", always),
    Row(
        "At {n} x f has no value, and no share counts them.",
        lambda s: s.number("n") == s.f.samples - s.f.whole.exist - s.f.undecided > 0,
    ),
    Row(
        "At {n} x 3,000 bits do not decide it, and no share counts them.", lambda s: s.number("n") == s.f.undecided > 0
    ),
    Row(
        "At {n} x it is beyond the largest float, and no mean counts them.", lambda s: s.number("n") == s.f.overflow > 0
    ),
    Row(
        "No x was found at which the exact values of f and g differ; that is no proof that they are equal.",
        lambda s: one(s) and s.f.whole.exist > 0,
    ),
]

SUBJECTS = [
    Subject(spelling_claim, CLAIMS, alone(SAME | TWO)),
    Subject(spelling_where, WHERE, alone(SAME)),
    Subject(spelling_conditions, CONDITIONS, alone(SAME)),
]
