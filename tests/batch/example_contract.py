"""The contract of what is said of one component, alone and in a batch, of every kind that there may be."""

import struct
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from inspect import signature
from math import inf, isfinite, nan

import torch

from lib.batch.example import Example, Place
from lib.batch.example_sentences import batch_example_claim, order_note, sum_title, tree_label
from lib.batch.origins import Origin
from lib.batch.shared_sum import SharedSum
from lib.batch.traced_sum import Term, trace
from lib.experiment.query import Experiment
from lib.replay.trees import Tree
from tests.contract import Row, Sayer, State, Subject

WEIGHTS, UNITS, BIAS = (0.1, 0.2, 0.7, 0.8), (0.8, -0.3, 0.9, -0.2), -0.4
CHAIN, PAIRS = ((0, 1), (5, 2), (6, 3), (7, 4)), ((0, 1), (2, 3), (5, 6), (7, 4))
ALL, ONE_OF_EACH = (1, 2, 3), (1, 3)
STEP = 2.0**-24  # from float to float in float32, from 0.5 to 1


def shared(one: Tree, other: Tree, dtype: torch.dtype = torch.float32, swapped: bool = False) -> SharedSum:
    weights, units, (bias,) = (torch.tensor(given, dtype=dtype).tolist() for given in (WEIGHTS, UNITS, [BIAS]))
    terms = (
        *(Term(f"w·h{k}", w, h) for k, (w, h) in enumerate(zip(weights, units, strict=True))),
        Term("bias", None, bias),
    )
    others = tuple(Term(t.name, t.right, t.left) if t.left is not None else t for t in terms) if swapped else terms
    return SharedSum("h₂", trace(one, terms, dtype), trace(other, others, dtype))


def ends(sums: SharedSum) -> tuple[float, float]:
    return sums.alone.result, sums.batch.result


def tree(sums: tuple, fused: tuple | None = ()) -> Tree:
    return Tree.of(5, sums, fused, values=1)


SUMS = {
    "orders": shared(tree(CHAIN), tree(PAIRS)),
    "orders and products": shared(tree(CHAIN), tree(PAIRS, ONE_OF_EACH)),
    "products": shared(tree(CHAIN), tree(CHAIN, ALL)),
    "some products": shared(tree(PAIRS, (1,)), tree(PAIRS, ONE_OF_EACH)),
    "same": shared(tree(CHAIN, ALL), tree(CHAIN, ALL)),
    "other terms": shared(tree(CHAIN), tree(CHAIN), swapped=True),
    "16 bits": shared(tree(CHAIN, None), tree(PAIRS, None), torch.bfloat16),
}
"""The same terms in two trees; in 16 bits and in the same tree they end on one float, in the others on
two. "other terms" has the factors of each product in another order."""


@cache
def found() -> tuple[tuple[Experiment, Example], ...]:
    """Components of all kinds: outputs and the gradient, at all distances, with each reason why they differ."""
    experiment = Experiment(activation="tanh")
    sums = [("sum", 0, SUMS[name], "") for name in ("orders", "orders and products", "products", "some products")]
    why = [*sums, ("activation", 1, SUMS["same"], ""), ("activation", 1, SUMS["other terms"], "")]
    why += [("", 2, SUMS["same"], ""), ("", 1, SUMS["other terms"], ""), ("", 2, None, "No order is known.")]
    examples = []
    for quantity in "output", "gradient":
        for step, at, sum_, reason in why:
            for values in (0.5, 0.5), (0.5, 0.5 + STEP), (0.5 + 3 * STEP, 0.5), (inf, 0.5), (0.5, nan):
                backward = quantity == "gradient" and at == 0
                examples.append(
                    of_values(
                        quantity, values, Origin("backward" if backward else "forward", at, 2), step, sum_, reason
                    )
                )
    examples += [replace(e, effect=effect) for effect in ("", "part") for e in examples if e.effect]
    one = next(e for e in examples if e.alone != e.batch and e.ulps)
    own = SUMS["orders"]
    examples += [
        replace(one, exact=None, closer=None),
        *(
            replace(
                of_values("output", (alone, batch), one.origin, "sum" if sum_ else "", sum_, ""),
                exact=exact,
                closer=closer,
            )
            for sum_, alone, batch in [(None, one.alone, one.batch), (own, one.alone, one.batch), (own, *ends(own))]
            for exact, closer in (
                ((Fraction(alone) + Fraction(batch)) / 2, "tie"),
                (Fraction(alone), "alone"),
                (Fraction(batch), "batch"),
            )
        ),
        replace(one, origin=None, step="", effect="", sum=None, reason="The steps of jacfwd are not followed here."),
    ]
    narrow = [
        replace(
            one, dtype="bfloat16", alone=0.5, batch=0.5, ulps=0, closer="tie", effect="", step=step, sum=SUMS["16 bits"]
        )
        for step in ("", "sum")
    ]
    return tuple((experiment, e) for e in examples) + tuple((replace(experiment, dtype="bfloat16"), e) for e in narrow)


