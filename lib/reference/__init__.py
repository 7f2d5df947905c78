"""The exact gradient of a network, and how far rounding can drive two gradients apart.

verdicts           which of two gradients is closer
balls              ball arithmetic: its precision, and functions of balls
activation_base    the base class of activations: what each has to state in numbers
activations        these numbers for each activation, with the proof of its constants
exact_terms        the terms of one component of the exact gradient
arb_gradient       the exact gradient and outputs in ball arithmetic
float64_reference  both in float64: fast, with an error bound
bounds             the yardstick for rounding errors, and an a-priori bound
output_bounds      the same for the outputs
flows              the path sum of one component, edge by edge
judge              which of two results is closer, by the reference, and their distance by the bound
compared           both sides of comparisons on the same samples, judged
"""
