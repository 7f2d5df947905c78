"""The exact gradient of a network, its float64 reference, and how far rounding can drive two gradients apart.

balls              the precision of ball arithmetic, and functions in it
activations        everything numeric about each activation
arb_gradient       the exact gradient of a network in ball arithmetic
float64_reference  its fast float64 reference, with an error bound
bounds             the yardstick of rounding errors, and an a-priori bound
"""
