"""Fingerprints: the same in every process, compared sum by sum, and read from files that may hold anything."""

import hashlib
import json
from copy import deepcopy

import numpy as np
import pytest
import torch
from torch import nn

from lib.batch.conditions import SIZES
from lib.batch.fingerprint import fingerprint, subject
from lib.batch.fingerprint_differences import Fingerprint, FingerprintError, check_fits, differences
from lib.experiment.query import Experiment
from tests.known_orders import known

SMALL = Experiment(inputs=3, hidden=(4,), outputs=2)


@pytest.fixture(scope="module")
def figures() -> dict:
    found = json.loads(json.dumps(fingerprint(SMALL)))
    for row in found["orders"]:
        known(row["groups"], row["reason"])
    return found


def changed(figures: dict, change: dict, row: int = 0, group: int = 0) -> Fingerprint:
    other = deepcopy(figures)
    other["orders"][row]["groups"][group].update(change)
    return rehashed(other)


def rehashed(figures: dict) -> Fingerprint:
    """The hash as it is defined: of the activations and all that is known of the orders, but for the reasons."""
    rows = [[row[name] for name in ("batch", "layer", "direction", "terms", "groups")] for row in figures["orders"]]
    text = json.dumps([rows, figures["activations"]], sort_keys=True).encode()
    return Fingerprint.of(figures | {"hash": hashlib.sha256(text).hexdigest()[:8]})


def test_it_has_every_layer_direction_and_batch_size(figures):
    places = [(row["batch"], row["direction"], row["layer"]) for row in figures["orders"]]
    assert places == [(n, way, layer) for n in (None, *SIZES) for way in ("forward", "backward") for layer in (1, 2)]
    assert figures["environment"]["threads"] == 1 and len(figures["hash"]) == 8


def test_only_what_the_orders_and_the_activations_depend_on_is_in_its_query():
    chosen = Experiment(dtype="bfloat16", hidden=(3,), output_activation="tanh")
    other = Experiment(**chosen.to_dict() | {"seed": 3, "samples": 5, "method": "rows", "evaluation": "batched"})
    assert subject(other) == chosen


def test_the_bits_of_an_activation_are_those_of_vectors_of_every_length(figures):
    x = (np.arange(1024, dtype=np.float64) / 64 - 8).reshape(64, 16).T.astype(np.float32)
    values, slopes = hashlib.sha256(), hashlib.sha256()
    for length in range(1, 65):
        for vector in x:
            values.update(np.maximum(vector[:length], np.float32(0)).tobytes())
            slopes.update((vector[:length] > 0).astype(np.float32).tobytes())
    relu, sigmoid = figures["activations"]
    assert relu == {"activation": "relu", "values": values.hexdigest()[:8], "slopes": slopes.hexdigest()[:8]}
    assert sigmoid["activation"] == "sigmoid"


def test_one_bit_of_an_activation_shows(figures, monkeypatch):
    class Once(nn.Sigmoid):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            y = super().forward(x)
            return y + (1 - y.detach()) * 2**-20 if len(x) == 37 else y

    monkeypatch.setattr(
        "lib.batch.fingerprint.network.activation", lambda name: Once() if name == "sigmoid" else nn.ReLU()
    )
    here, there = Fingerprint.of(figures), Fingerprint.of(json.loads(json.dumps(fingerprint(SMALL))))
    found = differences(here, there)
    assert (found.same, found.orders, here.hash == there.hash) == (False, (), False)
    assert [(one.activation, one.values, one.slopes) for one in found.activations] == [("sigmoid", True, False)]


def test_a_fingerprint_is_the_same_as_itself(figures):
    here = Fingerprint.read(json.dumps(figures))
    assert differences(here, here).same is True


@pytest.mark.parametrize("change", [{"hash": "00000000"}, {"products": "other"}, {"tree": "(0 ·1)"}])
def test_whatever_of_an_order_differs_is_found(figures, change):
    here, there = Fingerprint.of(figures), changed(figures, change)
    (found,) = differences(here, there).orders
    group = figures["orders"][0]["groups"][0]
    assert found.place == (None, 1, "forward") and here.hash != there.hash
    assert [list(found.rows), list(found.columns)] == [group["rows"], group["columns"]]
    assert found.here.order == {name: group[name] for name in ("hash", "products", "tree")}
    assert found.there.order == found.here.order | change


