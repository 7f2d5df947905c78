"""Why do they differ? Backward against Jacobian, component by component, and which of the two is right.

intervals       95 % intervals for the lean to one side
verdict         what the study remembers about which gradient is right
study           the study of the discrepancy
drift           how far each running sum is from the exact one, operation by operation
component       all about one component: its values, the exact one, the replay, the drift, the flows
picks           which component to show first, which next, and the worst so far
drift_picture   how the sums of one component drift from the exact one, for the picture
bits            two results as bits, for a drawing
paths           the network and the paths of one component, for a drawing
drawing         the drawing of one component: bits, drift and paths
histogram       how many floats apart the results of all components are, as a table
rows            the first samples, number by number
sentences       what was found, in words
small_example   the drawing of the small example
rounding_units  how far off both are and how far apart, as a study of its own
variants        the study of variants of the experiment, with a tally for each comparison
zero_cases      where the difference must be zero
remedies        ways to make it go away, what each leaves, and what tolerances allow
scaling         how it grows with eps, dtype by dtype, and with width, depth and outputs
agreement       which methods agree with which
claims          what these show, in words
charts          the charts of all of these
"""
