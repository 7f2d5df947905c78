"""Why does the batch change it? Each sample alone against the same sample as a row of a batch.

arrangements      what is compared, and what may matter about a batch besides its size
study             the study: every batch size
divergence        where two passes of one sample begin to differ
example           one component: the first sum that differs between alone and in a batch
find_example      which component to show
tree_picture      the two trees of a sum, and its roundings as steps
sentences         the verdict and the claim in words; what else matters, as a table
drawing           the drawing: one sum in two orders, and where both end
sizes             how many results change, by batch size
"""
