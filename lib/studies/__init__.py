"""The studies: each measures samples of an experiment and turns what it measured into a tally."""
