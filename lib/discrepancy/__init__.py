"""Why do they differ? Backward against Jacobian, component by component, and which of the two is right.

intervals     95 % intervals for the lean to one side
verdict       what the study remembers about which gradient is right
study         the study of the discrepancy
component     all about one component: its values, the exact one, the replay, the drift, the flows
picks         which component to show first, which next, and the worst so far
running_sums  how the sums of one component drift from the exact one, for the picture
paths         the network and the paths of the component, for the picture
frequencies   how many floats apart all components are, for the picture
opening       the opening picture as a whole
sentences     what was found, in words
tables        which gradient is right, as tables
charts        charts of these tables
"""
