"""The network of an experiment, its samples, and the methods that differentiate it.

machine        this machine, and whether it can run an experiment
seeds          the seeds of the random streams, separate for each purpose
network        the network as a torch module
sampling       its random samples, block by block
jacobians      the backward gradient and the Jacobian methods
comparison     two ways to compute the same vector
sampled_study  the base of the studies that measure consecutive samples
timing         how long a call takes
"""
