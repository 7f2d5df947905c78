"""Why two results may differ, or what is wrong with one: the table of causes, the strongest evidence first.

The first that fits is the likely cause and gives the verdict. It fits the digits and is never proved by them. What
honest sums do, which is to round, comes before what mistakes do wherever both fit. When each fits, what is said of it,
what to do about it and where the page shows it stands in `causes.toml`.
"""

import tomllib
from dataclasses import dataclass
from enum import Enum
from operator import attrgetter
from pathlib import Path

from lib.paste.facts import Facts


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
    """A cause: its name, when it fits, what is said, the verdict or None if nothing is to be judged, code, links."""

    name: str
    when: str
    says: str
    verdict: Verdict | None
    do: str
    links: tuple[Link, ...]


_TABLE = tomllib.loads(Path(__file__).with_name("causes.toml").read_text("utf-8"))
_LINKS = {name: Link(**row) for name, row in _TABLE["links"].items()}


def _cause(name: str, when: str, says: str, verdict: str = "") -> Cause:
    remedy = _TABLE["remedies"][name]
    links = tuple(_LINKS[link] for link in remedy.get("links", ()))
    return Cause(name, when, says, Verdict[verdict] if verdict else None, remedy.get("do", ""), links)


CAUSES = {key: _cause(**row) for key, row in _TABLE["causes"].items()}


def likely_cause(facts: Facts) -> Cause:
    """Return the first cause that fits what was pasted."""
    return next((one for one in CAUSES.values() if _fits(one.when, facts)), CAUSES["words"])


def _fits(when: str, facts: Facts) -> bool:
    """Whether a condition holds: terms with `not`, `&` and `|`, of facts by name, of the kind, relation and words."""
    return any(all(_holds(term, facts) for term in terms.split(" & ")) for terms in when.split(" | "))


def _holds(term: str, facts: Facts) -> bool:
    what, _, rest = term.partition(" ")
    if what == "not":
        return not _holds(rest, facts)
    told = {"is": facts.name, "relation": facts.relation.name}
    return facts.says(rest) if what == "says" else told[what] == rest if rest else bool(attrgetter(term)(facts))
