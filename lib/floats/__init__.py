"""Floats: the float line and distances in ulps, exact and fused arithmetic; how figures are written and drawn.

exact_floats  the float line in whole numbers and fractions
line          ordinals, ulp distances, spacing, correct rounding
fma           a multiply-add that rounds once
exact_sum     a sum of floats without rounding
float_line    the floats around an exact value, as data of a picture
tolerances    how far apart PyTorch's checks let two numbers be
quantities    figures as short texts
markdown      a visitor's text in Markdown
sentences     sentences as rows: a text, and a condition
why           the form of every explanation: the reason, what to do, links
tables        tables with fixed columns and types
colours       the colours, one meaning each
charts        what all charts share
"""
