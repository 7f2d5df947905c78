"""What visitors bring: a network or function of their own, compared from Python or from a file.

The modules, in reading order:

refused       what is refused, in one sentence
copied        a deep copy of a network or function
state         the random numbers and the buffers that every evaluation starts from
wide          a network in another dtype, all of it
function      what was brought, as a function of what is differentiated
gradients     by backward() and by the Jacobian methods
slope         the derivative along a direction, without automatic differentiation
causes        detach(), no_grad(), custom backwards, training mode: looked for
pair          two results, component by component
verdict       rounding, not rounding, or undecided
part          two results with all that was found of them
sentences     what was found, in words
line_picture  the float line of one component
report        the answer: words, a table, a notebook's form
comparison    compare() and assert_same()
file          the network in a visitor's own file
"""

from typing import Any


def __getattr__(name: str) -> Any:
    """Load what PyTorch is needed for when it is asked for: `from lib.own import compare, assert_same`."""
    if name not in ("assert_same", "compare"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from lib.own import comparison

    return getattr(comparison, name)
