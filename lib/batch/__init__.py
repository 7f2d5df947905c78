"""Why does the batch change it? Each sample alone against the same sample as a row of a batch.

arrangements      what is compared, and what may matter about a batch besides its size
study             the study: every batch size
example           one component: the sum where alone and in a batch differ, in both orders
find_example      which component to show
tree_picture      the tree of a sum as a picture
findings          what was found: the state for the verdict, in words, what else matters as a table
drawing           the drawing: one sum in two orders, and where both end
sizes             how many results change, by batch size
"""
