"""The exact gradient of a network, and how far rounding can drive two gradients apart.

verdicts           which of two gradients is closer
balls              the precision of ball arithmetic, and functions in it
activation         what an activation has to say of itself in numbers
activations        that of each activation, with the proof of its constants
arb_gradient       the exact gradient in ball arithmetic
float64_reference  the gradient in float64: fast, with an error bound
bounds             the yardstick of rounding errors, and an a-priori bound
"""