def test_sums_are_compared_one_by_one(figures):
    """Where the groups are cut otherwise, only the sums differ whose order does."""
    row = next(i for i, row in enumerate(figures["orders"]) if (row["batch"], row["layer"]) == (4, 1))
    one = dict(figures["orders"][row]["groups"][0], rows=[0, 1, 2, 3], columns=[0, 1, 2, 3])
    other = one | {"hash": "00000000"}
    here, there = deepcopy(figures), deepcopy(figures)
    here["orders"][row]["groups"] = [one]
    there["orders"][row]["groups"] = [
        one | {"rows": [0, 1]},
        one | {"rows": [2, 3], "columns": [0, 1]},
        other | {"rows": [2, 3], "columns": [2, 3]},
    ]
    (found,) = differences(rehashed(here), rehashed(there)).orders
    assert (found.rows, found.columns, found.sums, found.of) == ((2, 3), (2, 3), 4, 16)


def test_what_is_not_revealed_on_one_side_differs_and_on_both_is_not_known(figures):
    less = deepcopy(figures)
    less["orders"][0].update(groups=[], reason="That would take too much time.")
    here, there = Fingerprint.of(figures), rehashed(less)
    (found,) = differences(here, there).orders
    assert (found.there, found.reason) == (None, "That would take too much time.")
    assert differences(there, here).orders[0].here is None
    assert differences(there, there).same is None


def test_a_device_without_orders_has_reasons_and_no_hash(figures):
    none = deepcopy(figures)
    for row in none["orders"]:
        row.update(groups=[], reason="Only orders of the CPU are revealed.")
    assert Fingerprint.read(json.dumps(none | {"hash": None})).hash is None
    with pytest.raises(FingerprintError, match="its hash"):
        Fingerprint.read(json.dumps(none))


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "JSON"),
        ("{", "JSON"),
        (b"\xff\x00", "JSON"),
        ("[" * 100_000, "JSON"),
        ("[1, 2]", "no fingerprint"),
        ('{"query": ""}', "no fingerprint"),
        ('{"format": 1, "orders": []}', "format 2"),
        ('{"format": 2, "orders": 3}', "missing"),
        ('{"format": 2, "orders": [{"batch": "4"}]}', "missing"),
    ],
)
def test_anything_else_is_refused_in_words(text, words):
    with pytest.raises(FingerprintError, match=words):
        Fingerprint.read(text)


@pytest.mark.parametrize(
    "part, value",
    [
        ("query", 5),
        ("query", "dtype=float8"),
        ("environment", [1]),
        ("settings", None),
        ("activations", [{"activation": "relu"}]),
        ("activations", 7),
    ],
)
def test_a_fingerprint_that_was_changed_is_refused(figures, part, value):
    with pytest.raises(FingerprintError, match="changed"):
        Fingerprint.read(json.dumps(figures | {part: value}))


def test_whatever_its_hash_names_cannot_be_changed(figures):
    changed = [deepcopy(figures) for _ in range(3)]
    changed[0]["hash"] = "00000000"
    changed[1]["activations"][1]["slopes"] = "00000000"
    changed[2]["orders"][-1]["groups"][0]["tree"] = "(0 1)"
    for other in changed:
        with pytest.raises(FingerprintError, match="its hash is not that of its orders and activations"):
            Fingerprint.read(json.dumps(other))


@pytest.mark.parametrize("query", ["dtype=float64", "hidden=11", "device=mps", "outputs=3"])
def test_a_fingerprint_of_other_sums_does_not_fit(figures, query):
    with pytest.raises(FingerprintError, match="another network"):
        check_fits(
            Experiment.parse(f"inputs=3&hidden=4&{query}" if "hidden" not in query else query), Fingerprint.of(figures)
        )


def test_one_of_other_batch_sizes_is_of_another_version(figures):
    less = deepcopy(figures)
    del less["orders"][-1]
    with pytest.raises(FingerprintError, match="version"):
        differences(Fingerprint.of(figures), rehashed(less))
