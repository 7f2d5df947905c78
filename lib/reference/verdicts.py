"""The verdicts on a component: which of two gradients is closer to the exact one."""

BACKWARD, JACOBIAN, TIE, UNDECIDED = range(4)

VERDICTS = ("backward", "jacobian", "tie", "undecided")
"""The names of the verdicts, each at the index of its number."""
