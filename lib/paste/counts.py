"""How many floats, in words, and how large the terms of a sum are that leave a difference when they cancel."""

from fractions import Fraction

from lib.display.quantities import counted, factor
from lib.floats.exact_floats import Format
from lib.paste.possible_floats import FEW, in_digits

ROUNDED = 10**7
"""From here on, counts are rounded to two digits."""


def floats(count: int) -> str:
    return "one float" if count == 1 else counted(count, "float")


def amount_of(count: int) -> str:
    """Write a number in full, or in two digits if that would be long."""
    return f"{count:,}" if count < ROUNDED else f"about {factor(count)}"


def if_terms_cancel(difference: Fraction, form: Format, otherwise: str) -> str:
    """Say how large the terms of a sum must be to leave a difference, a few of their ulps, and what else."""
    terms = difference / (FEW * form.eps)
    if terms > form.largest:
        return f"No rounding of {form.name} leaves that: {otherwise}."
    cancel = f"If terms of about {in_digits(terms, 2)} or more cancel there, rounding of {form.name} leaves that."
    return f"{cancel} If not, {otherwise}."
