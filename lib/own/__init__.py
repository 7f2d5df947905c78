"""Compare the gradients of your own network, or of two of your own functions, from Python.

The modules, in reading order:

dtype_mode  a mode that runs every operation in one dtype, or imitates rounding
watch       a mode that notes parameters, calls that may cut a gradient, and the first NaN
refusal     the error for what cannot be compared
function    the network as a function of its input or its parameters
slope       the derivative along a direction, without automatic differentiation
evidence    runs of both ways: as they are, in float64, and with imitated rounding
difference  two results, component by component: equal, rounding, not rounding, or undecided
sentences   a difference in words
comparison  compare() and assert_same(), and their report
"""

from lib.own.comparison import assert_same, compare

__all__ = ["assert_same", "compare"]
