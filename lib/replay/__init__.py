"""One component of both gradients, replayed operation by operation in the order in which this machine adds.

trees             the tree of a sum, its text and its operations
orders            named orders of addition
reveal            the tree in which a function adds, revealed
kernels           the order in which this machine's kernels add
layers            the same for the layers of an experiment, alone and in a batch
steps             a sum, one operation at a time
first_divergence  the first operation after which two evaluations differ
replay            both evaluations of a component, verified against PyTorch's values
drift             how far each running sum is from the exact partial sum
tables            a replay as tables
sentences         a replay in words
"""
