"""The contract between words and states: every sentence that `lib` can make, and when it may be said.

A row is a sentence with `{…}` where it varies, and a condition on the state. The condition is worked out from what was
chosen and from the raw figures that a tally was made from, not from the code that chooses the words. A sentence that
matches no row is not allowed to be said: whoever writes a new one says here when it is true. And what is true is said:
silence is a fault, too.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from inspect import signature
from itertools import product
from typing import Any

from lib.display.why import Why
from lib.experiment.query import Experiment

_KINDS = {
    **dict.fromkeys("nk", r"[\d,]+"),
    **dict.fromkeys("pqrs", r"(?:less than |more than )?[+−-]?[\d.]+%"),
    **dict.fromkeys(
        "xyz", r"[+−-]?(?:\d[\d,]*\.?\d*(?:e[+-]?\d+| (?:million|billion|trillion)| × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?|inf)"
    ),
    **dict.fromkeys("ab", r"2[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+"),
    "code": r"`[^`]+`",
    "word": r"[\w.-]+",
    "side": r"the (?:Jacobian|single call|finite difference)",
    "any": r".+",
}


_WORDS = {" million": "e6", " billion": "e9", " trillion": "e12", " × 10": "e", ",": "", "−": "-"}
_LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def read(text: str) -> float:
    """The number that a text stands for."""
    for word, digits in _WORDS.items():
        text = text.replace(word, digits)
    return float(text.translate(_LOWERED))


@dataclass(frozen=True)
class State:
    """What was chosen (`e`), what was found (`f`), and the parts of the sentence that vary (`m`, by their names)."""

    e: Experiment
    f: object
    m: dict[str, str]

    def number(self, name: str) -> float:
        return read(self.m[name])

    def share(self, name: str, part: int, whole: int) -> bool:
        """Whether a percentage is that of the part, and says none or all only where it is."""
        if self.m[name] == "less than 1%":
            return 0 < part < 0.005 * whole
        if self.m[name] == "more than 99%":
            return 0.995 * whole <= part < whole
        shown = float(self.m[name][:-1])
        return abs(shown - 100 * part / whole) <= 0.5 and (shown > 0 or part == 0) and (shown < 100 or part == whole)


@dataclass(frozen=True)
class Row:
    """A sentence, and when it may be said. One without parts that vary must be said wherever it may, unless it is said
    `sometimes`, as other words may come first."""

    sentence: str
    holds: Callable[[State], bool]
    sometimes: bool = False

    @property
    def always_said(self) -> bool:
        return "{" not in self.sentence and not self.sometimes

    def match(self, sentence: str) -> dict[str, str] | None:
        found = _compiled(self.sentence).fullmatch(sentence)
        return found.groupdict() if found else None


@cache
def _compiled(sentence: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", sentence)
    fixed, names = parts[::2], parts[1::2]
    seen: set[str] = set()
    pattern = re.escape(fixed[0])
    for name, text in zip(names, fixed[1:], strict=True):
        pattern += rf"(?P={name})" if name in seen else rf"(?P<{name}>{_KINDS[name.rstrip('0123456789')]})"
        seen.add(name)
        pattern += re.escape(text)
    return re.compile(pattern)


@lru_cache(maxsize=4096)
def sentences(text: str) -> list[str]:
    """The sentences of a text in Markdown, each with its full stop."""
    lines = (line.strip() for line in text.splitlines())
    return [part for line in lines if line for part in re.split(r"(?<=[.?!])\s+(?=[A-Z`\[(+◆])", line)]


Table = list[Row]
Sayer = Callable[..., str | Why]
Said = Iterator[tuple[State, str | Why]]


@dataclass(frozen=True)
class Subject:
    """A function that makes sentences, their table, and all that it is made to say, by state."""

    sayer: Sayer
    table: Table
    states: Callable[[Sayer], Said]


NOTHING = {"nothing": None}


def each(
    cases: Mapping[str, object] = NOTHING,
    tally: Callable[[object], object] = lambda case: case,
    chosen: Callable[[], Iterable[Experiment]] = lambda: [Experiment()],
) -> Callable[[Sayer], Said]:
    """Every case with every experiment. A function that makes sentences is given what its parameters ask for: the
    experiment by that name, by any other the tally that is made of the case."""

    def states(sayer: Sayer) -> Said:
        tallies = {name: tally(case) for name, case in cases.items()}
        asked = list(signature(sayer).parameters)
        for experiment, (name, case) in product(chosen(), cases.items()):
            given = (experiment if parameter == "experiment" else tallies[name] for parameter in asked)
            yield State(experiment, case, {}), sayer(*given)

    return states


def alone(
    cases: Mapping[str, object], tally: Callable[[object], object] = lambda case: case
) -> Callable[[Sayer], Said]:
    """Likewise with the default experiment alone."""
    return each(cases, tally)


def always(s: State) -> bool:
    """For what is true whatever was chosen and found: a definition, or a fact about floats or PyTorch."""
    return True


def has(count: Callable[[Any], object]) -> Callable[[State], bool]:
    return lambda s: bool(count(s.f))
