"""Is my derivative right? Derivatives by hand against autograd, and both against the exact one.

power_series    the exact value and derivative of any expression, in ball arithmetic
formulas        functions of one number, and their derivatives as written by hand, in PyTorch
certified       the derivative at one x, correctly rounded
counterexample  an x at which a formula is proved not to be the derivative
axis            the axis of x, and its bins
reference       the correctly rounded derivative at many x, and errors against it
tally           what the study remembers: one tally for the curve, the tables and the JSON
study           the study: every formula at many x
curve           the errors over x: a table and its chart
explanation     the derivatives at one x
drawing         the derivatives at one x on the float line and as bits
round_trips     whether 1/(1/x) is x again, in every dtype, and two formulas for −1/x²
unsafe          functions whose gradient becomes NaN, infinite or wrong, and safe ways to write them
tables          the errors, and the derivatives at one x, as tables
sentences       the errors in words
"""
