"""What visitors bring: a network or function of their own, compared from Python.

The modules, in reading order:

throughout  one dtype for every operation, whatever the network asks for
watch       what the runs show: the parameters, and where values or gradients get lost
refusal     why something cannot be compared
function    what was brought, as a function of what is differentiated
slope       the derivative along a direction, without automatic differentiation
evidence    what is measured of two ways before their results are judged
difference  two results, component by component: equal, rounding, not rounding, or undecided
sentences   what was measured of them, in words
comparison  compare() and assert_same(), and their report
"""

from typing import Any


def __getattr__(name: str) -> Any:
    """Load PyTorch only when it is needed: `from lib.own import compare, assert_same`."""
    if name not in ("assert_same", "compare"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from lib.own import comparison

    return getattr(comparison, name)
