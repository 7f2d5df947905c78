"""Why are all rows the same? The Jacobian of a single call of grad, which silently becomes a sum.

fixes           the pitfall and its fixes, tried on one sample
exact_rows      the exact rows of the Jacobian
merging         one sample as a drawing of the paths that merge
study           the study: two populations of errors
populations     the two populations as a chart
sentences       what the tab says
costs           what the right rows cost: the time of one Jacobian by each method, drawn and said
"""
