"""Floats: the float line and distances in ulps, exact and fused arithmetic, tolerances.

exact_floats  the float line in whole numbers and fractions
line          ordinals, ulp distances, spacing, correct rounding
fma           a multiply-add that rounds once
exact_sum     a sum of floats without rounding
float_line    the floats around an exact value, as data of a picture
tolerances    how far apart PyTorch's checks let two numbers be
"""