def of_values(
    quantity: str, values: tuple[float, float], origin: Origin, step: str, sum_: SharedSum | None, reason: str
) -> Example:
    finite = all(map(isfinite, values))
    return Example(
        place=Place(4, 5, quantity, 1),
        row=1,
        dtype="float32",
        alone=values[0],
        batch=values[1],
        ulps=floats_apart(*values),
        exact=Fraction(values[0]) if finite else None,
        closer=("tie" if values[0] == values[1] else "alone") if finite else None,
        origin=origin,
        step=step,
        effect="all" if step and values[0] != values[1] else "",
        sum=sum_,
        reason=reason,
    )


def states(sayer: Sayer) -> Iterator:
    for experiment, one in found():
        if "experiment" in signature(sayer).parameters:
            yield State(experiment, one, {}), sayer(one, experiment)
        elif one.sum and sayer is tree_label:
            yield State(experiment, one, {}), f"{sayer('Alone', one, one.sum.alone)}"
        elif one.sum:
            yield State(experiment, (one, one.sum.alone, None, False), {}), sayer(one, one.sum.alone)
            for underlined in (False, True):
                state = one, one.sum.batch, one.sum.alone, underlined
                yield State(experiment, state, {}), sayer(one, one.sum.batch, one.sum.alone, underlined)


def apart(one: Example) -> int | None:
    return floats_apart(one.alone, one.batch)


def floats_apart(one: float, other: float) -> int | None:
    """How many floats apart two values of the same sign are in float32: their bits as integers count the floats."""
    places = (struct.unpack("<i", struct.pack("<f", value))[0] for value in (one, other))
    return abs(next(places) - next(places)) if isfinite(one) and isfinite(other) else None


def both(rest: str, holds: Callable[[State], bool]) -> list[Row]:
    """A row for an output and one for a component of the gradient."""

    def of(quantity: str) -> Callable[[State], bool]:
        return lambda s: (
            (s.f.place.quantity, s.f.place.component, s.f.place.sample) == (quantity, s.number("n"), s.number("k"))
            and holds(s)
        )

    return [
        Row(f"Output {{n}} of sample {{k}}: {rest}", of("output")),
        Row(f"Component {{n}} of the gradient of sample {{k}}: {rest}", of("gradient")),
    ]


def at_distance(rest: str, holds: Callable[[State], bool]) -> list[Row]:
    said = [
        (
            f"**{{k2}} {word} apart**, {{x}} alone and {{y}} in the batch{rest}.",
            lambda s: s.number("k2") == apart(s.f) > 0 and values(s) and holds(s),
        )
        for word in ("float", "floats")
    ]
    return [row for sentence, condition in said for row in both(sentence, condition)]


def values(s: State) -> bool:
    """Whether the two values are written in so many digits that they read back, in float32."""
    return tuple(torch.tensor(s.number(name)).item() for name in "xy") == (s.f.alone, s.f.batch)


def orders_differ(products_too: bool) -> Callable[[State], bool]:
    def holds(s: State) -> bool:
        sums = s.f.sum
        if not sums or s.f.step != "sum" or sums.alone.tree.sums == sums.batch.tree.sums:
            return False
        return products_too == (bool(sums.alone.tree.fused) != bool(sums.batch.tree.fused))

    return holds


def products_differ(s: State) -> bool:
    sums = s.f.sum
    same = bool(sums) and sums.alone.tree.sums == sums.batch.tree.sums
    return same and s.f.step == "sum" and sums.alone.tree.fused != sums.batch.tree.fused


def nearer(side: str, later: bool) -> Callable[[State], bool]:
    """`later` says that the sum that is shown ends elsewhere than the component."""

    def holds(s: State) -> bool:
        sums = s.f.sum if is_sum(s) else None
        if later != (sums is not None and (sums.alone.result, sums.batch.result) != (s.f.alone, s.f.batch)):
            return False
        if s.f.exact is None or not apart(s.f):
            return False
        one, other = (abs(Fraction(value) - s.f.exact) for value in (s.f.alone, s.f.batch))
        return {"alone": one < other, "batch": other < one, "tie": one == other}[side]

    return holds


def since(why: str, holds: Callable[[State], bool]) -> list[Row]:
    return [
        *at_distance(f", since {why}", lambda s: s.f.effect == "all" and holds(s)),
        *at_distance(f", in part since {why}", lambda s: s.f.effect == "part" and holds(s)),
    ]


