"""One component of both gradients, replayed operation by operation in this machine's order.

trees             the tree of a sum, its text and its operations
steps             sums along a tree: many results at once, or one sum step by step
reveal            the tree in which a function adds, found from its results
kernels           PyTorch's kernels that add, as functions of vectors and a matrix
orders            the orders in which the kernels add, revealed, checked and cached
passes            the gradients between the layers by both ways, and their orders of addition
first_divergence  the first operation at which the two ways differ
replay            both evaluations of a component, verified against PyTorch's values
figures           a replay as JSON
"""
