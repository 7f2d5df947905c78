"""One component of both gradients, operation by operation, in the order in which this machine adds.

orders            orders of addition by name
kernels           in which of them this machine adds, found by experiment
steps             a sum, one operation at a time
first_divergence  the first operation after which two evaluations differ
replay            both evaluations of a component, verified against PyTorch's values
tables            a replay to read
sentences         likewise, in words
"""
