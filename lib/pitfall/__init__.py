"""Why are all rows the same? The Jacobian of a single call of grad, which silently becomes a sum.

fixes           the pitfall and its fixes, tried on one sample
graph           the pitfall's autograd graph as a diagram
errors          errors by their size
exact_rows      the exact rows of the Jacobian
merging         one sample as a picture of the paths that merge
study           the study: two populations of errors
populations     the two populations as a picture
opening         all that the tab's picture shows
head_sentences  the claim of the tab, and why in a line
card_sentences  the three cards
tables          the errors as tables
sentences       the errors in words, and why
costs           what the right rows cost: the time and memory of one Jacobian by each method
cost_tables     the costs as tables
cost_sentences  the costs in words
charts          charts of the errors and of the costs
"""
