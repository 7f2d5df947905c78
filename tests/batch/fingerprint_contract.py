"""The contract of what is said of the differences between two fingerprints."""

from lib.batch.fingerprint_differences import ActivationDifference, Group, OrderDifference, Place
from lib.batch.fingerprint_sentences import activation_difference, order_difference, place_of
from tests.contract import Row, State, Subject, alone

ALONE, BATCH = Place(None, 1, "forward"), Place(4, 2, "backward")
HERE = Group((0, 2), (0, 1, 2), "aaaaaaaa", "fused", "((0 ·1) ·2)")
OTHER = HERE._replace(hash="bbbbbbbb", tree="(0 (1 ·2))", products="some fused")

ORDERS = {
    "another order": OrderDifference(BATCH, (0, 2), (1, 2), HERE, OTHER, 12),
    "alone": OrderDifference(ALONE, (0,), (1, 2), HERE, OTHER, 1200),
    "products": OrderDifference(BATCH, (0,), (1, 2), HERE, HERE._replace(products="rounded", tree="((0 1) 2)"), 12),
    "rounded within": OrderDifference(BATCH, (0,), (1,), HERE, HERE._replace(tree="(~(0 1) 2)"), 12),
    "only here": OrderDifference(BATCH, (0, 2), (1,), HERE, None, 12, "That would take too much time."),
    "only there": OrderDifference(BATCH, (0, 2), (1,), None, OTHER, 12, "That would take too much time."),
}
ACTIVATIONS = {
    "both": ActivationDifference("sigmoid", True, True),
    "values": ActivationDifference("gelu", True, False),
    "slopes": ActivationDifference("tanh", False, True),
}


def placed(s: State) -> bool:
    """The layer, the direction and the batch are those of the place."""
    said = (s.number("k"), s.m["word"], s.number("x") if "x" in s.m else None)
    place = s.f.place if isinstance(s.f, OrderDifference) else s.f
    return said == (place.layer, place.direction, place.batch)


def counted(s: State) -> bool:
    return placed(s) and (s.number("n"), s.number("n2")) == (len(s.f.rows) * len(s.f.columns), s.f.of)


def both(s: State, name: str) -> bool:
    return bool(s.f.here and s.f.there) and (s.m["any"], s.m["any2"]) == tuple(
        getattr(side, name) for side in (s.f.here, s.f.there)
    )


def same(s: State, *names: str) -> bool:
    return bool(s.f.here and s.f.there) and all(getattr(s.f.here, name) == getattr(s.f.there, name) for name in names)


WHERE = ["Layer {k}, {word}, alone", "Layer {k}, {word}, in a batch of {x}"]
SUMS = [f"{where}: {{n}} of {{n2}} sums" for where in WHERE]

ORDER = [
    *(
        Row(
            f"{sums} are added in another order, {{any}} here and {{any2}} there.",
            lambda s: counted(s) and both(s, "hash") and not same(s, "hash"),
        )
        for sums in SUMS
    ),
    Row(
        f"{SUMS[1]} are added in the same order, but products are {{any}} here and {{any2}} there.",
        lambda s: counted(s) and same(s, "hash") and both(s, "products") and not same(s, "products"),
    ),
    Row(
        f"{SUMS[1]} are added in the same order, but other numbers within them are rounded.",
        lambda s: counted(s) and same(s, "hash", "products"),
    ),
    Row(f"{SUMS[1]} have an order that is revealed only here.", lambda s: counted(s) and s.f.there is None),
    Row(f"{SUMS[1]} have an order that is revealed only there.", lambda s: counted(s) and s.f.here is None),
]


def named(s: State) -> bool:
    return s.m["word"] == s.f.activation


ACTIVATION = [
    Row("{word} has other values and slopes there, at the same x.", lambda s: named(s) and s.f.values and s.f.slopes),
    Row("{word} has other values there, at the same x.", lambda s: named(s) and not s.f.slopes),
    Row("{word} has other slopes there, at the same x.", lambda s: named(s) and not s.f.values),
]

SUBJECTS = [
    Subject(order_difference, ORDER, alone(ORDERS)),
    Subject(activation_difference, ACTIVATION, alone(ACTIVATIONS)),
    Subject(place_of, [Row(where, placed) for where in WHERE], alone({"alone": ALONE, "batch": BATCH})),
]
