"""Why do they differ? Backward against Jacobian, component by component, and which one is right.

intervals       95 % intervals for the lean to one side
accuracy        what the study remembers about which gradient is right
study           the study of the discrepancy
running_sums    how far each running sum is from the exact one, operation by operation
component       all about one component: its values, the exact one, the replay, the drift, the flows
picks           which component to show first, and which next
bits            two results as bits, for a drawing
ends            the float line on which the running sums end, for a drawing
drift           the running sums of one component, for a drawing
paths           the network and the paths of one component, for a drawing
drawing         the drawing of one component: bits, running sums and paths
histogram       how many floats apart the results of all components are, as a table
rows            the first samples, number by number
state           what a tally has measured, and what is known of the method
sentences       what the tab says
small_example   the drawing of the small example
rounding_units  how far off both are and how far apart, as a study of its own
variants        the studies of variants of the experiment, with a tally for each comparison
remedies        remedies for the discrepancy, and what each leaves of it
ladder          whether the discrepancy shrinks with eps, dtype by dtype
agreement       which methods agree with which
charts          the charts of the histogram and of the rounding units
"""
