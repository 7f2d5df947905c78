"""What unsafe and safe spellings give, as short texts and as a table to read."""

from collections.abc import Iterable, Sequence

import torch

from lib.derivative.unsafe import BAD, Result
from lib.display.markdown import plain
from lib.display.quantities import minus
from lib.floats.line import shortest

NONE = "none"
"""What stands for a component that does not exist."""


def mark(result: Result) -> str:
    """The sign of how good a result is, which says it without colour."""
    return "✗" if result.kind in BAD else "○" if result.kind == "choice" else "✓"


def given(result: Result, dtype: str) -> str:
    """What came out, or what PyTorch said when it refused, in Markdown."""
    if result.kind == "fault":
        return plain(result.fault)
    return arranged([number(value, dtype) for value in result.computed])


def exactly(result: Result) -> str:
    """The exact derivative."""
    return arranged([NONE if one is None else signed(one) for one in result.exact])


def vector(values: Iterable[float], dtype: str) -> str:
    """An x."""
    return arranged([number(value, dtype) for value in values])


def number(value: float, dtype: str) -> str:
    return signed(shortest(value, getattr(torch, dtype)))


def signed(text: str) -> str:
    """Write the sign of a number, but not that of its exponent, as a true minus."""
    return minus(text[:1]) + text[1:]


def arranged(texts: Sequence[str]) -> str:
    """Write one component as a number, two as a vector, four as a matrix, row by row."""
    match texts:
        case [alone]:
            return alone
        case [one, other]:
            return f"({one}, {other})"
        case [a, b, c, d]:
            return f"[[{a}, {b}], [{c}, {d}]]"
    raise ValueError(f"{len(texts)} components are no number, no vector and no matrix of two dimensions")
