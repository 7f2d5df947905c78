"""One component of both gradients, replayed operation by operation in the order in which this machine adds.

orders            named orders of addition
kernels           which of these orders this machine uses, found by trial
steps             a sum, one operation at a time
first_divergence  the first operation after which two evaluations differ
replay            both evaluations of a component, verified against PyTorch's values
drift             how far each running sum is from the exact partial sum
tables            a replay as tables
sentences         a replay in words
"""
