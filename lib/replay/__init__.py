"""One component of both gradients, replayed operation by operation in the order in which this machine adds.

trees             the tree of a sum, its text and its operations
orders            named orders of addition
reveal            the tree in which a function adds, revealed
kernels           the kernels that add, as functions of vectors and a matrix
groups            their entries, grouped by the order in which they are added
layers            the orders of an experiment's layers, alone and in a batch
named             the order of one row, by its name if it has one
passes            what both ways compute between the layers of a network
steps             a sum, one operation at a time
first_divergence  the first operation after which two evaluations differ
replay            both evaluations of a component, verified against PyTorch's values
drift             how far each running sum is from the exact partial sum
tables            a replay as tables
sentences         a replay in words
"""
