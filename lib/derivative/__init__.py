"""Is my derivative right? Derivatives by hand against autograd, and both against the exact one.

expressions        formulas as text, parsed into trees
arithmetics        tensors and balls, in which expressions are evaluated
formulas           functions of one number, and their derivatives as written by hand
exact_derivatives  the derivative at one x in ball arithmetic, and its correct rounding
certified          the reference for many x at once, and errors in ulps against it
bins               bins of x and of errors
tally              what the study remembers
study              the study: every formula at many x
points             single x: round trips, edges and kinks
saturation         where a computed derivative is 0 though the exact one is not
tables             the errors as tables
charts             charts of the errors
sentences          the errors in words
"""
