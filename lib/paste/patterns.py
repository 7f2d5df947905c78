"""How numbers and what stands beside them are written: named regular expressions, from `patterns.toml`."""

import re
import tomllib
from functools import lru_cache
from pathlib import Path

_TABLE = tomllib.loads(Path(__file__).with_name("patterns.toml").read_text("utf-8"))


def _pattern(alternatives: list[str]) -> str:
    """Join alternatives, with the parts that are named in them put in."""
    return re.sub(r"(?<!P)<([a-z]+)>", lambda name: f"(?:{_pattern(_TABLE['parts'][name[1]])})", "|".join(alternatives))


def _compiled(part: str) -> dict[str, re.Pattern[str]]:
    return {name: re.compile(_pattern(row), re.IGNORECASE | re.MULTILINE) for name, row in _TABLE[part].items()}


def _any(rows: dict[str, list[str]]) -> str:
    return "|".join(map(_pattern, rows.values()))


_BEGINS = {
    "line": "^",
    "word": r"\b(?=[^\W\d])",
    "number": r"(?<![\w.])(?<!e[-+])(?=[-+−–.]?\d)",
    "sign": r"(?=[^\w\n])",
}
"""Most places of a text are the beginning of none, so that few alternatives are tried there."""


NUMBER = _pattern(_TABLE["parts"]["number"])
_FLAGS = re.IGNORECASE | re.MULTILINE
MARGINS = re.compile(_any(_TABLE["margins"]), _FLAGS)
NOISE = re.compile("|".join(f"{begin}(?:{_any(_TABLE['noise'][where])})" for where, begin in _BEGINS.items()), _FLAGS)
TEXT, CODE, LABEL, MESSAGE = map(_compiled, ("text", "code", "label", "message"))


@lru_cache(1 << 14)
def says(what: str, label: str) -> bool:
    """Whether a label says something: most labels of a long paste are the same."""
    return LABEL[what].search(label) is not None
