"""What visitors bring: a network or function of their own, compared from Python.

The modules, in reading order:

refused     what is refused, in one sentence
function    what was brought, as a function of what is differentiated, in its own dtype or another
slope       the derivative along a direction, without automatic differentiation
difference  two results, component by component: equal, rounding, not rounding, or undecided
causes      detach(), no_grad(), custom backwards, training mode: looked for
report      the answer: words, a table, JSON
comparison  compare() and assert_same()
"""

from typing import Any


def __getattr__(name: str) -> Any:
    """Load what PyTorch is needed for when it is asked for: `from lib.own import compare, assert_same`."""
    if name not in ("assert_same", "compare"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from lib.own import comparison

    return getattr(comparison, name)
