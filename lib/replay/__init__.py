"""One component of both gradients, replayed operation by operation in the order in which this machine adds.

trees             the tree of a sum, its text and its operations
steps             adding along a tree: many sums at once, one step by step, or one by the nodes of its tree
reveal            the tree in which a function adds, revealed
kernels           the kernels that add, as functions of vectors and a matrix
orders            the orders of their entries, revealed, checked and kept; those of an experiment's layers
first_divergence  what both ways compute between the layers of a network, and the first operation at which they differ
replay            both evaluations of a component, verified against PyTorch's values
operations        a replay in words, as tables and as JSON
"""
