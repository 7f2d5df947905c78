"""The exact gradient of a network, and how far rounding can drive two gradients apart.

verdicts           which of two gradients is closer
balls              the precision of ball arithmetic, and functions in it
activations        everything numeric about each activation
arb_gradient       the exact gradient in ball arithmetic
float64_reference  the gradient in float64: fast, with an error bound
bounds             the yardstick of rounding errors, and an a-priori bound
"""
