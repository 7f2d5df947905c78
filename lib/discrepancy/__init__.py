"""Why do they differ? Backward against Jacobian, component by component, and which of the two is right.

judge                both gradients against the reference and the bound
compared             both sides of comparisons, on the same samples
intervals            95 % intervals for the lean to one side
verdict              what the study remembers about who is right
study                the study of the discrepancy
tables               the discrepancy as tables
sentences            what was found, and why, in words
condition_sentences  why some components are so many ulps apart, in words
verdict_tables       who is right, as tables
verdict_sentences    who is right, in words
charts               charts of the discrepancy and of the verdict
"""
