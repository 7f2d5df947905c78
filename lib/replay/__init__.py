"""One component of both gradients, replayed operation by operation in the order in which this machine adds.

trees             the tree of a sum, its text and its operations
steps             adding along a tree: many sums at once, or one operation at a time
reveal            the tree in which a function adds, revealed
kernels           the kernels that add, as functions of vectors and a matrix
groups            their entries, grouped by the order in which they are added
orders            the orders of kernels and of an experiment's layers, kept
passes            what both ways compute between the layers of a network
first_divergence  the first operation after which two evaluations differ
replay            both evaluations of a component, verified against PyTorch's values
drift             how far each running sum is from the exact partial sum
tables            a replay as tables
sentences         a replay in words
"""
