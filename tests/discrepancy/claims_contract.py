"""The contract of what is claimed of the named comparisons, over tallies made by hand."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import combinations

from lib.discrepancy.agreement import AgreementTally
from lib.discrepancy.claims import CLAIMS
from lib.discrepancy.variants import ComparisonTally, VariantsTally
from lib.experiment.choices import DTYPES
from lib.experiment.methods import METHODS
from lib.run.tally import ByName, Extreme
from tests.sentences import Contract, Expected

Found = Mapping[str, tuple[int, int, float]]
"""By the name of a comparison: finite components, equal components, and the largest difference, in whatever unit."""

ZERO_CASES = (
    "one-output, functional",
    "one-output, rows",
    "whole-numbers, jacrev",
    "summed-output, summed-output",
)
REMEDIES = ("summed-output", "rows-in-order", "rows-summed", "float64")
NUMBERS = [(50, 50, 0.0), (50, 30, 3e-8), (0, 0, 0.0)]


def tally(found: Found) -> VariantsTally:
    each = {
        name: ComparisonTally(
            samples=10,
            finite=finite,
            equal=equal,
            nonfinite=50 - finite,
            max_abs=Extreme(size),
            max_units=Extreme(size),
        )
        for name, (finite, equal, size) in found.items()
    }
    return VariantsTally(ByName(each), 10 * bool(each))


def states(names: tuple[str, ...]) -> Iterator[Found]:
    """Nothing yet, and every kind of number in every place beside every other."""
    yield {}
    for first in NUMBERS:
        for others in NUMBERS:
            yield {name: others for name in names} | {names[0]: first}


def waiting(found: Found) -> Expected:
    return None if found else {}


def none_finite(found: Found) -> Expected:
    return {} if found and all(finite == 0 for finite, *_ in found.values()) else None


def counted(names: tuple[str, ...], found: Found) -> Expected:
    compared = [found[name] for name in names if name in found and found[name][0]]
    equal = [one for one in compared if one[0] == one[1]]
    return {"compared": f"{len(compared)}", "equal": f"{len(equal)}"} if compared else None


def fault(found: Found) -> Expected:
    return {} if any(equal < finite for finite, equal, _ in found.values()) else None


def largest(found: Found) -> Expected:
    shown = [dtype for dtype in DTYPES if dtype in found and found[dtype][2]]

    def right(text: str) -> bool:
        parts = text.replace(" and ", ", ").split(", ")
        numbers = {dtype: float(number) for number, dtype in (part.split(" in ") for part in parts)}
        return list(numbers) == shown and all(
            abs(found[d][2] - n) <= 0.0051 * n for d, n in numbers.items()
        )

    return {"found": right} if shown else None


def no_difference(found: Found) -> Expected:
    return (
        {}
        if any(finite for finite, *_ in found.values())
        and not any(size for *_, size in found.values())
        else None
    )


def swept() -> Iterator[Found]:
    yield {}
    yield {"width=1": (0, 0, 0.0)}
    yield {"width=1": (50, 50, 0.0), "width=2": (50, 30, 2.0)}
    yield {
        "width=1": (50, 50, 0.0),
        "width=2": (50, 30, 2.0),
        "width=4": (50, 50, 0.0),
        "width=8": (50, 30, 1.0),
    }
    yield {
        "width=1": (50, 30, 1.0),
        "width=2": (50, 30, 3.0),
        "depth=1": (50, 30, 2.0),
        "depth=2": (50, 30, 2.5),
    }


def growth(found: Found) -> Expected:
    factors = []
    for sweep in ("width", "depth", "outputs"):
        sizes = [size for name, (*_, size) in found.items() if name.startswith(sweep) and size]
        factors += [f"{sizes[-1] / sizes[0]:.2g} with {sweep}"] if len(sizes) > 1 else []
    return {"found": " and ".join(factors)} if factors else None


NAMES = ("backward", *METHODS)
Classes = list[tuple[str, ...]]


def answers(classes: Classes) -> AgreementTally:
    kind = {name: k for k, members in enumerate(classes) for name in members}
    pairs = {
        f"{one}, {other}": int(kind[one] != kind[other]) for one, other in combinations(kind, 2)
    }
    each = {
        name: ComparisonTally(samples=10, finite=50, equal=50, apart=apart)
        for name, apart in pairs.items()
    }
    return AgreementTally(ByName(each), 10 * bool(each))


def kinds() -> Iterator[Classes]:
    yield from (
        [],
        [NAMES],
        [NAMES[:4], NAMES[4:]],
        [NAMES[:1], NAMES[1:]],
        [(name,) for name in NAMES],
    )


def alike(classes: Classes) -> Expected:
    others = [
        f"`{name}`"
        for members in classes
        for name in members
        if "backward" in members and name != "backward"
    ]
    return (
        {"found": lambda text: text.replace(" and ", ", ").split(", ") == others}
        if others
        else None
    )


def of(study: str, of_states: Callable, *oracles: Callable, make: Callable = tally) -> Contract:
    rows, facts = CLAIMS[study]
    return Contract(rows, lambda state: facts(make(state)), of_states, oracles)


CONTRACTS = [
    of(
        "zero-cases",
        partial(states, ZERO_CASES),
        waiting,
        none_finite,
        partial(counted, ZERO_CASES),
        fault,
    ),
    of(
        "remedies",
        partial(states, (*REMEDIES, "none")),
        waiting,
        lambda found: none_finite({name: one for name, one in found.items() if name != "none"}),
        partial(counted, REMEDIES),
    ),
    of("ladder", partial(states, tuple(DTYPES)), waiting, none_finite, no_difference, largest),
    of("scaling", swept, lambda found: None if growth(found) else {}, growth),
    of("agreement", kinds, waiting, alike, make=answers),
]
