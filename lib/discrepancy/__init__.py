"""Why do they differ? Backward against Jacobian, component by component, and which of the two is right.

intervals            95 % intervals for the lean to one side
verdict              what the study remembers about which gradient is right
example              all about one component: its values, the exact one, the replay, the drift, the flows
study                the study of the discrepancy
examples             which component to show first, and which next
tables               the discrepancy as tables
two_results          the two results of one component, for the picture
drift_axis           the float line on which their running sums end, for the picture
drawn_operations     the operations of both sums that are drawn, for the picture
running_sums         how the sums drift from the exact one, for the picture
paths                the network and the paths of the component, for the picture
frequencies          how many floats apart all components are, for the picture
opening              the opening picture as a whole
picks                the component that a bar, a cell or a row stands for
head_sentences       the claim and the line of why at the head of the page
sentences            what was found, and why, in words
condition_sentences  why some components are many ulps apart, in words
example_sentences    where the two values of an example end, in words
verdict_tables       which gradient is right, as tables
verdict_sentences    which gradient is right, in words
card_sentences       the three cards below the picture
charts               charts of the discrepancy and of the verdict
"""
