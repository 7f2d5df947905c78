"""Why do they differ? Backward against Jacobian, component by component, and which of the two is right.

intervals            95 % intervals for the lean to one side
judge                both gradients against the reference and the bound
verdict              what the study remembers of who is right
compared             both sides of comparisons, on the same samples
study                the discrepancy
tables               its tables
sentences            the claim, what it is of, and why, in words
condition_sentences  why some are so many ulps apart, in words
verdict_tables       who is right, as tables
charts               both as charts
verdict_sentences    likewise, in words
"""
