"""Check sentences against oracles: each is shown exactly where it is true, with the right figures.

The `CONTRACTS` of a room are in `tests/ROOM/contract.py`. `tests/test_contract.py` checks all of
them, and that no sentence of `lib` is missing.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lib.floats.sentences import Sentence, always

Expected = Mapping[str, object] | None
"""The figures of a sentence, by their names in its text. None if the sentence must not be shown.

Each figure is the text that is shown, or a predicate on that text."""


def when(holds: object, **figures: object) -> Expected:
    """What is expected of a sentence on a condition; two underscores in a name are a dot."""
    return {name.replace("__", "."): value for name, value in figures.items()} if holds else None


def share(part: float, whole: float) -> str:
    """A share in per cent, which says none or all only where that is exact."""
    if not whole:
        return "–"
    found = 100 * part / whole
    return (
        "less than 1%"
        if 0 < found < 0.5
        else "more than 99%"
        if 99.5 <= found < 100
        else f"{found:.0f}%"
    )


_WORDS = {" million": "e6", " billion": "e9", " trillion": "e12", " × 10": "e", ",": "", "−": "-"}
_LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def read(text: str) -> float:
    """The number that a text stands for."""
    for word, digits in _WORDS.items():
        text = text.replace(word, digits)
    text = re.sub("^10(?=[⁻⁰¹²³⁴⁵⁶⁷⁸⁹])", "1e", text)
    return float(text.translate(_LOWERED))


@dataclass(frozen=True)
class Contract:
    """The oracles of a group of sentences.

    Args:
        rows: the sentences.
        facts: computes the facts that the sentences are about, from a state.
        states: yields the states to check. They may be of any type.
        oracles: for each sentence, a function from a state to the expected figures. It must not
            use `facts`.
    """

    rows: Sequence[Sentence]
    facts: Callable[[Any], object]
    states: Callable[[], Iterable[Any]]
    oracles: Sequence[Callable[[Any], Expected]]

    def check(self) -> None:
        shown: list[set[bool]] = [set() for _ in self.rows]
        for state in self.states():
            facts = self.facts(state)
            for row, oracle, seen in zip(self.rows, self.oracles, shown, strict=True):
                expected, holds = oracle(state), bool(row.when(facts))
                seen.add(holds)
                assert holds == (expected is not None), (
                    f"{'shown' if holds else 'not shown'}: {row.text}\n{state}"
                )
                if expected is not None:
                    self._figures(row, row.of(facts), expected, state)
        for row, seen in zip(self.rows, shown, strict=True):
            assert True in seen, f"no state shows: {row.text}"
            assert row.when is always or False in seen, f"every state shows: {row.text}"

    @staticmethod
    def _figures(row: Sentence, text: str, expected: Mapping[str, object], state: object) -> None:
        names = re.findall(r"\{f\.([\w.\[\]]+)[^}]*\}", row.text)
        pattern = "(.+?)".join(map(re.escape, re.split(r"\{f\.[^}]+\}", row.text)))
        found = dict(zip(names, re.fullmatch(pattern, text, re.DOTALL).groups(), strict=True))
        assert found.keys() == expected.keys(), (
            f"figures without an oracle, or the reverse: {row.text}"
        )
        for name, value in expected.items():
            right = value(found[name]) if callable(value) else found[name] == value
            assert right, f"{name} is {found[name]!r}, not {value!r}: {text}\n{state}"


def texts(contracts: Iterable[Contract]) -> set[str]:
    """The texts of all rows, to see that none is missing."""
    return {row.text for contract in contracts for row in contract.rows}
