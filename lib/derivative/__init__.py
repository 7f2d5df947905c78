"""Is my derivative right? Derivatives by hand against autograd, and both against the exact one.

expressions        formulas as text, read as trees
arithmetics        tensors and balls, in which they are evaluated
formulas           functions of one number, and their derivatives as written by hand
exact_derivatives  the derivative at one x in ball arithmetic, and its correct rounding
certified          the reference of many x at once, and errors in ulps against it
bins               bins of x
tally              what the study remembers
study              every formula at many x
points             single x: round trips, edges and kinks
saturation         where a derivative is 0 that is not
tables             the tables
charts             the charts
sentences          the figures in words
"""
