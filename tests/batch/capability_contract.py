"""The contract of what is said of PyTorch's kernels for other CPU capabilities."""

from lib.batch.capabilities import Made, SideBySide
from lib.batch.capability_sentences import capabilities_claim
from lib.batch.fingerprint_differences import ActivationDifference, Differences, Fingerprint, OrderDifference, Place
from lib.experiment.query import Experiment
from tests.contract import Row, State, Subject, alone

ALONE = Place(None, 1, "forward")
ORDER = OrderDifference(ALONE, (0,), (1,), None, None, 2)
SIGMOID, TANH = (ActivationDifference(name, True, True) for name in ("sigmoid", "tanh"))


def made(capability: str, kernels: str) -> Made:
    """What the process with a capability made, with kernels for another one if it has none of these."""
    machine = {"cpu_capability": kernels}
    fingerprint = Fingerprint(Experiment(), "aaaaaaaa", {}, {}, {}, machine) if kernels else None
    return Made(capability, 1.0, fingerprint, "" if kernels else "this processor lacks its instructions")


NONE = Differences((), (), ())


def found(*others: tuple[str, Differences | None], own: str = "AVX512") -> SideBySide:
    kernels = [name for name, _ in others]
    makers = [made(name.lower() or "avx512", name) for name in [*kernels, own]]
    return SideBySide(own, tuple(makers), (*(differences for _, differences in others), NONE))


FOUND = {
    "all alike": found(("DEFAULT", NONE), ("AVX2", NONE)),
    "activations": found(("DEFAULT", Differences((), (SIGMOID, TANH), ())), ("AVX2", Differences((), (TANH,), ()))),
    "orders": found(("DEFAULT", Differences((ORDER,), (SIGMOID,), ())), ("AVX2", NONE)),
    "orders alone": found(("DEFAULT", Differences((ORDER,), (), ())), ("AVX2", Differences((ORDER,), (), ()))),
    "not known": found(("DEFAULT", NONE), ("AVX2", Differences((), (), (ALONE,)))),
    "lacks it": found(("", None), ("DEFAULT", NONE), own="AVX2"),
    "only its own": found(("", None), ("NEON", NONE), own="NEON"),
    "none": SideBySide("AVX512", (made("default", ""),), (None,)),
}


def others(f: SideBySide) -> list[tuple[str, Differences]]:
    names = [one.fingerprint.machine["cpu_capability"] if one.fingerprint else "" for one in f.made]
    return [(name, one) for name, one in zip(names, f.differences, strict=True) if one and name != f.own]


def names(text: str) -> set[str]:
    return {*text.replace(" and ", ", ").split(", ")}


def with_orders(f: SideBySide) -> set[str]:
    return {name for name, one in others(f) if one.orders}


def leaves(s: State) -> bool:
    return (
        not with_orders(s.f)
        and bool(others(s.f))
        and s.m["word"] == s.f.own
        and names(s.m["any"]) == {name for name, _ in others(s.f)}
    )


def unknown(s: State) -> bool:
    return any(one.unrevealed for _, one in others(s.f))


def changed(f: SideBySide) -> set[str]:
    return {one.activation for _, differences in others(f) for one in differences.activations}


CLAIM = [
    Row(
        "On this machine, the kernels for {word} cannot be compared with others.",
        lambda s: not others(s.f) and s.m["word"] == s.f.own,
    ),
    Row(
        "PyTorch's kernels for {any} add some sums in another order than those for {word} here.",
        lambda s: bool(with_orders(s.f)) and names(s.m["any"]) == with_orders(s.f) and s.m["word"] == s.f.own,
    ),
    Row(
        "PyTorch's kernels for {any} leave every sum in the order that it has here, with those for {word}.",
        lambda s: leaves(s) and not unknown(s),
    ),
    Row(
        "PyTorch's kernels for {any} leave every sum whose order is revealed in the order that it has here, with those "
        "for {word}.",
        lambda s: leaves(s) and unknown(s),
    ),
    Row(
        "Kernels for {any} change bits of {any2}.",
        lambda s: (
            names(s.m["any"]) == {name for name, one in others(s.f) if one.activations}
            and bool(changed(s.f))
            and names(s.m["any2"]) == changed(s.f)
        ),
    ),
    Row("No activation has other bits at the x tried.", lambda s: bool(others(s.f)) and not changed(s.f)),
]

SUBJECTS = [Subject(capabilities_claim, CLAIM, alone(FOUND))]
