"""Floats: the float line, distances in ulps, exact and fused arithmetic, figures as texts.

exact_floats  formats, and the float line in whole numbers and fractions
ulps          the same for whole tensors: ordinals, ulp distances, spacing, correct rounding
exact_arrays  sums without rounding, and a multiply-add that rounds once
quantities    figures as short texts
picture       the floats around an exact value, as data of a picture
sentences     sentences as rows, the explanation of a section, a visitor's text as typed
outcome       what the difference of two ways to compute the same numbers is
verdict       the one verdict on it, in words
charts        the colours, one meaning each, and what all charts share
"""
