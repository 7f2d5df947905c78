"""The network of an experiment and what differentiates it.

machine            what this machine is, and why it cannot run an experiment
machine_sentences  likewise, in words
timing             how long a call takes
seeds              the seeds of the random streams, for each purpose its own
network            the network, as torch has it
sampling           its random samples, block by block
jacobians          the backward gradient and the Jacobian methods
comparison         two ways to compute the same vector
sampled            what studies of a network share: they measure consecutive samples
"""