CLAIM = [
    *both("at least one value is infinite or NaN, so the two have no distance.", lambda s: apart(s.f) is None),
    *both("**the same float** alone and in the batch.", lambda s: apart(s.f) == 0),
    Row("What differs on the way does not reach it.", lambda s: apart(s.f) == 0 and s.f.step != ""),
    *since("the terms of h₂ are added in another order", orders_differ(products_too=False)),
    *since(
        "the terms of h₂ are added in another order, and products are rounded differently",
        orders_differ(products_too=True),
    ),
    *since("different products in h₂ are fused into their additions", products_differ),
    *since("the kernel of tanh rounds equal sums in two ways", lambda s: s.f.step == "activation"),
    *at_distance("", lambda s: s.f.effect == ""),
    Row(
        "Several operations differ first; of those tried, none alone changes this component, and one is shown.",
        lambda s: s.f.step != "" and s.f.effect == "" and apart(s.f),
    ),
    *[
        Row(f"{start}, {rest}", nearer(side, later))
        for start, later in (("Of these two", False), ("After all later roundings", True))
        for side, rest in (
            ("alone", "the one alone is closer to the exact value."),
            ("batch", "the one in the batch is closer to the exact value."),
            ("tie", "the exact value lies midway between the two."),
        )
    ],
    Row("The component's exact value is not known.", lambda s: s.f.exact is None, sometimes=True),
]


def is_sum(s: State) -> bool:
    return s.f.sum is not None and s.f.step != "activation" and s.f.sum.alone.terms == s.f.sum.batch.terms


def ends_together(s: State) -> bool:
    return s.f.sum.alone.result == s.f.sum.batch.result


def ends_in(direction: str, together: bool) -> Callable[[State], bool]:
    return lambda s: is_sum(s) and s.f.origin.direction == direction and ends_together(s) == together


TITLE = [
    Row("The sum for h₂ ends on the same float", ends_in("forward", True)),
    Row("The sum for h₂ ends on two floats", ends_in("forward", False)),
    Row("The gradient at h₂ ends on two floats", ends_in("backward", False)),
    Row("Equal sums, but the kernel of tanh gives other bits", lambda s: s.f.step == "activation" and ends_together(s)),
    Row("Both end on the same float", lambda s: not is_sum(s) and s.f.alone == s.f.batch, sometimes=True),
    Row("The component ends on two floats", lambda s: not is_sum(s) and s.f.alone != s.f.batch, sometimes=True),
]


def products(kind: str) -> Callable[[State], bool]:
    """How many products a tree fuses, of those that meet a sum: those of leaves 1 to 3 in a chain, 1 and 3 in pairs."""

    def holds(s: State) -> bool:
        traced = s.f[1]
        if traced.tree.fused is None:
            return kind == "exact"
        could = ALL if traced.tree.sums == CHAIN else ONE_OF_EACH
        return kind == ("rounded" if not traced.tree.fused else "fused" if traced.tree.fused == could else "some fused")

    return holds


_PRODUCTS = {
    "each product is rounded": "rounded",
    "products are fused into their additions": "fused",
    "some products are fused into their additions": "some fused",
    "products are exact in float32": "exact",
}


def noted(start: str, holds: Callable[[State], bool], *kinds: str) -> list[Row]:
    return [
        Row(f"{start}; {text}.", lambda s, k=kind: holds(s) and products(k)(s))
        for text, kind in _PRODUCTS.items()
        if kind in kinds
    ]


def first(direction: str) -> Callable[[State], bool]:
    return lambda s: s.f[2] is None and (s.f[0].origin.direction == direction) and s.number("n") == 5


def beside(underlined: bool) -> Callable[[State], bool]:
    return lambda s: same_terms(s) and s.f[1].tree.sums != s.f[2].tree.sums and s.f[3] == underlined


def same_order(s: State) -> bool:
    return same_terms(s) and s.f[1].tree.sums == s.f[2].tree.sums


def same_terms(s: State) -> bool:
    return s.f[2] is not None and s.f[1].terms == s.f[2].terms


def other_terms(underlined: bool) -> Callable[[State], bool]:
    def holds(s: State) -> bool:
        apart = s.f[2] is not None and s.f[1].terms != s.f[2].terms and s.f[3] == underlined
        return apart and s.f[1].result == s.f[2].result

    return holds


NOTE = [
    *noted("The sum for h₂: {n} terms", first("forward"), "rounded", "fused", "some fused", "exact"),
    *noted("The gradient at h₂: {n} terms", first("backward"), "rounded", "some fused"),
    *noted("The same terms in another order", beside(False), "rounded", "fused", "exact"),
    *noted("The same terms in another order, moved ones underlined", beside(True), "rounded", "fused", "exact"),
    *noted("Other terms, but the same sum", other_terms(False), "rounded"),
    *noted("Other terms, but the same sum, moved ones underlined", other_terms(True), "rounded"),
    *noted("The same order", lambda s: same_order(s) and s.f[1].tree.fused == s.f[2].tree.fused, "fused"),
    Row(
        "The same order, but products are fused into their additions.",
        lambda s: same_order(s) and s.f[1].tree.fused != s.f[2].tree.fused and products("fused")(s),
    ),
]

LABEL = [Row("Alone: the order in which {n} terms of h₂ are added.", lambda s: s.number("n") == 5)]

SUBJECTS = [
    Subject(batch_example_claim, CLAIM, states),
    Subject(sum_title, TITLE, states),
    Subject(order_note, NOTE, states),
    Subject(tree_label, LABEL, states),
]
