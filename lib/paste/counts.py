"""How many floats, in words."""

from lib.display.quantities import counted, factor

ROUNDED = 10**7
"""From here on, counts are rounded to two digits."""


def floats(count: int) -> str:
    return "one float" if count == 1 else counted(count, "float")


def amount_of(count: int) -> str:
    """Write a number in full, or in two digits if that would be long."""
    return f"{count:,}" if count < ROUNDED else f"about {factor(count)}"
