"""Why do they differ? Backward against Jacobian, component by component, and which of the two is right.

intervals          95 % intervals for the lean to one side
verdict            what the study remembers about which gradient is right
study              the study of the discrepancy
drift              how far each running sum is from the exact one, operation by operation
component          all about one component: its values, the exact one, the replay, the drift, the flows
picks              which component to show first, which next, and the worst so far
running_sums       how the sums of one component drift from the exact one, for the picture
bits               two results as a picture of their bits
small_example      the small example that plays
paths              the network and the paths of the component, for the picture
sentences          what was found, in words
frequencies        how many floats apart all components are, for the picture, and how that settles
opening            the opening picture as a whole
closer             which gradient is closer, as a chart
rounding_units     how far off both are and how far apart, as a study of its own and a chart
named_comparisons  the study of named comparisons, under variants of the experiment, with one tally for each
named_tables       them as a table to read, and as points of a chart
zero_cases         where the difference must be zero
remedies           ways to make it go away, what each leaves, and what tolerances allow
ladder             the discrepancy in every dtype
scaling            how it grows with width, depth and outputs
agreement          which methods agree with which
named_charts       charts of all of these
named_sentences    all of these in words
"""
