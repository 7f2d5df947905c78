"""The network of an experiment, its samples, and what differentiates it.

machine            what this machine is, and whether it can run an experiment
seeds              the seeds of the random streams, each purpose with its own
network            the network, as torch has it
sampling           its random samples, block by block
jacobians          the backward gradient and the Jacobian methods
comparison         two ways to compute the same vector
sampled_study      the base of the studies that measure consecutive samples
timing             how long a call takes
machine_sentences  the machine in one line
method_sentences   what a method gives compared with the backward gradient, in words
"""
