"""Why two results may differ, or what is wrong with one: when each cause fits, the strongest evidence first.

The first that fits is the likely cause and gives the verdict. It fits the digits and is never proved by them. What
honest sums do, which is to round, comes before what mistakes do wherever both fit. What is said of a cause, what to do
about it and where the page shows it stands in `causes.toml`.
"""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from lib.experiment.choices import complete
from lib.floats.exact_floats import FORMATS
from lib.paste.facts import LONG_SUM, Facts
from lib.paste.floats_of import FEW


class Verdict(Enum):
    """What a difference is. Its value is what the page writes."""

    ROUNDING = "Rounding"
    NOT_ROUNDING = "Not rounding: look for this"
    MORE_DIGITS = "Print more digits"


@dataclass(frozen=True)
class Link:
    """A way to what shows a cause: its words, the study whose tab it is in, and the key of its section, or ""."""

    words: str
    study: str
    section: str = ""


@dataclass(frozen=True)
class Cause:
    """A cause: its name, what is said, the verdict or None where nothing is to be judged, a line of code, links."""

    name: str
    says: str
    verdict: Verdict | None
    do: str
    links: tuple[Link, ...]


def _single(f: Facts) -> bool:
    return f.pairs is not None and len(f.pairs) == 1


def _unclear(f: Facts) -> bool:
    """Whether numbers that nothing makes the sides of a comparison are far apart, or are several."""
    least = 0.9 if _single(f) and not f.whole else 0.1
    return f.unset and f.typical > least or f.name == "numbers" and len(f.kind.numbers) > 1


def _saturates(f: Facts) -> bool:
    """Whether 0 stands beside what is left of 1 − y, or, where words or a single number say so, of a sum to be 0."""
    return f.relation.name == "zero" and f.difference[1] <= (FEW if f.says("cancels") or _single(f) else 1) * f.eps


WHEN: dict[str, Callable[[Facts], object]] = {
    # messages that name their cause
    "detached": lambda f: f.says("detached"),
    "shapes_message": lambda f: f.says("shapes"),
    "graph": lambda f: f.says("graph") or f.name == "message" and f.says("error"),
    "nondeterministic_far": lambda f: f.says("nondeterministic") and f.says("coarse"),
    "nondeterministic": lambda f: f.says("nondeterministic"),
    "told_few": lambda f: 0 < f.told_floats <= LONG_SUM,
    "told_many": lambda f: f.told_floats,
    # shapes
    "shapes_differ": lambda f: f.name == "shape" and len(set(f.kind.shapes)) > 1,
    "shape": lambda f: f.name == "shape",
    # what no digits are needed for
    "nan": lambda f: f.nan or f.says("nan"),
    "infinity": lambda f: f.infinite,
    "zeros": lambda f: f.zeros,
    # one matrix
    "equal_lines": lambda f: f.equal_lines,
    "blocks": lambda f: f.blocks > 1,
    "zero_rows": lambda f: f.zero_rows,
    "one_row": lambda f: f.rows == 1,
    "symmetric": lambda f: f.symmetric,
    "jacobian": lambda f: f.name == "jacobian",
    # two that do not match in shape
    "summed": lambda f: f.name == "unequal" and "over rows" in f.relation.name,
    "unequal": lambda f: f.name == "unequal",
    # two values, their differences, or what a message tells of these
    "cut": lambda f: f.cut,
    "equal": lambda f: f.equal and (f.alike or not f.pairs),
    "same_floats": lambda f: f.equal,
    "few": lambda f: f.few,
    "stalled": lambda f: f.stalled,
    "kink": lambda f: f.kink and f.relation.factor >= 0,
    "factor": lambda f: f.relation.factor,
    "sign": lambda f: f.relation.name == "sign" and not f.rounding,
    "transposed": lambda f: f.relation.name == "transposed" and not f.rounding,
    "permuted": lambda f: f.relation.name == "permuted" and not f.rounding,
    "rows_summed": lambda f: f.relation.name == "sum over rows" and not f.rounding,
    "finite_difference": lambda f: 0 < f.relative[1] <= f.step_error and f.says("numerical"),
    "float32": lambda f: FORMATS["float32"] in (f.narrower, f.about),
    "narrower": lambda f: f.narrower or f.narrow_name and f.says("narrow") and not f.rounding,
    "outlier": lambda f: f.outlier,
    "rounding": lambda f: f.rounding and not f.alone,
    "rounding_alone": lambda f: f.rounding,
    "alone": lambda f: f.alone or f.name == "message" and f.cancelled,
    "residues": lambda f: f.cancelled and f.relation.name != "zero",
    "saturation": _saturates,
    "open": lambda f: f.open,
    "unclear": _unclear,
    "zero": lambda f: f.relation.name == "zero",
    "drift": lambda f: f.drift and f.says("training"),
    "another_function": lambda f: f.difference[1],
    # no difference
    "numbers": lambda f: len(f.kind.numbers),
    "no_numbers": lambda f: f.name == "message",
    "words": lambda f: True,
}
"""When each cause fits; the last one always does."""

_TABLE = tomllib.loads(Path(__file__).with_name("causes.toml").read_text("utf-8"))
_LINKS = {name: Link(**row) for name, row in _TABLE["links"].items()}


def _cause(name: str, says: str, verdict: str = "") -> Cause:
    remedy = _TABLE["remedies"][name]
    links = tuple(_LINKS[link] for link in remedy.get("links", ()))
    return Cause(name, says, Verdict[verdict] if verdict else None, remedy.get("do", ""), links)


CAUSES = {key: _cause(**row) for key, row in complete("cause", WHEN, _TABLE["causes"]).items()}


def likely_cause(facts: Facts) -> Cause:
    """Return the first cause that fits what was pasted."""
    return next(CAUSES[key] for key, fits in WHEN.items() if fits(facts))
