"""Is my derivative right? Derivatives by hand against autograd, and both against the exact one.

arithmetics        the arithmetic of tensors, in which expressions are evaluated
power_series       the exact value and derivative of any expression, in ball arithmetic
formulas           functions of one number, and their derivatives as written by hand
exact_derivatives  the derivative at one x in ball arithmetic, and its correct rounding
different          whether a formula by hand is another function than the derivative
certified          the reference for many x at once, and errors in ulps against it
explanation        one x: the exact derivative, and where each formula ends
line               the same as a picture: the float line
axis               where errors lie along x, and bins of x
bins               bins of errors
by_x               what the study remembers of one way to compute the derivative, bin by bin of x
tally              what the study remembers
study              the study: every formula at many x
curve              the errors over x as a picture
opening_sentences  what the tab says in its first screen
points             single points: edges and kinks
saturation         where a computed derivative is 0 though the exact one is not
tables             the errors as tables
charts             charts of the errors
sentences          the errors in words
unsafe_spellings   functions whose gradient becomes NaN, infinite or wrong, each also in a safe spelling
unsafe_exact       their exact derivatives, in ball arithmetic
unsafe_points      the x at which they are looked at
unsafe_cases       the table of these functions: why each fails, and what helps
unsafe             both spellings, run and held against the exact derivative
unsafe_tables      what they give, as short texts and as a table
unsafe_sentences   what they give, in words
"""
