"""Why are all rows the same? One call of grad for all rows of the Jacobian returns their sum.

exact_rows      the exact rows of the Jacobian
study           the study: two populations of errors
populations     the two populations as a chart
sentences       what the tab says
fixes           the pitfall and its fixes, tried on one sample
merging         one sample as a drawing of the paths that merge
costs           what one Jacobian costs by each method, in time
"""
