"""What visitors bring: a network or function of their own, compared from Python.

The modules, in reading order:

throughout  one dtype for every operation, whatever the network asks for
watch       what the runs show: the parameters, and where values or gradients get lost
refusal     why something cannot be compared
function    what was brought, as a function of what is differentiated
slope       the derivative along a direction, without automatic differentiation
evidence    runs of both ways: their results, also in float64 and with imitated rounding
difference  two results, component by component: equal, rounding, not rounding, or undecided
sentences   what was measured of them, in words
comparison  compare() and assert_same(), and their report
"""

from lib.own.comparison import assert_same, compare

__all__ = ["assert_same", "compare"]
