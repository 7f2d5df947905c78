"""Experiments that many tests use: combinations of shapes, activations, dtypes and methods."""

from lib.experiment.choices import DTYPES
from lib.experiment.methods import METHODS
from lib.experiment.query import PRESETS, Experiment

SHAPES = [
    Experiment(),
    Experiment(inputs=1, hidden=(), outputs=1, output_activation="identity"),
    Experiment(inputs=3, hidden=(4,), outputs=1, activation="tanh"),
    Experiment(inputs=4, hidden=(7, 5), outputs=3, activation="gelu", output_activation="softmax"),
    Experiment(
        inputs=7, hidden=(12,), outputs=9, activation="elu", output_activation="identity", seed=3
    ),
    Experiment(
        inputs=2,
        hidden=(33, 17, 5),
        outputs=4,
        activation="silu",
        output_activation="tanh",
        seed=2**31 - 1,
    ),
]
"""Networks of many shapes; the other fields are the defaults."""

EVERY_DTYPE = list(DTYPES)
EVERY_METHOD = list(METHODS)
REVERSE_MODE = ["functional", "functional-vectorized", "jacrev", "rows", "batched-grad", "copies"]
"""Methods whose Jacobian comes from the same kind of backward pass as the backward gradient."""

EXPERIMENTS = [
    *PRESETS.values(),
    Experiment(dtype="float64"),
    Experiment(dtype="bfloat16"),
    *SHAPES,
]
