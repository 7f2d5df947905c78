"""The three verdicts on a difference, whatever was brought: large on the page, and one field of the JSON."""

from enum import Enum


class Verdict(Enum):
    """What a difference is. Its value is what the page writes."""

    ROUNDING = "Rounding"
    NOT_ROUNDING = "Not rounding: look for this"
    MORE_DIGITS = "Print more digits"
