"""The exact gradient of a network, and how far rounding can drive two gradients apart.

balls              ball arithmetic: its precision, and exact numbers; the verdicts
activation         what an activation has in numbers; elementary functions in floats and in balls
activations        each activation in floats and in balls, and what the bounds need, with the proof
arb_gradient       the exact gradient and outputs in ball arithmetic, the terms of one component
layers             the layers as matrices, and samples as columns
float64_reference  both in float64: fast, with an error bound
bounds             the yardstick for rounding errors, and an a-priori bound, of gradients
output_bounds      the same of outputs
flows              the path sum of one component, edge by edge
pair               two results side by side, how far apart they are, and what is known of them
judge              which of two results is closer, and their distance by the bound
compared           both sides of comparisons on the same samples, judged
"""
