"""Is my derivative right? Derivatives by hand against autograd, and both against the exact one.

arithmetics        the arithmetic of tensors, in which expressions are evaluated
power_series       the exact value and derivative of any expression, in ball arithmetic
formulas           functions of one number, and their derivatives as written by hand
exact_derivatives  the derivative at one x in ball arithmetic, and its correct rounding
different          whether a formula by hand is another function than the derivative
certified          the reference for many x at once, and errors in ulps against it
axis               where errors lie along x, and bins of x
tally              what the study remembers: one tally for the curve, the tables and the JSON
study              the study: every formula at many x
curve              the errors over x as a picture
explanation        one x: the exact derivative, and where each formula ends; edges and kinks
line               the same as a picture: the float line
unsafe             functions whose gradient becomes NaN, infinite or wrong, and how to write them safely
tables             the errors and single points as tables
charts             the chart of the errors
sentences          the errors in words
"""
