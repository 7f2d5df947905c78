"""The name of a former experiment says each choice that the present one does not share, and no other."""

from dataclasses import fields, replace

import pytest

from lib.experiment.changes import what_it_was
from lib.experiment.query import FIELDS, Experiment

PRESENT = Experiment()
OTHER = {
    "inputs": (7, "7 → 10 → 2"),
    "hidden": ((20, 3), "5 → 20 → 3 → 2"),
    "outputs": (1, "5 → 10 → 1"),
    "activation": ("tanh", "activation Tanh"),
    "output_activation": ("softmax", "output activation Softmax"),
    "dtype": ("float64", "dtype float64"),
    "device": ("cuda", "device CUDA"),
    "method": ("jacrev", "method func.jacrev"),
    "evaluation": ("batched", "evaluation batched"),
    "distribution": ("normal", "distribution normal"),
    "samples": (10_000, "samples 10,000"),
    "seed": (3, "seed 3"),
    "function": ("tanh", "function tanh"),
    "x_from": ("uniform", "x from uniform"),
    "networks": ("each-block", "networks one per block"),
    "matmul": ("tf32", "matmul TF32"),
    "step": (-9, "step -9"),
    "gradient": ("method", "gradient by the method"),
    "f": ("x**2*tanh(x)", "f x²·tanh(x)"),
    "df": ("2*x", "df 2·x"),
}


@pytest.mark.parametrize("field", FIELDS)
def test_one_change_is_named_by_what_the_former_experiment_was(field):
    value, name = OTHER[field]
    assert what_it_was(replace(PRESENT, **{field: value}), PRESENT) == name


def test_a_name_holds_three_choices_and_none_that_did_not_change():
    assert what_it_was(PRESENT, PRESENT) == ""
    assert what_it_was(PRESENT, replace(PRESENT, step=-9)) == "step as usual"
    shape_and_dtype = Experiment(inputs=7, hidden=(), outputs=1, dtype="float64", seed=2)
    assert what_it_was(shape_and_dtype, PRESENT) == "7 → 1, dtype float64, seed 2"
    every = Experiment(**{field.name: OTHER[field.name][0] for field in fields(Experiment)})
    assert what_it_was(every, PRESENT) == "7 → 20 → 3 → 1, activation Tanh, output activation Softmax, …"
