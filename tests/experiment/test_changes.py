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
    "activation": ("tanh", "Tanh"),
    "output_activation": ("softmax", "Softmax at the output"),
    "dtype": ("float64", "float64"),
    "device": ("cuda", "CUDA"),
    "method": ("jacrev", "func.jacrev"),
    "evaluation": ("batched", "batched"),
    "distribution": ("normal", "normal inputs"),
    "samples": (10_000, "10,000 samples"),
    "seed": (3, "seed 3"),
    "function": ("tanh", "tanh"),
    "x_from": ("uniform", "uniform x"),
    "networks": ("each-block", "networks: one per block"),
    "matmul": ("tf32", "matrix products: TF32"),
    "step": (-9, "step 2^-9"),
    "gradient": ("method", "gradient: by the method"),
    "f": ("x**2*tanh(x)", "x²·tanh(x)"),
    "df": ("2*x", "f′ = 2·x"),
}


@pytest.mark.parametrize("field", FIELDS)
def test_one_change_is_named_by_what_the_former_experiment_was(field):
    value, name = OTHER[field]
    assert what_it_was(replace(PRESENT, **{field: value}), PRESENT) == name


def test_what_did_not_change_is_not_named():
    assert what_it_was(PRESENT, PRESENT) == ""
    former = replace(PRESENT, dtype="bfloat16", seed=1)
    assert what_it_was(former, replace(former, dtype="float16")) == "bfloat16"


def test_a_name_holds_three_choices():
    shape_and_dtype = Experiment(inputs=7, hidden=(), outputs=1, dtype="float64", seed=2)
    assert what_it_was(shape_and_dtype, PRESENT) == "7 → 1, float64, seed 2"
    every = Experiment(**{field.name: OTHER[field.name][0] for field in fields(Experiment)})
    assert what_it_was(every, PRESENT) == "7 → 20 → 3 → 1, Tanh, Softmax at the output, …"


def test_a_step_that_was_left_open_and_a_single_sample_have_words_of_their_own():
    assert what_it_was(PRESENT, replace(PRESENT, step=-9)) == "the usual step"
    assert what_it_was(replace(PRESENT, samples=1), PRESENT) == "1 sample"
