"""One component of both gradients, replayed operation by operation in this machine's order.

trees             the tree of a sum, its text and its operations
steps             adding along a tree: many sums at once, or one sum step by step
reveal            the tree in which a function adds, revealed
kernels           the kernels that add, as functions of vectors and a matrix
orders            the orders of their entries, revealed, checked and kept
passes            the gradients between the layers, by both ways, and in which orders they add
first_divergence  the first operation at which the two ways differ
replay            both evaluations of a component, verified against PyTorch's values
operations        a replay as JSON
"""
