"""Floats: the float line, distances in ulps, exact and fused arithmetic, figures as texts.

exact_floats  formats, and the float line of single numbers, as integers and fractions
ulps          the float line of tensors: ordinals, ulp distances, binades, correct rounding
exact_arrays  sums without rounding, and a multiply-add that rounds once
quantities    figures as short texts
picture       the floats around an exact value, as data of a picture
sentences     sentences with conditions, the explanation of a section, a visitor's text quoted
outcome       whether a difference is rounding, cancellation or something else
verdict       the verdict on a difference, in words
charts        the colours, one meaning each, and what all charts share
"""
