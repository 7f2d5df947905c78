"""Which of two gradients is closer to the exact one: a verdict on a component."""

BACKWARD, JACOBIAN, TIE, UNDECIDED = range(4)

VERDICTS = ("backward", "jacobian", "tie", "undecided")
"""The names of the verdicts, in their order."""
