"""Why are all rows the same? The Jacobian of a single call of grad, which silently becomes a sum.

fixes           the pitfall and its fixes, tried on one sample
graph           its autograd graph as a diagram
study           its two populations of errors
tables          its tables
sentences       its figures in words, and why
costs           time and memory of one Jacobian by each method
cost_tables     the costs as tables
charts          both as charts
cost_sentences  the costs in words
"""
