"""The exact gradient of a network, and how far rounding can drive two gradients apart.

balls              ball arithmetic, and the names of the verdicts
activation_base    the base class of activations; elementary functions in floats and in balls
activations        each activation in floats and in balls, and what the bounds need, with the proof
arb_gradient       the exact gradient and outputs in ball arithmetic, the terms of one component
layers             the layers as matrices, and samples as columns
float64_reference  the gradient and outputs in float64: fast, with an error bound
bounds             for gradients: the size of a rounding unit, and an a-priori bound
output_bounds      for outputs: the same two
flows              the path sum of one component, edge by edge
pair               two results side by side, how far apart they are, and how they were judged
judge              which of two results is closer, and how many rounding units apart they are
compared           both sides of comparisons on the same samples, judged
"""
