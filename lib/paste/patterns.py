"""How numbers and what stands beside them are written: named regular expressions, from `patterns.toml`."""

import re
import tomllib
from pathlib import Path

_TABLE = tomllib.loads(Path(__file__).with_name("patterns.toml").read_text("utf-8"))


def _pattern(alternatives: list[str]) -> str:
    """Join alternatives, with the parts that are named in them put in."""
    return re.sub(r"<([a-z]+)>", lambda name: f"(?:{_pattern(_TABLE['parts'][name[1]])})", "|".join(alternatives))


def _compiled(part: str) -> dict[str, re.Pattern[str]]:
    return {name: re.compile(_pattern(row), re.IGNORECASE | re.MULTILINE) for name, row in _TABLE[part].items()}


def _together(part: str) -> re.Pattern[str]:
    return re.compile("|".join(_pattern(row) for row in _TABLE[part].values()), re.IGNORECASE | re.MULTILINE)


NUMBER = _pattern(_TABLE["parts"]["number"])
MARGINS, NOISE = _together("margins"), _together("noise")
CODE, LABEL, MESSAGE = _compiled("code"), _compiled("label"), _compiled("message")
