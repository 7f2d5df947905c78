"""The contract of what is said of unsafe and safe spellings: as PyTorch gives them here, and made up."""

from functools import cache
from math import inf, isfinite, nan

from lib.derivative.unsafe import Look, Result, looks
from lib.derivative.unsafe_cases import CASES, Case
from lib.derivative.unsafe_sentences import result_claim
from lib.experiment.choices import DTYPES
from lib.experiment.query import Experiment
from tests.contract import Row, Said, Sayer, State, Subject, read

REFUSED = "\"erf_cpu\" not implemented for 'Half'"


def made_up(computed: tuple[float, ...], exact: tuple[str | None, ...], kind: str, off: int = 0) -> Result:
    rounded = tuple(None if one is None else float(one) for one in exact)
    return Result(1.0, computed, exact, rounded, kind, off, REFUSED if kind == "fault" else "")


SAFE = made_up((2.0,), ("2",), "right")
MADE_UP = [
    SAFE,
    made_up((2.0,), ("2",), "near", 3),
    made_up((5.0,), ("2",), "off", 40),
    made_up((0.0,), ("2",), "zero"),
    made_up((nan,), ("2",), "nan"),
    made_up((-inf,), ("2",), "inf"),
    made_up((), ("2",), "fault"),
    made_up((1.0,), (None,), "choice"),
    made_up((nan,), (None,), "nan"),
    made_up((), (None,), "fault"),
]
"""Whatever a version of PyTorch may come to give."""

Seen = tuple[Case, Look, Result]


@cache
def seen() -> list[tuple[Experiment, Case, tuple[Look, ...]]]:
    real = [
        (Experiment(dtype=dtype), CASES[key], found) for dtype in DTYPES for key, found in looks(dtype, "cpu").items()
    ]
    made = [
        (Experiment(), CASES[key], (Look((0.5,), "f(x).backward()", one, other, 0.25),))
        for key in ("where", "sqrt")
        for one in MADE_UP
        for other in MADE_UP
        if one.exact == other.exact
    ]
    return real + made


def of_results(sayer: Sayer) -> Said:
    for experiment, case, found in seen():
        for look in found:
            for result in (look.unsafe, look.safe):
                yield State(experiment, (case, look, result), {}), sayer(look, result, experiment)


def marked(s: State) -> bool:
    """Whether the line starts with the sign of what it tells: right, wrong, or a choice."""
    result = s.f[2]
    pairs = list(zip(result.computed, result.rounded, strict=True)) if result.computed else []
    if not pairs or not all(isfinite(one) or one == right for one, right in pairs):
        return s.m["any"].startswith("✗")
    if result.kind in ("off", "zero"):
        return s.m["any"].startswith("✗")
    return s.m["any"].startswith("○" if None in result.rounded else "✓")


def noun(case: Case, look: Look) -> str:
    return "Hessian" if case.second_order else "derivative" if len(look.x) == 1 else "gradient"


def computed(s: State) -> bool:
    return marked(s) and bool(s.f[2].computed) and f", {noun(*s.f[:2])} " in s.m["any"]


def correctly_rounded(s: State) -> bool:
    return computed(s) and s.f[2].computed == s.f[2].rounded


def so_far_off(s: State) -> bool:
    return computed(s) and read(s.m["n"]) == s.f[2].off > 0


def some_exist(s: State) -> bool:
    return any(one is not None for one in s.f[2].exact)


def none_exists(s: State) -> bool:
    return not some_exist(s)


def a_choice(s: State) -> bool:
    return all(map(isfinite, s.f[2].computed)) and None in s.f[2].exact


RESULTS = [
    Row("{any}, correctly rounded.", correctly_rounded),
    Row("{any}, {n} floats off.", so_far_off),
    Row("{any}, 1 float off.", lambda s: computed(s) and s.f[2].off == 1),
    Row("{any}**.", lambda s: computed(s) and s.f[2].computed != s.f[2].rounded and not s.f[2].off),
    Row(f"{{any}}: PyTorch says: {REFUSED}", lambda s: marked(s) and not s.f[2].computed),
    Row("Exact: {any}.", some_exist),
    Row("No derivative exists there.", lambda s: none_exists(s) and not all(map(isfinite, s.f[2].computed))),
    Row("Where no derivative exists, any finite value is a choice.", a_choice, sometimes=True),
]


SUBJECTS = [Subject(result_claim, RESULTS, of_results)]
